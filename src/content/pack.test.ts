import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { defaultContentLimits } from '../base/index.ts';
import { stageFolder } from './pack.ts';
import { Staging } from './staging.ts';

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

test('a link to what the folder has is followed, and one that leaves it is refused', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-pack-'));
  try {
    const folder = join(dir, 'bundle');
    await mkdir(join(folder, '..data'), { recursive: true });
    await writeFile(join(dir, 'credentials'), 'of the user');
    await writeFile(join(folder, '..data', 'a.yaml'), 'a: 1');
    await symlink('..data', join(folder, 'manifests'));
    await using staging = await Staging.create(join(dir, 'spool'), defaultContentLimits);
    const { signal } = new AbortController();
    await stageFolder(folder, staging, { signal });
    expect(staging.tree.get(['manifests', 'a.yaml'])).toBeDefined();
    for (const target of ['../credentials', join(dir, 'credentials'), '..']) {
      await symlink(target, join(folder, 'leaving'));
      await using other = await Staging.create(join(dir, 'other'), defaultContentLimits);
      await expect(stageFolder(folder, other, { signal })).rejects.toThrow(
        `leaving: is a symbolic link to ${await realpath(resolve(folder, target))}, outside of ${folder}`,
      );
      await rm(join(folder, 'leaving'));
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
