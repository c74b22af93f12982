import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import { programPath } from './program.ts';
import { openTestCluster } from './test-cluster.ts';

/** How a `longshore up` ended: what it printed on standard error, and how. */
export interface Ending {
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly errorText: string;
}

/** `longshore up` in a process of its own, so that it can be killed. */
export interface PlatformProcess {
  readonly kube: KubeClient;
  /** SIGKILL, at once; await `ended` before the next start. */
  kill(): void;
  readonly ended: Promise<Ending>;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<Ending>;
  /** No one reads what it prints any more, and it gets a signal, as when a terminal is closed; waits for the end. */
  hangUp(): Promise<Ending>;
}

/** A data folder and the processes that were started on it one after the other. */
export interface DataFolder extends AsyncDisposable {
  readonly path: string;
  readonly storeDir: string;
  readonly kubeconfigPath: string;
  /** Ready when a line of standard output begins with `untilLine`; default: when all is ready. */
  start(untilLine?: string): Promise<PlatformProcess>;
  /** Starts a process and kills it after that time, wherever it is by then. */
  startAndKill(afterMs: number): Promise<void>;
  /** Starts a process that is expected to end by itself. */
  runToEnd(...args: readonly string[]): Promise<Ending>;
}

interface Spawned {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
}

function spawnUp(args: readonly string[]): Spawned {
  const child = spawn(process.execPath, [programPath, 'up', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errorText = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorText += text;
  });
  const ended = once(child, 'close').then(() => ({
    exitCode: child.exitCode,
    signalCode: child.signalCode,
    errorText,
  }));
  return { child, ended };
}

async function untilPrinted({ child, ended }: Spawned, start: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (child.stdout === null) throw new Error('no standard output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith(start)) resolve();
  });
  const early = ended.then((ending) => {
    throw new Error(`ended before "${start}": ${JSON.stringify(ending)}`);
  });
  await Promise.race([promise, early]);
}

async function connect(kubeconfigPath: string): Promise<KubeClient> {
  const access = await loadClusterAccess({ path: kubeconfigPath });
  return createKubeClient({ access, clock: systemClock });
}

/** A new, empty data folder; disposing it ends what still runs on it and removes it. */
export async function openDataFolder(): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), 'longshore-kill-'));
  const clusterDir = await mkdtemp(join(tmpdir(), 'longshore-kill-cluster-'));
  const cluster = await openTestCluster(clusterDir);
  const kubeconfigPath = cluster.kubeconfigPath ?? join(clusterDir, 'kubeconfig');
  const open = new Set<ChildProcess>();
  const up = (args: readonly string[]): Spawned => {
    // No story of these is about Operator Lifecycle Manager, which takes a third of a start.
    const shared = ['--data-dir', path, '--kubeconfig', kubeconfigPath, '--no-olm', ...cluster.args];
    const spawned = spawnUp([...shared, ...args]);
    open.add(spawned.child);
    void spawned.ended.finally(() => open.delete(spawned.child));
    return spawned;
  };
  return {
    path,
    storeDir: join(path, 'bundles'),
    kubeconfigPath,
    start: async (untilLine = 'ready in') => {
      const spawned = up([]);
      await untilPrinted(spawned, untilLine);
      const kube = await connect(kubeconfigPath);
      await cluster.whenGuarded(kube);
      const ended = spawned.ended.finally(() => kube.close());
      return {
        kube,
        ended,
        kill: () => void spawned.child.kill('SIGKILL'),
        stop: async () => {
          spawned.child.kill('SIGTERM');
          return await ended;
        },
        hangUp: async () => {
          spawned.child.stdout?.destroy();
          // More than once, as shells and terminals do.
          spawned.child.kill('SIGHUP');
          spawned.child.kill('SIGHUP');
          return await ended;
        },
      };
    },
    startAndKill: async (afterMs) => {
      const { child, ended } = up([]);
      await pause(afterMs);
      child.kill('SIGKILL');
      await ended;
    },
    runToEnd: async (...args) => await up(args).ended,
    async [Symbol.asyncDispose]() {
      for (const child of open) {
        child.kill('SIGKILL');
        await once(child, 'close');
      }
      await rm(path, { recursive: true, force: true });
      await cluster[Symbol.asyncDispose]();
      await rm(clusterDir, { recursive: true, force: true });
    },
  };
}
