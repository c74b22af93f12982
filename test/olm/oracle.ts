import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, freePort } from '../support/index.ts';
import type { OlmBinaries } from './binaries.ts';
import { openCluster, type ScenarioCluster } from './cluster.ts';
import type { Implementation } from './scenario.ts';

/** OLM corrects some things on its resync alone. It takes minutes by default. */
const resync = '2s';
/** Longer than two resyncs: what it corrects only then is not missed. */
const quietMs = 8_000;
/** A state that is not reached by then is taken as never reached. */
const stateLimitMs = 120_000;

interface Program extends AsyncDisposable {
  readonly metricsUrl: string;
  assertAlive(): Promise<void>;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function startProgram(folder: string, path: string, args: readonly string[]): Promise<Program> {
  const address = `127.0.0.1:${await freePort()}`;
  const logPath = join(folder, `${path.replace(/.*\//, '')}.log`);
  await using log = await open(logPath, 'a');
  const kubeconfig = join(folder, 'kubeconfig');
  const operator = { OPERATOR_NAMESPACE: 'olm', OPERATOR_NAME: 'olm-operator' };
  const child = spawn(path, args, {
    cwd: folder,
    env: { ...process.env, ...operator, KUBECONFIG: kubeconfig, METRICS_ADDRESS: address },
    stdio: ['ignore', log.fd, log.fd],
  });
  await once(child, 'spawn');
  return {
    metricsUrl: `http://${address}/metrics`,
    assertAlive: async () => {
      if (child.exitCode === null && child.signalCode === null) return;
      throw new Error(`${path} ended with ${child.exitCode}: ${(await readFile(logPath, 'utf8')).slice(-1500)}`);
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

async function metricsOf(program: Program): Promise<string> {
  await program.assertAlive();
  const response = await fetch(program.metricsUrl, { signal: AbortSignal.timeout(10_000) });
  return await response.text();
}

/** The processes of OLM. */
export interface Programs extends AsyncDisposable {
  metrics(): Promise<string>;
  assertAlive(): Promise<void>;
}

function packageServerArguments({ kubeconfigPath, packageServerPort, folder }: ScenarioCluster): string[] {
  const port = ['--secure-port', String(packageServerPort), '--bind-address', '127.0.0.1', '--cert-dir', folder];
  const access = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  const kubeconfigs = access.flatMap((flag) => [`--${flag}`, kubeconfigPath]);
  return [...port, ...kubeconfigs, '--global-namespace', 'olm', '--interval', resync];
}

/** Starts the operators of OLM, and its package server. */
export async function startPrograms(binaries: OlmBinaries, cluster: ScenarioCluster): Promise<Programs> {
  await using stack = new AsyncDisposableStack();
  const { folder } = cluster;
  const status = ['--writeStatusName', ''];
  const olmArgs = ['--interval', resync, '--writePackageServerStatusName', '', ...status];
  const olm = stack.use(await startProgram(folder, binaries.olm, olmArgs));
  const catalogArgs = ['--namespace', 'olm', '--interval', resync, '--install-plan-retry-timeout', '5s', ...status];
  const catalog = stack.use(await startProgram(folder, binaries.catalog, catalogArgs));
  const packages = stack.use(await startProgram(folder, binaries.packageServer, packageServerArguments(cluster)));
  const metrics = async (): Promise<string> => (await Promise.all([olm, catalog].map(metricsOf))).join('');
  await eventually(metrics);
  const owned = stack.move();
  return {
    metrics,
    assertAlive: async () => {
      for (const program of [olm, catalog, packages]) await program.assertAlive();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Starts the real OLM on a cluster of its own. */
export async function startOracle(binaries: OlmBinaries): Promise<Implementation> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await openCluster(binaries.crds, { isPackageServerRegistered: true }));
  let programs = await startPrograms(binaries, cluster);
  stack.defer(() => programs[Symbol.asyncDispose]());
  await eventually(async () => {
    const text = JSON.stringify(await cluster.read('/apis/packages.operators.coreos.com/v1'));
    if (!text.includes('packagemanifests')) throw new Error(`the package server does not answer: ${text}`);
  });
  const owned = stack.move();
  return {
    kubeconfigPath: cluster.kubeconfigPath,
    quietMs,
    stateLimitMs,
    read: (path) => cluster.read(path),
    metrics: () => programs.metrics(),
    restart: async () => {
      await programs[Symbol.asyncDispose]();
      programs = await startPrograms(binaries, cluster);
    },
    assertAlive: () => programs.assertAlive(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
