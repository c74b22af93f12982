import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createKubeClient, isNotFound, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { eventually } from '../../test/support/index.ts';
import { connectSpdy } from '../../test/support/spdy-client.ts';
import { webhookConfigurations } from '../../webhook/index.ts';
import { readCrds } from '../client/index.ts';
import { parseOptions } from '../command/options.ts';
import { readConfig, upOptions } from '../settings/up.ts';
import { startPlatform } from './platform.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Starts a platform and, as soon as its API server answers, creates a Bundle that only the webhook refuses. What came of that. */
async function writeEarly(dataDir: string): Promise<unknown> {
  const config = readConfig(parseOptions(upOptions, ['--data-dir', dataDir], {}).values);
  let early: Promise<unknown> = Promise.resolve('not tried');
  const create = async (): Promise<unknown> => {
    const kube = createKubeClient({
      access: await loadClusterAccess({ path: join(dataDir, 'kubeconfig') }),
      clock: systemClock,
    });
    const source = { type: 'image', image: { ref: 'Not An Image' } };
    const bundle = {
      apiVersion: 'core.rukpak.io/v1alpha1',
      kind: 'Bundle',
      metadata: { name: 'early' },
      spec: { provisionerClassName: 'core-rukpak-io-plain', source },
    };
    try {
      return await kube.create(bundle, { fieldManager: 'test' });
    } catch (thrown) {
      return thrown;
    } finally {
      kube.close();
    }
  };
  const onStep = (line: string): void => {
    if (line.startsWith('Kubernetes API on')) early = create();
  };
  await using _platform = await startPlatform(config, { log: silentLogger(), onStep });
  return await early;
}

test('what is written before the webhook listens waits for it, at the first start and after a restart', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'longshore-early-'));
  folders.push(dataDir);
  for (const _start of ['first', 'second']) {
    const message = expect.stringMatching(/admission webhook "vbundles.core.rukpak.io" denied the request/) as string;
    expect(await writeEarly(dataDir)).toMatchObject({ message });
  }
});

