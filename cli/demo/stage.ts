import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TerminalError } from '../../src/base/index.ts';
import type { Terminal } from '../output/index.ts';
import { type CommandResult, runLongshore, startInBackground } from './program.ts';
import type { Step } from './story.ts';

/** What a story is played with. */
export interface Stage {
  /** What kubectl does. */
  readonly play: (args: readonly string[]) => Promise<CommandResult>;
  readonly terminal: Terminal;
  /** For files that the story writes. */
  readonly cwd: string;
  readonly kubeconfigPath: string;
  readonly signal: AbortSignal;
  /** Programs that run until the story ends. */
  readonly background: AsyncDisposableStack;
}

/** As a person would type it: arguments with blanks or braces in quotes. */
function typed([program = '', ...args]: readonly string[]): string {
  const words = args.map((word) => (/[\s{}"$*?()[\]]/.test(word) ? `'${word}'` : word));
  return [program === 'longshore' ? 'npx longshore' : program, ...words].join(' ');
}

function shown(content: string): string {
  return content.trimEnd().replace(/^/gm, '  ');
}

async function playCommand(words: readonly string[], stage: Stage, isRefused: boolean): Promise<string> {
  const { play, terminal } = stage;
  const [program, ...args] = words;
  terminal.line(`$ ${typed(words)}`);
  const { exitCode, output } = program === 'kubectl' ? await play(args) : await runLongshore(args, stage);
  if (output.trimEnd() !== '') terminal.line(output.trimEnd());
  if ((exitCode !== 0) !== isRefused) {
    const expected = isRefused ? 'a refusal' : 'success';
    throw new TerminalError('DemoFailed', `${words.join(' ')}: expected ${expected}, got exit status ${exitCode}`);
  }
  return output;
}

async function playBackground(words: readonly string[], stage: Stage): Promise<string> {
  stage.terminal.line(`$ ${typed(words)} &`);
  const line = await startInBackground(words, stage, stage.background);
  stage.terminal.line(line);
  return line;
}

/** Plays a step, and shows what was typed and printed.
 *  @returns what was printed
 *  @throws TerminalError DemoFailed when a command ends in another way than the story has it */
export async function playStep(step: Step, stage: Stage): Promise<string> {
  if ('comment' in step) {
    stage.terminal.line(`\n# ${step.comment}`);
    return '';
  }
  if ('write' in step) {
    await writeFile(join(stage.cwd, step.write), step.content);
    stage.terminal.line(`$ cat ${step.write}\n${shown(step.content)}`);
    return '';
  }
  if ('background' in step) return await playBackground(step.background, stage);
  if ('longshore' in step) return await playCommand(['longshore', ...step.longshore], stage, step.isRefused === true);
  return await playCommand(['kubectl', ...step.kubectl], stage, step.isRefused === true);
}
