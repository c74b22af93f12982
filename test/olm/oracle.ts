import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../apiserver/index.ts';
import { eventually, freePort } from '../support/index.ts';
import type { OlmBinaries } from './binaries.ts';
import type { Implementation } from './scenario.ts';

/** OLM corrects some things on its resync alone. It takes minutes by default. */
const resync = '2s';

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

async function startProgram(dir: string, path: string, args: readonly string[]): Promise<Program> {
  const address = `127.0.0.1:${await freePort()}`;
  const logPath = join(dir, `${path.replace(/.*\//, '')}.log`);
  await using log = await open(logPath, 'a');
  const kubeconfig = join(dir, 'kubeconfig');
  const operator = { OPERATOR_NAMESPACE: 'olm', OPERATOR_NAME: 'olm-operator' };
  const child = spawn(path, args, {
    cwd: dir,
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

/** Starts the real OLM on an embedded API server, whose simulation makes Deployments available. */
export async function startOracle(binaries: OlmBinaries): Promise<Implementation> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'longshore-olm-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const kubeconfigPath = join(dir, 'kubeconfig');
  const server = stack.use(await startApiServer({ crds: binaries.crds, kubeconfigPath }));
  await server.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
  const status = ['--writeStatusName', ''];
  const olmArgs = ['--interval', resync, '--writePackageServerStatusName', '', ...status];
  const olm = stack.use(await startProgram(dir, binaries.olm, olmArgs));
  const catalogArgs = ['--namespace', 'olm', '--interval', resync, '--install-plan-retry-timeout', '5s', ...status];
  const catalog = stack.use(await startProgram(dir, binaries.catalog, catalogArgs));
  const programs = [olm, catalog];
  const metrics = async (): Promise<string> => (await Promise.all(programs.map(metricsOf))).join('');
  await eventually(metrics);
  const owned = stack.move();
  return {
    kubeconfigPath,
    metrics,
    assertAlive: async () => {
      for (const program of programs) await program.assertAlive();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
