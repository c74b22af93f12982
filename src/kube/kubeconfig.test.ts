import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadClusterAccess } from './index.ts';

let dir: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  dir = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  await writeFile(join(dir, 'token'), 'first\n');
  await writeFile(join(dir, 'ca.crt'), 'an authority');
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(dir, { recursive: true, force: true });
});

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: here, user: me}}]
clusters: [{name: here, cluster: {server: 'https://127.0.0.1:6443'}}]
users: [{name: me, user: {tokenFile: token}}]
`;

test.each([
  { name: 'N11, Q17 the token file of a kubeconfig', inCluster: false },
  { name: 'N11, Q17 the token of a pod', inCluster: true },
])('$name is read again, so that a token is replaced before it runs out', async ({ inCluster }) => {
  const path = join(dir, 'config');
  await writeFile(path, kubeconfig);
  const server = 'https://127.0.0.1:6443';
  const access = await loadClusterAccess(inCluster ? { inCluster: { server, folder: dir } } : { path });
  expect(await access.headers()).toEqual({ authorization: 'Bearer first' });
  await writeFile(join(dir, 'token'), 'second\n');
  vi.setSystemTime(Date.now() + 61_000);
  expect(await access.headers()).toEqual({ authorization: 'Bearer second' });
});
