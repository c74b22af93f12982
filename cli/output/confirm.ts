import { createInterface } from 'node:readline/promises';
import { printable, TerminalError } from '../../src/base/index.ts';

/** A question that is answered with yes or no. */
export interface Question {
  /** Printed before it, with a line feed at its end. */
  readonly about: string;
  /** `Delete them?` */
  readonly text: string;
  /** The error where there is no terminal to ask on. */
  readonly unasked: string;
}

/** Asks on the terminal.
 *  @throws TerminalError NotConfirmed where there is no terminal to ask on, or the answer is not yes */
export async function confirm({ about, text, unasked }: Question): Promise<void> {
  if (!process.stdin.isTTY) throw new TerminalError('NotConfirmed', unasked);
  process.stderr.write(printable(about));
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${text} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new TerminalError('NotConfirmed', 'nothing was changed');
}
