/** @module-tag long */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCrds, readOlmCrds } from '../../cli/client/index.ts';
import { createCertificateAuthority, createServingCertificate, systemClock } from '../../src/base/index.ts';
import {
  createKubeClient,
  isKubeError,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from '../../src/kube/index.ts';
import { eventually, freePort } from '../support/index.ts';
import { programPath } from './program.ts';
import { startServiceNetwork } from './service-network.ts';
import { isRealCluster, openTestCluster } from './test-cluster.ts';

const namespace = 'rukpak-system';
const manifests = {
  apiVersion: 'packages.operators.coreos.com/v1',
  kind: 'PackageManifest',
  plural: 'packagemanifests',
  namespace: 'olm',
};
const user = { fieldManager: 'test' };
const apiService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  name: 'v1.packages.operators.coreos.com',
};
const stack = new AsyncDisposableStack();
let kube: KubeClient;
let kubeconfigPath: string;
let folder: string;
let packages: readonly number[];
const processes: ChildProcess[] = [];

const catalog = [
  { schema: 'olm.package', name: 'boat', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'boat', name: 'stable', entries: [{ name: 'boat.v1.0.0' }] },
  {
    schema: 'olm.bundle',
    package: 'boat',
    name: 'boat.v1.0.0',
    image: 'registry.example/boat:v1',
    properties: [{ type: 'olm.package', value: { packageName: 'boat', version: '1.0.0' } }],
  },
];

async function startProcess(
  name: string,
  ports: Readonly<Record<string, number>>,
  more: readonly string[] = [],
): Promise<ChildProcess> {
  const addresses = Object.entries(ports).flatMap(([option, port]) => [
    `--${option}-bind-address`,
    `127.0.0.1:${port}`,
  ]);
  const args = [
    'controllers',
    '--olm',
    '--leader-elect',
    '--pod-name',
    name,
    '--issue-certificates',
    '--log-level',
    'warn',
  ];
  const places = ['--kubeconfig', kubeconfigPath, '--provisioner-storage-dir', join(folder, name)];
  const all = [...args, ...places, ...addresses, ...more];
  const child = spawn(process.execPath, [programPath, ...all], { stdio: 'inherit' });
  stack.defer(() => {
    child.kill('SIGKILL');
  });
  await Promise.resolve();
  return child;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-packages-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  packages = [await freePort(), await freePort()];
  const network = stack.use(await startServiceNetwork());
  network.leadTo(packages);
  const cluster = stack.use(await openTestCluster(folder, network));
  kubeconfigPath = cluster.kubeconfigPath ?? '';
  kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfigPath }), clock: systemClock });
  stack.defer(() => kube.close());
  for (const crd of [...(await readCrds()), ...(await readOlmCrds())]) {
    await kube.apply(crd as unknown as KubeObject, user);
  }
  for (const name of [namespace, 'olm'])
    await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
  const ports = [{ name: 'https', port: 443 }];
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'packages', namespace },
    spec: { type: 'ExternalName', externalName: 'core.example.com', ports },
  };
  await kube.create(service as unknown as KubeObject, user);
  const data = { catalog: catalog.map((document) => JSON.stringify(document)).join('\n---\n') };
  const boats = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'boats', namespace: 'olm' }, data };
  await kube.create(boats as unknown as KubeObject, user);
  for (const [index, port] of packages.entries()) {
    const others = { 'health-probe': await freePort(), http: 0, catalogs: 0 };
    processes.push(await startProcess(`core-${index}`, { packages: port, ...others }));
  }
});

afterAll(() => stack.disposeAsync());

async function isServed(): Promise<number> {
  try {
    await kube.list(manifests);
    return 200;
  } catch (thrown) {
    return isKubeError(thrown) ? thrown.failure.status : 0;
  }
}

async function untilRegistered(text: string): Promise<void> {
  const patience = { timeoutMs: 60_000 };
  await eventually(async () => expect(JSON.stringify(await kube.get(apiService))).toContain(text), patience);
}

describe('PackageManifests of two replicas', { shuffle: false }, () => {
  test('both replicas of the controllers serve PackageManifests, the one that leads has registered them', async () => {
    await untilRegistered('"Passed"');
    await eventually(async () => {
      const statuses = [await isServed(), await isServed(), await isServed(), await isServed()];
      expect(statuses).toEqual([200, 200, 200, 200]);
    });
  });

  // A real API server corrects its ConfigMap.
  test.skipIf(isRealCluster)('another authority of the API server counts without a restart', async () => {
    const ref = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'kube-system',
      name: 'extension-apiserver-authentication',
    };
    const key = 'requestheader-client-ca-file';
    const trust = (await kube.get(ref)) as unknown as { data: Record<string, string> };
    const other = await createCertificateAuthority({ commonName: 'another', nowMs: Date.now(), lifetimeDays: 1 });
    await kube.patch(ref, { data: { [key]: other.certificatePem } }, user);
    await eventually(async () => expect(await isServed()).not.toBe(200));
    await kube.patch(ref, { data: { [key]: trust.data[key] ?? null } }, user);
    await eventually(async () => expect([await isServed(), await isServed()]).toEqual([200, 200]));
  });

  test('a certificate of its own for the Service is the one that is registered', async () => {
    for (const child of processes) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    }
    const dir = join(folder, 'packages');
    await mkdir(dir);
    const dnsNames = [`packages.${namespace}.svc`];
    const serving = await createServingCertificate({ clock: systemClock, commonName: 'packages', dnsNames });
    const { certificatePem, privateKeyPem, caBundlePem } = serving.current();
    const files = { 'tls.crt': certificatePem, 'tls.key': privateKeyPem, 'ca.crt': caBundlePem };
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
    for (const [index, port] of packages.entries()) {
      const others = { 'health-probe': await freePort(), http: 0, catalogs: 0 };
      await startProcess(`other-${index}`, { packages: port, ...others }, ['--packages-tls-dir', dir]);
    }
    const caBundle = Buffer.from(caBundlePem).toString('base64');
    await untilRegistered(caBundle);
    await eventually(async () => expect([await isServed(), await isServed()]).toEqual([200, 200]));
  });
});
