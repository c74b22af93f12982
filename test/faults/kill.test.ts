import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killTimes } from './kill-run.ts';

test('loses no acknowledged write, leaves none half there and never goes back when it is killed while writing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-kill-'));
  try {
    const report = await killTimes(folder, 10);
    expect(report.problems).toEqual([]);
    expect(report.kills).toBe(10);
    expect(report.acknowledged).toBeGreaterThan(10);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
