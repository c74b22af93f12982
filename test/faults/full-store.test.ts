/** @module-tag long */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { canHaveSmallDisks, onSmallDisk } from './small-disk.ts';

const run = promisify(execFile);
const child = join(import.meta.dirname, 'full-store-child.ts');
const isPossible = await canHaveSmallDisks();

test.skipIf(!isPossible).each(['files', 'manifests'])(
  'a disk of the content store full of %s is named, nothing half is kept, and it goes on with space',
  async (what) => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-store-'));
    try {
      const [program = '', ...args] = onSmallDisk(folder, { mebibytes: 32, ballastMebibytes: 12 });
      const { stdout } = await run(program, [...args, process.execPath, child, folder, what]);
      const { full, stored, after } = JSON.parse(stdout) as { full: string[]; stored: number; after: string };
      expect(full.at(-1)).toContain(
        `StoreFull: the disk of the content store ${folder}/store is full: nothing was stored`,
      );
      expect(full.slice(0, -1).every((result) => result === 'stored')).toBe(true);
      expect(stored).toBe(full.length - 1);
      expect(after).toBe('stored');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
