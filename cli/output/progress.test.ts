import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createProgress, formatBytes, formatProgress, type Progress } from './progress.ts';

function open(isTerminal: boolean, isQuiet = false): { readonly progress: Progress; readonly printed: () => string } {
  const stream = Object.assign(new PassThrough(), { isTTY: isTerminal, columns: 100 });
  const progress = createProgress(stream as unknown as NodeJS.WriteStream, { isQuiet });
  return { progress, printed: () => String(stream.read() ?? '') };
}

const half = { done: 512, total: 1024, unit: 'bytes' } as const;

test('a bar shows its progress, in bytes or objects', () => {
  expect(formatProgress('pushing', half)).toBe('pushing  [############------------]  50 %  512 B of 1.0 KiB');
  expect(formatProgress('comparing', { done: 3, total: 3, unit: 'objects' })).toMatch(/\[#{24}\] 100 % {2}3 of 3$/);
  expect(formatProgress('resolving', undefined)).toBe('resolving');
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [5 * 1024 ** 4, '5120.0 GiB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test('on a terminal the bar is drawn, seldom, and gives way to lines', () => {
  const { progress, printed } = open(true);
  progress.show('pushing', half);
  for (let done = 513; done < 1000; done++) progress.show('pushing', { ...half, done });
  progress.finish('pushed');
  const text = printed();
  expect(text.match(/pushing/g)?.length).toBeLessThan(20);
  expect(text.endsWith('\r\u001b[2Kpushed\n')).toBe(true);
});

test('what a name has beside letters does not change the terminal', () => {
  const { progress, printed } = open(true);
  progress.show('layer \u001b[2J');
  progress.finish('image \u001b]0;title\u0007');
  const text = printed();
  expect(text).toContain('layer \\x1b[2J');
  expect(text).toContain('image \\x1b]0;title\\x07\n');
});

test('elsewhere there is one line a step, and nothing at all when a program reads', () => {
  const lines = open(false);
  lines.progress.show('pushing', half);
  lines.progress.finish('pushed');
  lines.progress.clear();
  expect(lines.printed()).toBe('pushed\n');
  const quiet = open(true, true);
  quiet.progress.show('pushing', half);
  quiet.progress.finish('pushed');
  quiet.progress.clear();
  expect(quiet.printed()).toBe('');
});
