import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BundleStore } from './bundle-store.ts';

test('a bundle is stored while files of others are removed', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-bundles-'));
  try {
    using store = await BundleStore.open(dir, 1024 ** 2);
    // It is in the folder when that is listed, and cannot be found afterwards.
    await symlink(join(dir, 'removed'), join(dir, `${'0'.repeat(64)}.json`));
    await store.save('boat', { name: 'boat.v1', csv: {}, objects: [] });
    await expect(store.find('boat')).resolves.toMatchObject({ name: 'boat.v1' });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
