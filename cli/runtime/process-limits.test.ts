import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { checkProcessLimits, readProcessLimits } from './process-limits.ts';

const program = join(import.meta.dirname, '..', 'bin.js');

test('the limits of this process are known, and enough', () => {
  checkProcessLimits('up');
  expect(readProcessLimits().heapMebibytes).toBeGreaterThan(0);
});

test.each([
  [
    'a heap that is too small',
    { heapMebibytes: 312, openFiles: 1024 },
    /heap of 312 MiB, at least 384 MiB .*--max-old-space-size/,
  ],
  ['too few open files', { heapMebibytes: 2048, openFiles: 128 }, /may open 128 files, at least 256 .*ulimit -n/],
])('%s is refused with what to do', (_what, limits, text) => {
  expect(() => checkProcessLimits('up', limits)).toThrow(text);
});

test('the webhook and the controllers start in a container of 512 MiB, for which V8 takes a heap of 259 MiB', () => {
  for (const command of ['controllers', 'webhook'] as const)
    checkProcessLimits(command, { heapMebibytes: 259, openFiles: 1024 });
});

test.each(['up', 'controllers', 'webhook'])(
  'longshore %s with too small a heap ends with that message, before it opens anything',
  async (command) => {
    const env = { ...process.env, NODE_OPTIONS: '--max-old-space-size=60' };
    const ended = promisify(execFile)(process.execPath, [program, command], { env });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^longshore: Node.js may use a heap of \d+ MiB, at least \d+ MiB are needed/,
      ) as unknown,
    });
  },
);
