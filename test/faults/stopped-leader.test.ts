import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseYaml } from '../../src/base/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { type OwnProcess, type OwnProcesses, openOwnProcesses, renew } from '../e2e/own-processes.ts';
import { bundleDeployment, conditionOf } from '../e2e/world.ts';
import { eventually, freePort } from '../support/index.ts';

const patience = { timeoutMs: 90_000 };
const deployments = 8;
const leaseRef = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  name: 'core.rukpak.io',
  namespace: 'rukpak-system',
};
const stack = new AsyncDisposableStack();
let world: OwnProcesses;
let kube: KubeClient;

interface ClusterDocument {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

/** Stands before the API server, gives every request a connection of its own, and notes what is written. */
class Recorder {
  readonly writes: string[] = [];
  #url = '';

  async open(): Promise<void> {
    const text = await readFile(world.kubeconfig, 'utf8');
    const { clusters, users } = parseYaml('the kubeconfig', text) as unknown as ClusterDocument;
    const [cert, key] = ['certificate', 'key'].map((part) =>
      Buffer.from(users[0].user[`client-${part}-data`] ?? '', 'base64'),
    );
    const agent = new Agent({ rejectUnauthorized: false, keepAlive: true, cert, key });
    stack.defer(() => agent.destroy());
    const handle = (asked: IncomingMessage, reply: ServerResponse): void => {
      const { method = '', url = '' } = asked;
      if (method !== 'GET' && !/leases|authorization|authentication/.test(url)) this.writes.push(`${method} ${url}`);
      const passed = request(
        `${clusters[0].cluster.server}${url}`,
        { method, headers: asked.headers, agent },
        (answer) => {
          reply.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: 'close' });
          answer.pipe(reply);
        },
      );
      passed.on('error', () => reply.destroy());
      reply.on('close', () => passed.destroy());
      asked.pipe(passed);
    };
    const server = createServer(handle).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stack.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async kubeconfig(name: string): Promise<string> {
    const path = join(world.folder, `kubeconfig-of-${name}`);
    const document = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: this.#url } }],
      users: [{ name: 'u', user: {} }],
    };
    await writeFile(path, JSON.stringify(document));
    return path;
  }
}

beforeAll(async () => {
  world = stack.use(await openOwnProcesses());
  ({ kube } = world);
}, 120_000);

afterAll(async () => {
  await stack.disposeAsync();
});

async function holder(): Promise<string> {
  const { holderIdentity = '' } = (await kube.get(leaseRef))['spec'] as { readonly holderIdentity?: string };
  if (holderIdentity === '') throw new Error('no leader');
  return holderIdentity;
}

async function startReplica(name: string, kubeconfig: string): Promise<OwnProcess> {
  const tlsDir = join(world.folder, `tls-of-${name}`);
  await renew(tlsDir);
  const port = await freePort();
  const address = ['--http-bind-address', `127.0.0.1:${port}`, '--http-external-address', `https://127.0.0.1:${port}`];
  const store = ['--provisioner-storage-dir', join(world.folder, `bundles-of-${name}`)];
  const election = ['--leader-elect', '--leader-elect-lease-duration', '6'];
  return await world.startAs(kubeconfig, tlsDir, ['controllers', ...address, ...store, ...election]);
}

async function createDeployment(name: string): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { a: 'b' } };
  const metadata = { name: `content-of-${name}`, namespace: 'rukpak-system' };
  const data = { 'object.yaml': JSON.stringify(object) };
  await kube.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true, data }, { fieldManager: 'test' });
  const configMaps = [{ configMap: { name: metadata.name }, path: 'manifests' }];
  await kube.create(bundleDeployment(name, { type: 'configMaps', configMaps }), { fieldManager: 'test' });
}

test('a leader that is suspended, and resumes after another one has taken over, writes nothing', async () => {
  const recorder = new Recorder();
  await recorder.open();
  const old = await startReplica('old', await recorder.kubeconfig('old'));
  const first = await eventually(holder, patience);
  await startReplica('new', world.kubeconfig);
  const names = Array.from({ length: deployments }, (_, index) => `app-${index}`);
  const before = recorder.writes.length;
  await Promise.all(names.map(createDeployment));
  await eventually(() => expect(recorder.writes.length).toBeGreaterThan(before + deployments), patience);
  old.child.kill('SIGSTOP');
  await eventually(async () => expect(await holder()).not.toBe(first), patience);
  const known = recorder.writes.length;
  const ended = once(old.child, 'exit');
  old.child.kill('SIGCONT');
  expect(await ended).toEqual([1, null]);
  expect(recorder.writes.slice(known)).toEqual([]);
  await eventually(async () => {
    for (const name of names) {
      const found = await kube.get({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name });
      expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'True' });
    }
  }, patience);
});