/** Versions of what a start registers on its own cluster. */
async function registeredVersions(dataDir: string): Promise<readonly string[]> {
  const config = readConfig(parseOptions(upOptions, ['--data-dir', dataDir], {}).values);
  await using platform = await startPlatform(config, { log: silentLogger() });
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const { kube } = platform;
  const lists = await Promise.all([
    kube.list({ apiVersion, kind: 'ValidatingWebhookConfiguration' }),
    kube.list({ apiVersion, kind: 'MutatingWebhookConfiguration' }),
    kube.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'rukpak-system' }),
  ]);
  return lists.flatMap(({ items }) => items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`));
}

test('a restart changes nothing of what is registered, for which a full disk may have no room', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'longshore-again-'));
  folders.push(dataDir);
  const first = await registeredVersions(dataDir);
  expect(first.map((line) => line.split(' ')[0])).toEqual(
    expect.arrayContaining(['rukpak-validating-webhook-configuration', 'rukpak-ca']),
  );
  expect(await registeredVersions(dataDir)).toEqual(first);
});

/** What the Service `core` leads to, and what a client of port-forward is answered by the content server behind it. */
async function contentThroughPod(dataDir: string, args: readonly string[]): Promise<readonly [unknown, string]> {
  const config = readConfig(parseOptions(upOptions, ['--data-dir', dataDir, ...args], {}).values);
  await using platform = await startPlatform(config, { log: silentLogger() });
  const { kube, apiServer } = platform;
  const namespace = 'rukpak-system';
  const endpoints = { apiVersion: 'v1', kind: 'Endpoints', namespace, name: 'core' };
  const expected = {
    addresses: [
      expect.objectContaining({ targetRef: expect.objectContaining({ kind: 'Pod', name: 'core' }) as unknown }),
    ],
    ports: [{ name: 'https', port: 8443, protocol: 'TCP' }],
  };
  await eventually(async () => expect((await kube.get(endpoints))['subsets']).toEqual([expected]));
  const url = `${apiServer?.url}/api/v1/namespaces/${namespace}/pods/core/portforward`;
  using client = await connectSpdy({ url, token: apiServer?.adminToken ?? '' });
  const forwarded = await client.open(8443);
  const port = Number(new URL(platform.contentUrl).port);
  // A plain request to a TLS server: it is the content server that hangs up.
  client.send(forwarded, Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  await eventually(() => expect(forwarded.ends).toContain('data fin'));
  return [port, forwarded.error];
}

test.each([[[]], [['--no-simulate']]])(
  'port-forward to the Service core reaches the content server, after a restart on another port too (%j)',
  async (args) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'longshore-forward-'));
    folders.push(dataDir);
    const [first, firstError] = await contentThroughPod(dataDir, args);
    await rm(join(dataDir, 'content-port'));
    const [second, secondError] = await contentThroughPod(dataDir, args);
    expect([firstError, secondError]).toEqual(['', '']);
    expect(second).not.toBe(first);
  },
);

test('an invalid settings file leaves no webhook configuration without a server on the cluster', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-platform-'));
  const path = join(folder, 'kubeconfig');
  try {
    await using _server = await startApiServer({ simulation: false, kubeconfigPath: path });
    const args = ['--cluster', path, '--image-policy', join(folder, 'absent.yaml')];
    const config = readConfig(parseOptions(upOptions, args, {}).values);
    await expect(startPlatform(config, { log: silentLogger() })).rejects.toThrow('--image-policy');
    const kube = createKubeClient({ access: await loadClusterAccess({ path }), clock: systemClock });
    const kind = 'ValidatingWebhookConfiguration';
    expect((await kube.list({ apiVersion: 'admissionregistration.k8s.io/v1', kind })).items).toEqual([]);
    kube.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a start on a cluster that fails later restores the webhook configurations that it has changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-platform-'));
  const path = join(folder, 'kubeconfig');
  const other = createServer();
  try {
    await using _server = await startApiServer({ simulation: false, kubeconfigPath: path });
    const kube = createKubeClient({ access: await loadClusterAccess({ path }), clock: systemClock });
    const service = { namespace: 'rukpak-system', name: 'rukpak-webhook-service', port: 443 };
    const [installed] = webhookConfigurations({ address: { service }, systemNamespace: 'rukpak-system' });
    if (installed === undefined) throw new Error('there are no configurations');
    await kube.apply(installed, { fieldManager: 'longshore' });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const taken = String((other.address() as AddressInfo).port);
    const config = readConfig(parseOptions(upOptions, ['--cluster', path, '--content-port', taken], {}).values);
    await expect(startPlatform(config, { log: silentLogger() })).rejects.toThrow(/EADDRINUSE|in use/);
    const kind = 'ValidatingWebhookConfiguration';
    const { items } = await kube.list({ apiVersion: 'admissionregistration.k8s.io/v1', kind });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([installed.metadata.name]);
    expect(items[0]).toMatchObject({ webhooks: installed.webhooks });
    kube.close();
  } finally {
    other.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('on an external cluster PackageManifests are served as long as the process runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-packages-'));
  folders.push(folder);
  const kubeconfigPath = join(folder, 'kubeconfig');
  // As another `longshore up` has brought them.
  const crds = (await readCrds()) as unknown as KubeObject[];
  await using _server = await startApiServer({ kubeconfigPath, crds });
  const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfigPath }), clock: systemClock });
  using stack = new DisposableStack();
  stack.defer(() => kube.close());
  const apiService = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    name: 'v1.packages.operators.coreos.com',
  };
  const service = { apiVersion: 'v1', kind: 'Service', namespace: 'rukpak-system', name: 'packageserver' };
  const config = readConfig(parseOptions(upOptions, ['--cluster', kubeconfigPath, '--olm'], {}).values);
  {
    await using _platform = await startPlatform(config, { log: silentLogger() });
    const list = { apiVersion: 'packages.operators.coreos.com/v1', kind: 'PackageManifest', namespace: 'default' };
    await eventually(async () => expect((await kube.list(list)).items).toEqual([]));
    expect((await kube.get(service))['spec']).toMatchObject({ type: 'ExternalName', externalName: 'localhost' });
  }
  for (const ref of [apiService, service]) await expect(kube.get(ref)).rejects.toSatisfy(isNotFound);
});

test('on an external cluster kinds of another program are left to it, and a start that would reconcile them is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-others-'));
  folders.push(folder);
  const kubeconfigPath = join(folder, 'kubeconfig');
  await using _server = await startApiServer({ kubeconfigPath });
  const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfigPath }), clock: systemClock });
  using stack = new DisposableStack();
  stack.defer(() => kube.close());
  const definitions = (await readCrds()) as unknown as KubeObject[];
  const theirs = definitions.find(({ metadata }) => metadata.name === 'clusterextensions.olm.operatorframework.io');
  if (theirs === undefined) throw new Error('there is no definition');
  const { object: before } = await kube.apply(theirs, { fieldManager: 'operator-controller' });
  const args = ['--cluster', kubeconfigPath];
  const start = (given: readonly string[]): ReturnType<typeof startPlatform> =>
    startPlatform(readConfig(parseOptions(upOptions, given, {}).values), { log: silentLogger() });
  await expect(start(args)).rejects.toThrow('leave them to it with --no-cluster-catalogs; nothing was changed');
  const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  expect((await kube.list(kind)).items.map(({ metadata }) => metadata.name)).toEqual([theirs.metadata.name]);
  await using _platform = await start([...args, '--no-cluster-catalogs']);
  const after = await kube.get({ ...kind, name: theirs.metadata.name ?? '' });
  expect(after['spec']).toEqual(before['spec']);
  const managers = (after.metadata.managedFields ?? []).map(({ manager }) => manager);
  expect(managers).not.toContain('longshore');
});
