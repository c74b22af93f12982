import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type OlmBinaries } from '../test/olm/binaries.ts';
import { openCluster, type ScenarioCluster } from '../test/olm/cluster.ts';
import { readOlmCrds } from '../test/olm/crds.ts';
import { freePort } from '../test/support/index.ts';
import { startChild } from './child.ts';
import { compileFiles } from './compiled.ts';

/** Memory of all processes of the controllers, in bytes. */
export interface ControllerMemory {
  readonly residentBytes: number;
  readonly peakBytes: number;
  /** Of the resident memory: what no other process can share, without pages of files. */
  readonly anonymousBytes: number;
}

/** Controllers in processes of their own, on an API server of their own in this one. */
export interface OlmSubject extends AsyncDisposable {
  readonly name: string;
  readonly cluster: ScenarioCluster;
  memory(): Promise<ControllerMemory>;
}

async function memoryOf(pids: readonly number[]): Promise<ControllerMemory> {
  const states = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8')));
  const sum = (field: string): number =>
    states.reduce(
      (total, text) => total + Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024,
      0,
    );
  return { residentBytes: sum('VmRSS'), peakBytes: sum('VmHWM'), anonymousBytes: sum('RssAnon') };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** One program of OLM with its own defaults; a line of its log on each failure would be too much to show. */
async function startProgram({ folder, kubeconfigPath }: ScenarioCluster, path: string, args: readonly string[]) {
  await using log = await open(join(folder, `${basename(path)}.log`), 'a');
  const child = spawn(path, args, {
    cwd: folder,
    env: {
      ...process.env,
      OPERATOR_NAMESPACE: 'olm',
      OPERATOR_NAME: 'olm-operator',
      KUBECONFIG: kubeconfigPath,
      METRICS_ADDRESS: `127.0.0.1:${await freePort()}`,
    },
    stdio: ['ignore', log.fd, log.fd],
  });
  await once(child, 'spawn');
  return child;
}

/** The `olm` and `catalog` programs of the real OLM. Its package server is left out, as ours is. */
export async function startRealOlm(binaries: OlmBinaries): Promise<OlmSubject> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await openCluster(binaries.crds, { isPackageServerRegistered: true }));
  const start = async (path: string, args: readonly string[]): Promise<number> => {
    const child = await startProgram(cluster, path, [...args, '--writeStatusName', '']);
    stack.defer(() => stop(child));
    return child.pid ?? 0;
  };
  const pids = [
    await start(binaries.olm, ['--writePackageServerStatusName', '']),
    await start(binaries.catalog, ['--namespace', 'olm']),
  ];
  const owned = stack.move();
  return {
    name: 'OLM',
    cluster,
    memory: () => memoryOf(pids),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Longshore's controllers of OLM's kinds, compiled as they are published. */
export async function startOurOlm(): Promise<OlmSubject> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await openCluster(await readOlmCrds(), { isPackageServerRegistered: true }));
  const program = 'bench/olm-child.ts';
  const compiled = stack.use(await compileFiles([program]));
  // As the image sets it.
  const environment = { MALLOC_ARENA_MAX: '1' };
  const args = [cluster.kubeconfigPath, cluster.folder];
  const child = stack.use(startChild(compiled.pathOf(program), args, environment));
  await child.next();
  const owned = stack.move();
  return {
    name: 'longshore',
    cluster,
    memory: () => memoryOf([child.pid]),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
