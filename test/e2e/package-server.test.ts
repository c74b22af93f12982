import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { readCrds, readOlmCrds } from '../../cli/client/index.ts';
import { createCertificateAuthority, createServingCertificate, systemClock } from '../../src/base/index.ts';
import { eventually, freePort } from '../support/index.ts';
import { programPath } from './program.ts';

const namespace = 'rukpak-system';
const path = '/apis/packages.operators.coreos.com/v1/namespaces/olm/packagemanifests';
const apiService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  name: 'v1.packages.operators.coreos.com',
};
const stack = new AsyncDisposableStack();
let server: ApiServer;
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
  const places = ['--kubeconfig', join(folder, 'kubeconfig'), '--provisioner-storage-dir', join(folder, name)];
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
  let next = 0;
  server = stack.use(
    await startApiServer({
      crds: [...(await readCrds()), ...(await readOlmCrds())] as never,
      kubeconfigPath: join(folder, 'kubeconfig'),
      // As a Service does: now the one, now the other.
      resolveService: () => ({ host: '127.0.0.1', port: packages[next++ % 2] ?? 0 }),
    }),
  );
  const { client } = server;
  for (const name of [namespace, 'olm'])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await client.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'packages', namespace },
    spec: { type: 'ExternalName', externalName: 'core.example.com' },
  });
  await client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'boats', namespace: 'olm' },
    data: { catalog: catalog.map((document) => JSON.stringify(document)).join('\n---\n') },
  });
  for (const [index, port] of packages.entries()) {
    const others = { 'health-probe': await freePort(), http: 0, catalogs: 0 };
    processes.push(await startProcess(`core-${index}`, { packages: port, ...others }));
  }
});

afterAll(() => stack.disposeAsync());

async function isServed(): Promise<number> {
  return (await server.client.request({ path })).status;
}

test('both replicas of the controllers serve PackageManifests, the one that leads has registered them', async () => {
  await server.client.until(apiService, (found) => JSON.stringify(found ?? '').includes('"Passed"'), {
    timeoutMs: 60_000,
  });
  await eventually(async () => {
    const statuses = [await isServed(), await isServed(), await isServed(), await isServed()];
    expect(statuses).toEqual([200, 200, 200, 200]);
  });
});

test('another authority of the API server counts without a restart', async () => {
  const ref = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication',
  };
  const key = 'requestheader-client-ca-file';
  const trust = (await server.client.get(ref)) as unknown as { data: Record<string, string> };
  const other = await createCertificateAuthority({ commonName: 'another', nowMs: Date.now(), lifetimeDays: 1 });
  await server.client.patch(ref, { data: { [key]: other.certificatePem } });
  await eventually(async () => expect(await isServed()).not.toBe(200));
  await server.client.patch(ref, { data: { [key]: trust.data[key] ?? null } });
  await eventually(async () => expect([await isServed(), await isServed()]).toEqual([200, 200]));
});

test('a certificate of its own for the Service is the one that is registered', async () => {
  for (const child of processes) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
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
  await server.client.until(apiService, (found) => JSON.stringify(found ?? '').includes(caBundle), {
    timeoutMs: 60_000,
  });
  await eventually(async () => expect([await isServed(), await isServed()]).toEqual([200, 200]));
});
