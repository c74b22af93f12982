import { mkdir, mkdtempDisposable, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { parseOptions } from '../command/index.ts';
import { readConfig, upOptions } from '../settings/index.ts';
import { startPlatform } from './platform.ts';

async function startAndStop(dataDir: string): Promise<void> {
  const { values } = parseOptions(
    upOptions,
    ['--data-dir', dataDir, '--no-olm', '--no-examples', '--no-cluster-catalogs', '--log-level', 'silent'],
    {},
  );
  await using _platform = await startPlatform(readConfig(values), { log: silentLogger() });
}

test('uploads of a cluster whose objects were lost are not deleted by an empty one, unless they are given up', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'longshore-uploads-'));
  const objects = join(folder.path, 'objects.sqlite');
  const uploads = join(folder.path, 'bundles', 'uploads');
  await startAndStop(folder.path);
  await rm(objects);
  await startAndStop(folder.path);
  await mkdir(uploads, { recursive: true });
  await writeFile(join(uploads, 'mine_0000.tgz'), 'the only copy');
  await rm(objects);
  for (const _start of ['first', 'second']) {
    await expect(startAndStop(folder.path)).rejects.toMatchObject({
      reason: 'UploadsOfAnotherCluster',
      message: expect.stringContaining('uploads (1) are of another cluster') as string,
    });
    expect(await readdir(uploads)).toEqual(['mine_0000.tgz']);
  }
  await rm(join(folder.path, 'bundles', 'cluster'));
  await startAndStop(folder.path);
  expect(await readdir(uploads)).toEqual([]);
});
