import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { readCrds } from '../../cli/client/crds.ts';
import { createServingCertificate, systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { Connection } from '../conformance/connection.ts';
import { eventually, freePort } from '../support/index.ts';
import { programPath } from './program.ts';
import { openTestCluster } from './test-cluster.ts';

const patience = { timeoutMs: 60_000 };

/** A process of the cluster that answered its probes. */
export interface OwnProcess {
  readonly child: ChildProcess;
  readonly probePort: number;
  readonly tlsDir: string;
}

/** A cluster with our kinds and the system namespace, and processes beside it. */
export interface OwnProcesses extends AsyncDisposable {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly kube: KubeClient;
  /** Starts `longshore <command>` with a certificate of its own; `name` distinguishes processes of one command. Ready when it resolves. */
  start(command: string, args: readonly string[], name?: string): Promise<OwnProcess>;
  /** The same, as another user, and with certificates that come from elsewhere. */
  startAs(kubeconfig: string, tlsDir: string, args: readonly string[]): Promise<OwnProcess>;
  /** A kubeconfig with nothing but a token of a service account of the system namespace, as it is mounted into its pods. */
  kubeconfigOf(account: string): Promise<string>;
  /** Makes the service account `reader`, which may read every path of our servers. */
  allowReader(): Promise<void>;
  /** What a process answers a service account of the system namespace; `anonymous` sends no token. */
  ask(process: OwnProcess, url: string, account?: string): Promise<Reply>;
}

/** An answer of a process of ours. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Puts a new certificate, of a new authority, into a folder; gives the authority. */
export async function renew(dir: string): Promise<string> {
  const serving = await createServingCertificate({ clock: systemClock, commonName: 'processes' });
  const { certificatePem, privateKeyPem, caBundlePem } = serving.current();
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'tls.crt'), certificatePem);
  await writeFile(join(dir, 'tls.key'), privateKeyPem);
  await writeFile(join(dir, 'ca.crt'), caBundlePem);
  return caBundlePem;
}

export async function statusAt(port: number, path: string): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, agent: false }, (answer) =>
      resolve(answer.resume().statusCode),
    );
    call.once('error', reject).end();
  });
}

async function allowReader(kube: KubeClient): Promise<void> {
  const [name, namespace] = ['reader', 'rukpak-system'];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader-of-everything' };
  const rbac = 'rbac.authorization.k8s.io/v1';
  const rules = [{ nonResourceURLs: ['*'], verbs: ['get'] }];
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const objects = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: roleRef.name }, rules },
    { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects },
  ];
  for (const object of objects) await kube.create(object, { fieldManager: 'test' });
}

async function tokenOf(kubeconfig: string, account: string): Promise<string> {
  using connection = new Connection(await readFile(kubeconfig, 'utf8'));
  const answer = await connection.ask({
    method: 'POST',
    path: `/api/v1/namespaces/rukpak-system/serviceaccounts/${account}/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
  });
  return (answer.body as { status: { token: string } }).status.token;
}

async function kubeconfigOf({ kubeconfig, folder }: Pick<OwnProcesses, 'kubeconfig' | 'folder'>, account: string) {
  const admin = await readFile(kubeconfig, 'utf8');
  const token = await tokenOf(kubeconfig, account);
  const [, server] = /server: ["']?([^"'\s,}]+)/.exec(admin) ?? [];
  const [, ca] = /certificate-authority-data: ["']?([^"'\s,}]+)/.exec(admin) ?? [];
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const file = join(folder, `${account}.kubeconfig`);
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

async function fetchText(url: string, ca: Buffer, token: string | undefined): Promise<Reply> {
  return await new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const call = requestOverTls(url, { ca, headers, agent: false }, (reply) => {
      let text = '';
      reply.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      reply.once('end', () => resolve({ status: reply.statusCode ?? 0, text }));
    });
    call.once('error', reject).end();
  });
}

/** Kills a process that still runs. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function prepare(kube: KubeClient): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rukpak-system' } };
  const crds = (await readCrds()) as unknown as KubeObject[];
  for (const object of [...crds, namespace]) await kube.apply(object, { fieldManager: 'test' });
  for (const { spec } of crds) {
    const { group, names, versions } = spec as { group: string; names: { kind: string }; versions: { name: string }[] };
    const version = `${group}/${versions[0]?.name}`;
    await eventually(async () => {
      kube.forgetKinds(version);
      await kube.resolve(version, names.kind);
    }, patience);
  }
}

/** Opens a cluster of its own, embedded or real, that nothing of ours runs on yet; `isBare`: without our kinds and namespace, too. */
export async function openOwnProcesses({ isBare = false }: { readonly isBare?: boolean } = {}): Promise<OwnProcesses> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-processes-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const cluster = stack.use(await openTestCluster(folder));
  const kubeconfig = cluster.kubeconfigPath ?? join(folder, 'kubeconfig');
  if (cluster.kubeconfigPath === undefined) stack.use(await startApiServer({ kubeconfigPath: kubeconfig }));
  const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  if (!isBare) await prepare(kube);
  const owned = stack.move();
  const startAs = async (asKubeconfig: string, tlsDir: string, args: readonly string[]): Promise<OwnProcess> => {
    const probePort = await freePort();
    const shared = ['--kubeconfig', asKubeconfig, '--tls-dir', tlsDir, '--log-level', 'error'];
    const probes = ['--health-probe-bind-address', `127.0.0.1:${probePort}`];
    // Beside other processes on this machine.
    const isApart = args[0] !== 'controllers' || args.includes('--catalogs-bind-address');
    const ports = isApart ? probes : [...probes, '--catalogs-bind-address', '127.0.0.1:0'];
    const child = spawn(process.execPath, [programPath, ...args, ...shared, ...ports], { stdio: 'inherit' });
    owned.defer(() => kill(child));
    await eventually(async () => expect(await statusAt(probePort, '/readyz')).toBe(200), patience);
    expect(await statusAt(probePort, '/healthz')).toBe(200);
    expect(await statusAt(probePort, '/metrics')).toBe(404);
    return { child, probePort, tlsDir };
  };
  return {
    folder,
    kubeconfig,
    kube,
    startAs,
    start: async (command, args, name = command) => {
      const tlsDir = join(folder, `tls-of-${name}`);
      await renew(tlsDir);
      return await startAs(kubeconfig, tlsDir, [command, ...args]);
    },
    kubeconfigOf: (account) => kubeconfigOf({ kubeconfig, folder }, account),
    allowReader: () => allowReader(kube),
    ask: async ({ tlsDir }, url, account = 'reader') => {
      const token = account === 'anonymous' ? undefined : await tokenOf(kubeconfig, account);
      return await fetchText(url, await readFile(join(tlsDir, 'ca.crt')), token);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
