import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { describe, expect, test } from 'vitest';
import { errorMessage, fileProblem, isDiskFull, isMachineShortage, TerminalError } from './errors.ts';

async function thrownBy(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (thrown) {
    return thrown;
  }
}

describe('an error of the file system', () => {
  test.each([
    { path: '/no/such/file', problem: 'no such file or directory' },
    { path: '/proc', problem: 'illegal operation on a directory' },
    { path: '/dev/null/x', problem: 'not a directory' },
  ])('names $path and the problem, and nothing of Node.js', async ({ path, problem }) => {
    const thrown = await thrownBy(() => readFile(path));
    expect(fileProblem(thrown)).toBe(problem);
    expect(errorMessage(thrown)).toMatch(new RegExp(`^(${path}: )?${problem}$`));
  });
});

test.each([
  { call: 'writeFile', code: 'Unknown system error -122', message: 'Unknown system error -122, write' },
  { call: 'writeSync', code: 'UNKNOWN', message: 'UNKNOWN: unknown error, write' },
])('an exhausted quota, for which $call of Node.js has no name, counts as a full disk', ({ code, message }) => {
  const thrown = Object.assign(new Error(message), { code, errno: -constants.errno.EDQUOT, syscall: 'write' });
  expect([isDiskFull(thrown), isMachineShortage(thrown)]).toEqual([true, true]);
  expect(errorMessage(Object.assign(thrown, { path: '/a/b' }))).toBe('/a/b: disk quota exceeded');
});

test('other errors keep their text', () => {
  expect(errorMessage(new TerminalError('X', 'ENOENT: mine, as it is'))).toBe('ENOENT: mine, as it is');
  expect(fileProblem(new TerminalError('X', 'as it is'))).toBe('as it is');
  expect(errorMessage('text')).toBe('text');
});
