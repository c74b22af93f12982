import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificateAuthority, issueCertificate } from '../../src/base/index.ts';
import { freePort } from '../support/free-port.ts';
import type { ControlPlaneBinaries } from './binaries.ts';

/** A running real control plane. */
export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  /** YAML; the user is a cluster admin. */
  readonly kubeconfig: string;
  readonly hasControllers: boolean;
  /** Process numbers, for measuring memory. */
  readonly pids: { readonly etcd: number; readonly kubeApiServer: number };
  /** From the first process to ready. */
  readonly startMs: number;
}

export interface ControlPlaneOptions {
  /** Whether etcd waits for the disk at each write. Default false: tests need no durable data. */
  readonly durable?: boolean;
  /** Whether to start kube-controller-manager where it is there. Default true. */
  readonly controllers?: boolean;
  /** Path of the socket of an HTTP proxy (CONNECT) through which kube-apiserver reaches Services and webhooks. Default: none. */
  readonly clusterProxySocket?: string;
}

class Processes implements AsyncDisposable {
  readonly #children: { readonly child: ChildProcess; readonly name: string }[] = [];
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  async start(name: string, program: string, args: readonly string[]): Promise<number> {
    await using log = await open(join(this.dir, `${name}.log`), 'a');
    const child = spawn(program, args, { cwd: this.dir, stdio: ['ignore', log.fd, log.fd] });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    this.#children.push({ child, name });
    return child.pid ?? 0;
  }

