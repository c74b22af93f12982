import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createTerminal, type Terminal } from './terminal.ts';

function open(isTerminal: boolean): { readonly terminal: Terminal; readonly printed: () => string } {
  const stream = Object.assign(new PassThrough(), { isTTY: isTerminal, columns: 40 });
  const terminal = createTerminal(stream as unknown as NodeJS.WriteStream);
  return { terminal, printed: () => String(stream.read() ?? '') };
}

/** What remains on the screen, without cleared lines. */
function screen(printed: string): string {
  // oxlint-disable-next-line no-control-regex -- the sequence that clears a line begins with ESC
  return printed.replaceAll(/[^\n]*\r\u001b\[2K/g, '');
}

test('on a terminal progress is redrawn in one line and gives way to the next line', () => {
  const { terminal, printed } = open(true);
  terminal.line('first');
  terminal.progress('fetching a');
  terminal.progress('fetching b');
  terminal.line('second');
  terminal.line('third');
  const text = printed();
  expect(text).toContain('fetching a');
  expect(screen(text)).toBe('first\nsecond\nthird\n');
});

test('on a terminal progress is never wider than the window', () => {
  const { terminal, printed } = open(true);
  terminal.progress('x'.repeat(200));
  expect(screen(printed())).toBe('x'.repeat(39));
});

test('on a pipe there are plain lines, and unchanged progress is printed once', () => {
  const { terminal, printed } = open(false);
  terminal.line('first');
  terminal.progress('fetching a');
  terminal.progress('fetching a');
  terminal.progress('fetching b');
  terminal.line('second');
  expect(printed()).toBe('first\nfetching a\nfetching b\nsecond\n');
});
