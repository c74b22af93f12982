import { styleText } from 'node:util';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { printable } from '../../src/base/index.ts';

/** Comparing texts that have little in common takes long and helps no one. */
const maxEdits = 2000;

/** One side of a comparison; an empty text is nothing. */
export interface DiffSide {
  readonly title: string;
  readonly text: string;
}

/** A unified diff of two texts. */
export function unifiedDiff(before: DiffSide, after: DiffSide): string {
  const [from, to] = [before, after].map(({ title, text }) => (text === '' ? '/dev/null' : title));
  const options = { context: 3, maxEditLength: maxEdits, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(from ?? '', to ?? '', before.text, after.text, undefined, undefined, options);
  return patch ?? `--- ${from}\n+++ ${to}\ntoo much has changed to be shown\n`;
}

function styleOf(line: string): 'bold' | 'green' | 'red' | 'cyan' | undefined {
  if (/^(\+\+\+|---) /.test(line)) return 'bold';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : undefined;
}

/** A unified diff, in colors where `stream` is a terminal that has them; nothing else in it changes the terminal. */
export function colouredDiff(text: string, stream: NodeJS.WriteStream): string {
  const colour = (line: string): string => {
    const style = styleOf(line);
    return style === undefined ? line : styleText(style, line, { stream });
  };
  return printable(text).split('\n').map(colour).join('\n');
}
