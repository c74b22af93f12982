/** @module-tag long */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killTimes } from './kill-run.ts';
import { canHaveSmallDisks, openSmallDisk } from './small-disk.ts';

const isPossible = await canHaveSmallDisks();

test('loses no acknowledged write, leaves none incomplete and never goes back when it is killed while writing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-kill-'));
  try {
    const report = await killTimes({ dataDir: folder }, 5);
    expect(report.problems).toEqual([]);
    expect(report.kills).toBe(5);
    expect(report.acknowledged).toBeGreaterThan(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

// Needs a file system of its own: user namespaces.
test.skipIf(!isPossible)(
  'the same when the disk is full, at a kill and at a stop, and may still be when it starts again',
  async () => {
    await using disk = await openSmallDisk(96);
    const report = await killTimes({ dataDir: join(disk.path, 'data'), disk }, 6);
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({ kills: 3, stops: 3, full: 4 });
  },
);
