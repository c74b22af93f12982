import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { readCrds } from '../../cli/crds.ts';
import { createServingCertificate, systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { valid } from './contents.ts';
import { programPath, runProgram } from './program.ts';
import { openTestCluster } from './test-cluster.ts';
import { bundle, errorOf, statusOf } from './world.ts';

const patience = { timeoutMs: 60_000 };
const stack = new AsyncDisposableStack();
let folder = '';
let kubeconfig = '';
let kube: KubeClient;
afterAll(() => stack.disposeAsync());

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-processes-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const cluster = stack.use(await openTestCluster(folder));
  kubeconfig = cluster.kubeconfigPath ?? join(folder, 'kubeconfig');
  if (cluster.kubeconfigPath === undefined) stack.use(await startApiServer({ kubeconfigPath: kubeconfig }));
  kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rukpak-system' } };
  const crds = (await readCrds()) as unknown as KubeObject[];
  for (const object of [...crds, namespace]) await kube.apply(object, { fieldManager: 'test' });
  for (const { spec } of crds) {
    const kind = (spec as { names: { kind: string } }).names.kind;
    await eventually(async () => {
      kube.forgetKinds('core.rukpak.io/v1alpha1');
      await kube.resolve('core.rukpak.io/v1alpha1', kind);
    }, patience);
  }
}, 120_000);

/** Below the ports that systems give to whoever asks for any: nobody gets it between this look and its use. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Puts a new certificate, of a new authority, into a folder; gives the authority. */
async function renew(dir: string): Promise<string> {
  const serving = await createServingCertificate({ clock: systemClock, commonName: 'processes' });
  const { certificatePem, privateKeyPem, caBundlePem } = serving.current();
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'tls.crt'), certificatePem);
  await writeFile(join(dir, 'tls.key'), privateKeyPem);
  await writeFile(join(dir, 'ca.crt'), caBundlePem);
  return caBundlePem;
}

async function statusAt(port: number, path: string): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, agent: false }, (answer) =>
      resolve(answer.resume().statusCode),
    );
    call.once('error', reject).end();
  });
}

interface Started {
  readonly child: ChildProcess;
  readonly probePort: number;
  readonly tlsDir: string;
}

async function start(command: string, args: readonly string[]): Promise<Started> {
  const [probePort, tlsDir] = [await freePort(), join(folder, `tls-of-${command}`)];
  await renew(tlsDir);
  const shared = ['--kubeconfig', kubeconfig, '--tls-dir', tlsDir, '--log-level', 'error'];
  const probes = ['--health-probe-bind-address', `127.0.0.1:${probePort}`];
  const child = spawn(process.execPath, [programPath, command, ...shared, ...probes, ...args], { stdio: 'inherit' });
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await eventually(async () => expect(await statusAt(probePort, '/readyz')).toBe(200), patience);
  expect(await statusAt(probePort, '/healthz')).toBe(200);
  expect(await statusAt(probePort, '/metrics')).toBe(404);
  return { child, probePort, tlsDir };
}

async function authorityTold(): Promise<string> {
  const ref = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    name: 'rukpak-validating-webhook-configuration',
  };
  const [first] = (await kube.get(ref))['webhooks'] as { clientConfig: { caBundle: string } }[];
  return Buffer.from(first?.clientConfig.caBundle ?? '', 'base64').toString();
}

async function createDenied(name: string): Promise<string> {
  const spec = { repository: 'https://example.com/x', ref: { branch: 'main' }, directory: '../x' };
  const wrong = bundle(name, { type: 'git', git: spec });
  const failure = await errorOf(kube.create(wrong, { fieldManager: 'test', isDryRun: true }));
  return String(failure);
}

test('the controllers and the webhook run as processes of their own, and stop when they are told to', async () => {
  const contentPort = await freePort();
  const contentUrl = `https://127.0.0.1:${contentPort}`;
  const webhookPort = await freePort();
  const controllers = await start('controllers', [
    '--http-bind-address',
    `127.0.0.1:${contentPort}`,
    '--http-external-address',
    contentUrl,
    '--provisioner-storage-dir',
    join(folder, 'bundles'),
  ]);
  const webhook = await start('webhook', [
    '--bind-address',
    `127.0.0.1:${webhookPort}`,
    '--external-address',
    `https://127.0.0.1:${webhookPort}`,
    '--drain',
    '1',
  ]);

  await eventually(async () => expect(await createDenied('denied')).toContain('directory must define path'), patience);
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'content', namespace: 'rukpak-system' },
    immutable: true,
    data: Object.fromEntries(Object.entries(valid).map(([path, text]) => [path.replace('manifests/', ''), text])),
  };
  await kube.create(configMap, { fieldManager: 'test' });
  const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'content' }, path: 'manifests' }] };
  await kube.create(bundle('unpacked', source), { fieldManager: 'test' });
  const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'unpacked' };
  await eventually(async () => {
    const status = statusOf(await kube.get(ref));
    expect(status).toMatchObject({ phase: 'Unpacked', contentURL: `${contentUrl}/bundles/unpacked.tgz` });
  }, patience);
  const listed = await runProgram(process.execPath, [programPath, 'content', 'unpacked'], {
    env: { KUBECONFIG: kubeconfig },
  });
  expect(listed.stdout).toContain('manifests/');

  const authority = await renew(webhook.tlsDir);
  await eventually(async () => expect(await authorityTold()).toContain(authority), patience);
  await eventually(async () => expect(await createDenied('denied')).toContain('directory must define path'), patience);
  const contentAuthority = await renew(controllers.tlsDir);
  await eventually(async () => {
    const { data } = await kube.get({
      apiVersion: 'v1',
      kind: 'Secret',
      name: 'rukpak-ca',
      namespace: 'rukpak-system',
    });
    const { 'ca.crt': told } = data as Record<string, string>;
    expect(Buffer.from(told ?? '', 'base64').toString()).toBe(contentAuthority);
  }, patience);

  for (const { child } of [webhook, controllers]) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }
});

test.each([
  { args: ['controllers'], text: 'this process is no pod of a cluster (KUBERNETES_SERVICE_HOST is not set)' },
  { args: ['webhook', '--bind-address', '9443'], text: '--bind-address: expected [HOST]:PORT, found "9443"' },
])('$args says what is missing', async ({ args, text }) => {
  const printed = await runProgram(process.execPath, [programPath, ...args], { env: { KUBERNETES_SERVICE_HOST: '' } });
  expect(printed).toMatchObject({ code: 2, stdout: '' });
  expect(printed.stderr).toContain(text);
});

test('a folder without a certificate is named', async () => {
  const args = [
    'webhook',
    '--kubeconfig',
    kubeconfig,
    '--tls-dir',
    folder,
    '--health-probe-bind-address',
    '127.0.0.1:0',
  ];
  const printed = await runProgram(process.execPath, [programPath, ...args]);
  expect(printed.code).toBe(2);
  expect(printed.stderr).toContain(`--tls-dir ENOENT: no such file or directory, open '${join(folder, 'tls.crt')}'`);
});
