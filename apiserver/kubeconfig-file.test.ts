import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startApiServer } from './index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a kubeconfig is for its owner alone, whatever was in its place', async () => {
  const kubeconfigPath = join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, 'of before');
  await chmod(kubeconfigPath, 0o644);
  await using server = await startApiServer({ simulation: false, kubeconfigPath });
  expect(await readFile(kubeconfigPath, 'utf8')).toBe(server.kubeconfig);
  expect((await stat(kubeconfigPath)).mode & 0o777).toBe(0o600);
});

test('a server whose kubeconfig cannot be written leaves its data folder to the next one', async () => {
  const dataDir = join(folder, 'data');
  const kubeconfigPath = join(folder, 'absent', 'kubeconfig');
  await expect(startApiServer({ simulation: false, dataDir, kubeconfigPath })).rejects.toThrow(
    `${kubeconfigPath}: no such file or directory: it is left as it was`,
  );
  await using server = await startApiServer({ simulation: false, dataDir });
  expect(server.url).toContain('127.0.0.1');
});
