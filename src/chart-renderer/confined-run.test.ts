import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import { threadMemory } from '../base/index.ts';
import { type RunEnd, runConfined } from './confined-run.ts';

const mebibyte = 1024 * 1024;
const limits = { processorSeconds: 60, memoryBytes: 16 * 1024 * mebibyte, outputBytes: mebibyte, deadlineMs: 120_000 };

function run(...command: readonly string[]): Promise<RunEnd> {
  const { signal } = new AbortController();
  return runConfined({ command, folder: tmpdir(), hasOwnNetwork: false, limits, signal });
}

test.skipIf(process.platform !== 'linux')(
  'a program counts with the threads of its process, and is ended where they need its memory',
  async () => {
    const text = `const held = Buffer.alloc(${100 * mebibyte}, 1); setInterval(() => held.length, 1000);`;
    const running = run(process.execPath, '-e', text);
    running.catch(() => undefined);
    await eventually(() => expect(threadMemory.sizeBytes).toBeGreaterThan(100 * mebibyte), { timeoutMs: 60_000 });
    threadMemory.makeRoom();
    await expect(running).rejects.toMatchObject({ name: 'TransientError', reason: 'ProgramEnded' });
    expect(threadMemory.sizeBytes).toBe(0);
  },
);

test.skipIf(process.platform !== 'linux')(
  'the system ends a program before the process that has started it',
  async () => {
    expect((await run('/bin/cat', '/proc/self/oom_score_adj')).output.toString()).toBe('1000\n');
  },
);
