import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../apiserver/index.ts';
import { systemClock } from '../../src/base/index.ts';
import type { GoPrograms } from '../support/go-programs.ts';
import { eventually, freePort, loopbackCertificate, startRegistry } from '../support/index.ts';
import type { Implementation } from './scenario.ts';

/** Its retries of what failed come later and later; the states between them do not change. */
const quietMs = 4_000;
const stateLimitMs = 60_000;
const gates = 'SingleOwnNamespaceInstallSupport=true,DeploymentConfig=true';

interface Program extends AsyncDisposable {
  assertAlive(): Promise<void>;
  readonly pid: number | undefined;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function startProgram(
  path: string,
  args: readonly string[],
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): Promise<Program> {
  const logPath = join(folder, `${path.replace(/.*\//, '')}.log`);
  await using log = await open(logPath, 'a');
  const child = spawn(path, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', log.fd, log.fd],
  });
  await once(child, 'spawn');
  return {
    pid: child.pid,
    assertAlive: async () => {
      if (child.exitCode === null && child.signalCode === null) return;
      throw new Error(`${path} ended with ${child.exitCode}: ${(await readFile(logPath, 'utf8')).slice(-1500)}`);
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** A token names the service account of the program; it is not verified. */
function tokenOf(name: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'none' }), part({ sub: `system:serviceaccount:olmv1-system:${name}` }), ''].join('.');
}

/** operator-controller and catalogd, running. */
export interface RealOlm extends AsyncDisposable {
  readonly pids: readonly number[];
  assertAlive(): Promise<void>;
}

/** Starts both on the cluster of a kubeconfig, with files in `folder`. */
export async function startPrograms(
  { pathOf }: GoPrograms,
  { folder, kubeconfigPath, registryHost }: { folder: string; kubeconfigPath: string; registryHost: string },
): Promise<RealOlm> {
  await using stack = new AsyncDisposableStack();
  const { caPem, tls } = await loopbackCertificate();
  await mkdir(join(folder, 'cas'), { recursive: true });
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  await writeFile(join(folder, 'cas/ca.crt'), caPem);
  await writeFile(cert, tls.certificatePem);
  await writeFile(key, tls.privateKeyPem);
  await writeFile(join(folder, 'token'), tokenOf('controller'));
  await writeFile(join(folder, 'registries.conf'), `[[registry]]\nlocation = "${registryHost}"\ninsecure = true\n`);
  const env = {
    KUBECONFIG: kubeconfigPath,
    SERVICE_ACCOUNT_TOKEN_FILE: join(folder, 'token'),
    CONTAINERS_REGISTRIES_CONF: join(folder, 'registries.conf'),
  };
  const [catalogs, webhook] = [await freePort(), await freePort()];
  const metrics = async (): Promise<string[]> => ['--metrics-bind-address', `127.0.0.1:${await freePort()}`];
  const shared = ['--health-probe-bind-address', '0', '--system-namespace', 'olmv1-system'];
  const keys = ['--tls-cert', cert, '--tls-key', key];
  const common = [...shared, ...keys];
  const catalogArgs = [
    '--catalogs-server-addr',
    `127.0.0.1:${catalogs}`,
    '--external-address',
    `127.0.0.1:${catalogs}`,
  ];
  const catalogPlaces = ['--webhook-server-port', String(webhook), '--cache-dir', join(folder, 'catalogd')];
  const catalogd = stack.use(
    await startProgram(pathOf('catalogd'), [...common, ...(await metrics()), ...catalogArgs, ...catalogPlaces], {
      folder,
      env,
    }),
  );
  const caches = ['--cache-path', join(folder, 'operator-controller'), '--catalogd-cas-dir', join(folder, 'cas')];
  const controller = stack.use(
    await startProgram(
      pathOf('operator-controller'),
      [...common, ...(await metrics()), '--feature-gates', gates, ...caches],
      { folder, env },
    ),
  );
  const owned = stack.move();
  return {
    pids: [catalogd.pid, controller.pid].filter((pid) => pid !== undefined),
    assertAlive: async () => {
      await catalogd.assertAlive();
      await controller.assertAlive();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Starts the real programs on an embedded API server of their own, with a registry. */
export async function startOracle(binaries: GoPrograms): Promise<Implementation> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-extensions-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const registry = stack.use(await startRegistry());
  const kubeconfigPath = join(folder, 'kubeconfig');
  const server = stack.use(await startApiServer({ crds: binaries.crds, clock: systemClock, kubeconfigPath }));
  await server.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olmv1-system' } });
  await eventually(() => server.client.request({ path: '/apis/olm.operatorframework.io/v1/clusterextensions' }));
  const places = { folder, kubeconfigPath, registryHost: registry.host };
  let programs = await startPrograms(binaries, places);
  stack.defer(() => programs[Symbol.asyncDispose]());
  const owned = stack.move();
  return {
    kubeconfigPath,
    registry,
    quietMs,
    stateLimitMs,
    restart: async () => {
      await programs[Symbol.asyncDispose]();
      programs = await startPrograms(binaries, places);
    },
    assertAlive: () => programs.assertAlive(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