  /** Throws with the end of its log when a process has ended. */
  async assertAlive(): Promise<void> {
    const dead = this.#children.find(({ child }) => child.exitCode !== null);
    if (dead === undefined) return;
    const log = await readFile(join(this.dir, `${dead.name}.log`), 'utf8');
    throw new Error(`${dead.name} ended with ${dead.child.exitCode}: ${log.slice(-1500)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
  }
}

function isReady(url: string, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(`${url}/readyz`, { ca, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
    asked.on('timeout', () => asked.destroy());
    asked.end();
  });
}

async function writeKeys(dir: string): Promise<{ ca: string; token: string }> {
  const nowMs = Date.now();
  const authority = await createCertificateAuthority({ commonName: 'test', nowMs, lifetimeDays: 2 });
  const names = { dnsNames: ['localhost', 'kubernetes.default.svc'], ipAddresses: ['127.0.0.1'] };
  const request = { commonName: 'kube-apiserver', usage: 'server' as const, nowMs, lifetimeDays: 2, ...names };
  const serving = await issueCertificate(authority, request);
  const proxyAuthority = await createCertificateAuthority({ commonName: 'front-proxy', nowMs, lifetimeDays: 2 });
  const proxyRequest = { commonName: 'front-proxy-client', usage: 'client' as const, nowMs, lifetimeDays: 2 };
  const proxy = await issueCertificate(proxyAuthority, proxyRequest);
  const tokenKey = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const token = randomBytes(16).toString('hex');
  const files: Readonly<Record<string, string>> = {
    'ca.crt': authority.certificatePem,
    'ca.key': authority.privateKeyPem,
    'serving.crt': serving.certificatePem,
    'serving.key': serving.privateKeyPem,
    'front-proxy-ca.crt': proxyAuthority.certificatePem,
    'front-proxy-client.crt': proxy.certificatePem,
    'front-proxy-client.key': proxy.privateKeyPem,
    'tokens.key': tokenKey.privateKey,
    'tokens.pub': tokenKey.publicKey,
    'tokens.csv': `${token},admin,admin,"system:masters"\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text, { mode: 0o600 });
  return { ca: authority.certificatePem, token };
}

function kubeconfigOf(url: string, ca: string, token: string): string {
  const caData = Buffer.from(ca).toString('base64');
  return `apiVersion: v1
kind: Config
clusters: [{name: real, cluster: {server: "${url}", certificate-authority-data: "${caData}"}}]
users: [{name: admin, user: {token: "${token}"}}]
contexts: [{name: real, context: {cluster: real, user: admin}}]
current-context: real
`;
}

function apiServerArgs(ports: { readonly etcd: number; readonly api: number }, hasControllers: boolean): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--cert-dir=certificates',
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.api}`,
    '--tls-cert-file=serving.crt',
    '--tls-private-key-file=serving.key',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    '--service-account-key-file=tokens.pub',
    '--service-account-signing-key-file=tokens.key',
    '--service-cluster-ip-range=10.96.0.0/12',
    '--token-auth-file=tokens.csv',
    '--authorization-mode=RBAC',
    '--client-ca-file=ca.crt',
    '--requestheader-client-ca-file=front-proxy-ca.crt',
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--proxy-client-cert-file=front-proxy-client.crt',
    '--proxy-client-key-file=front-proxy-client.key',
    '--allow-privileged=true',
    // Newer servers have it on, newer clients ask for it, and the embedded server serves it.
    '--feature-gates=WatchList=true',
    // Without kube-controller-manager the service accounts that this plug-in requires are missing.
    ...(hasControllers ? [] : ['--disable-admission-plugins=ServiceAccount']),
  ];
}

function egressConfiguration(udsName: string): string {
  const connection = { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName } } };
  const egressSelections = [{ name: 'cluster', connection }];
  const apiVersion = 'apiserver.k8s.io/v1beta1';
  return JSON.stringify({ apiVersion, kind: 'EgressSelectorConfiguration', egressSelections });
}

/** Arguments that send what goes into the cluster through the proxy. */
async function egressArgs(dir: string, socket: string | undefined): Promise<string[]> {
  if (socket === undefined) return [];
  await writeFile(join(dir, 'egress.json'), egressConfiguration(socket));
  return ['--egress-selector-config-file=egress.json'];
}

const managerArgs = [
  '--kubeconfig=kubeconfig',
  '--service-account-private-key-file=tokens.key',
  '--root-ca-file=ca.crt',
  '--cluster-signing-cert-file=ca.crt',
  '--cluster-signing-key-file=ca.key',
  '--leader-elect=false',
  '--secure-port=0',
  // Nodes of tests have no kubelet whose heartbeats could be missed: by default they turn Unknown after 50 seconds, on a busy machine in the midst of a test.
  '--node-monitor-grace-period=24h',
  '--kube-api-qps=500',
  '--kube-api-burst=1000',
];

/** Starts etcd, kube-apiserver and, where it is there, kube-controller-manager on free loopback ports, with their data in a temporary folder
 *  that goes when they are stopped. Ready within two minutes, or it throws with the end of a log. */
export async function startControlPlane(
  binaries: ControlPlaneBinaries,
  options: ControlPlaneOptions = {},
): Promise<ControlPlane> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'longshore-control-plane-'));
  stack.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const { ca, token } = await writeKeys(dir);
  const ports = { etcd: await freePort(), peer: await freePort(), api: await freePort() };
  const url = `https://127.0.0.1:${ports.api}`;
  const kubeconfig = kubeconfigOf(url, ca, token);
  await writeFile(join(dir, 'kubeconfig'), kubeconfig, { mode: 0o600 });
  await mkdir(join(dir, 'etcd'), { mode: 0o700 });
  const processes = stack.use(new Processes(dir));
  const startedMs = performance.now();
  const peer = `http://127.0.0.1:${ports.peer}`;
  const client = `http://127.0.0.1:${ports.etcd}`;
  const etcd = await processes.start('etcd', binaries.etcd, [
    '--data-dir=etcd',
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    ...(options.durable === true ? [] : ['--unsafe-no-fsync']),
  ]);
  const manager = options.controllers === false ? undefined : binaries.kubeControllerManager;
  const args = [...apiServerArgs(ports, manager !== undefined), ...(await egressArgs(dir, options.clusterProxySocket))];
  const kubeApiServer = await processes.start('kube-apiserver', binaries.kubeApiServer, args);
  while (!(await isReady(url, ca))) {
    await processes.assertAlive();
    if (performance.now() - startedMs > 120_000) throw new Error('kube-apiserver is not ready after two minutes');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const startMs = performance.now() - startedMs;
  if (manager !== undefined) await processes.start('kube-controller-manager', manager, managerArgs);
  const owned = stack.move();
  return {
    url,
    kubeconfig,
    hasControllers: manager !== undefined,
    pids: { etcd, kubeApiServer },
    startMs,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
