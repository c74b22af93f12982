import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loopbackCertificate, startWebServer } from '../../test/support/index.ts';
import { systemClock } from '../base/index.ts';
import { createKubeClient, isKubeError, loadClusterAccess } from './index.ts';

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
clusters: [{name: here, cluster: {server: 'https://127.0.0.1:6443', certificate-authority: ca.crt}}]
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

test('a token file is read again after the clock was set back by days', async () => {
  const access = await loadClusterAccess({ inCluster: { server: 'https://127.0.0.1:6443', folder: dir } });
  expect(await access.headers()).toEqual({ authorization: 'Bearer first' });
  await writeFile(join(dir, 'token'), 'second');
  vi.setSystemTime(Date.now() - 2 * 24 * 3_600_000);
  expect(await access.headers()).toEqual({ authorization: 'Bearer second' });
});

test('N11, Q17 while a file is empty or missing its last content is used, and it is read again', async () => {
  const access = await loadClusterAccess({ inCluster: { server: 'https://127.0.0.1:6443', folder: dir } });
  expect(await access.headers()).toEqual({ authorization: 'Bearer first' });
  vi.setSystemTime(Date.now() + 61_000);
  await writeFile(join(dir, 'token'), '');
  expect(await access.headers()).toEqual({ authorization: 'Bearer first' });
  await rm(join(dir, 'ca.crt'));
  expect((await access.tls()).ca?.toString()).toBe('an authority');
  await writeFile(join(dir, 'token'), 'second');
  expect(await access.headers()).toEqual({ authorization: 'Bearer second' });
});

test.each(['token', 'ca.crt'])('a pod without its %s fails at once, with the name of the file', async (name) => {
  await rm(join(dir, name));
  const load = async (): Promise<unknown> => {
    const access = await loadClusterAccess({ inCluster: { server: 'https://127.0.0.1:6443', folder: dir } });
    return await access.headers();
  };
  await expect(load()).rejects.toThrow(join(dir, name));
});

test('a credential plug-in with a path is the program in the folder of the kubeconfig, not one in the current folder', async () => {
  const path = join(dir, 'config');
  const answer = JSON.stringify({ kind: 'ExecCredential', status: { token: 'from the plug-in' } });
  await writeFile(join(dir, 'plugin'), `#!/bin/sh\necho '${answer}'\n`, { mode: 0o700 });
  await writeFile(path, kubeconfig.replace('tokenFile: token', 'exec: {command: ./plugin}'));
  const access = await loadClusterAccess({ path });
  expect(await access.headers()).toEqual({ Authorization: 'Bearer from the plug-in' });
});

test.each(['token: secret', 'username: me, password: secret', 'exec: {command: ./absent}'])(
  'without TLS no credentials are sent: {%s}',
  async (user) => {
    const plain = kubeconfig.replace('https:', 'http:').replace('tokenFile: token', user);
    const access = await loadClusterAccess({ text: plain.replace('certificate-authority: ca.crt', '') });
    expect(await access.headers()).toEqual({});
  },
);

test('requests are sent as the user that a kubeconfig names, unless they name another', async () => {
  const received: IncomingHttpHeaders[] = [];
  await using server = await startWebServer(({ headers }, response) => {
    received.push(headers);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ kind: 'APIResourceList', resources, metadata: { name: 'a' } }));
  });
  const as = 'as: zoë, as-uid: "7", as-groups: [readers], as-user-extra: {example.com/scope: [b]}';
  const plain = kubeconfig.replace('https://127.0.0.1:6443', server.url).replace('tokenFile: token', as);
  const access = await loadClusterAccess({ text: plain.replace('certificate-authority: ca.crt', '') });
  const kube = createKubeClient({ access, clock: systemClock });
  const ref = { apiVersion: 'v1', kind: 'Namespace', name: 'a' };
  await kube.get(ref);
  await kube.actingAs({ user: 'account' }).get(ref);
  kube.close();
  const [first, last] = [received.at(0), received.at(-1)];
  expect(Buffer.from(String(first?.['impersonate-user']), 'latin1').toString()).toBe('zoë');
  expect(first).toMatchObject({ 'impersonate-uid': '7', 'impersonate-group': 'readers' });
  expect(first).toMatchObject({ 'impersonate-extra-example.com%2fscope': 'b' });
  expect([last?.['impersonate-user'], last?.['impersonate-group']]).toEqual(['account', undefined]);
});

test('groups to act in without a user to act as are refused, as by kubectl', async () => {
  const text = kubeconfig.replace('tokenFile: token', 'token: t, as-groups: [readers]');
  const load = loadClusterAccess({ text: text.replace('certificate-authority: ca.crt', '') });
  await expect(load).rejects.toThrow('user "me": as-uid, as-groups and as-user-extra need "as"');
});

const resources = [{ name: 'namespaces', kind: 'Namespace', namespaced: false }];

/** An API server whose certificate can be replaced by one of another authority. */
async function startRenewable(): Promise<AsyncDisposable & { server: string; renew(): Promise<string> }> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ kind: 'APIResourceList', resources, metadata: { name: 'answer' } }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async renew() {
      const { caPem, tls } = await loopbackCertificate();
      server.setSecureContext({ cert: tls.certificatePem, key: tls.privateKeyPem });
      server.closeAllConnections();
      return caPem;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

test.each([
  { name: 'a kubeconfig names', inCluster: false },
  { name: 'a pod has', inCluster: true },
])(
  'N11, Q17 the authority that $name is read again, and the old one is not trusted any more',
  async ({ inCluster }) => {
    await using api = await startRenewable();
    const path = join(dir, 'config');
    await writeFile(path, kubeconfig.replace('https://127.0.0.1:6443', api.server));
    await writeFile(join(dir, 'ca.crt'), await api.renew());
    const access = await loadClusterAccess(inCluster ? { inCluster: { server: api.server, folder: dir } } : { path });
    const kube = createKubeClient({ access, clock: { ...systemClock, sleep: () => Promise.resolve() } });
    const ask = async (): Promise<unknown> =>
      (await kube.get({ apiVersion: 'v1', kind: 'Namespace', name: 'a' })).metadata;
    try {
      await ask();
      const next = await api.renew();
      await expect(ask()).rejects.toSatisfy(isKubeError);
      await writeFile(join(dir, 'ca.crt'), next);
      vi.setSystemTime(Date.now() + 61_000);
      expect(await ask()).toEqual({ name: 'answer' });
    } finally {
      kube.close();
    }
  },
);
