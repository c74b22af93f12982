import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultContentLimits } from '../base/index.ts';
import { stageFolder } from './pack.ts';
import type { Staging } from './staging.ts';

test('pieces of a large file do not change while they wait to be written', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-pack-'));
  try {
    const content = randomBytes(5 * 1024 * 1024 + 1);
    await writeFile(join(dir, 'large.bin'), content);
    const pieces: Uint8Array[] = [];
    const layer = {
      addFile: () => (bytes: Uint8Array) => pieces.push(bytes),
      relieve: () => Promise.resolve(),
    };
    const staging: unknown = { limits: defaultContentLimits, beginLayer: () => layer };
    await stageFolder(dir, staging as Staging, { signal: new AbortController().signal });
    expect(Buffer.concat(pieces).equals(content)).toBe(true);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
