import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlaneBinaries, startControlPlane } from '../test/control-plane/index.ts';
import { startChild } from './child.ts';

const compileCache: string = join(tmpdir(), 'longshore-bench-compiled');

/** A server to measure, running. */
export interface Subject extends AsyncDisposable {
  /** YAML. */
  readonly kubeconfig: string;
  readonly startMs: number;
  /** Bytes in memory of all its processes now. */
  residentBytes(): Promise<number>;
  /** Stops it and starts it on the same data; milliseconds to ready. Undefined where that cannot be measured. */
  readonly reopen: (() => Promise<number>) | undefined;
}

interface ChildFacts {
  readonly kubeconfig: string;
  readonly totalMs: number;
}

async function residentBytesOf(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const line = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'));
      return Number(line?.[1] ?? Number.NaN) * 1024;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The embedded server in a separate process, durable: each write is on disk before it is answered. `packageArgs` name the package. */
export async function startEmbedded(packageArgs: readonly string[]): Promise<Subject> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const args = [...packageArgs, '--data-dir', dir];
  // As the command line runs it, with a compile cache.
  const environment = { NODE_COMPILE_CACHE: compileCache };
  const current = { child: startChild('api-server-child.ts', args, environment) };
  stack.defer(() => current.child[Symbol.asyncDispose]());
  const facts = await current.child.next<ChildFacts>();
  const owned = stack.move();
  return {
    kubeconfig: facts.kubeconfig,
    startMs: facts.totalMs,
    residentBytes: () => residentBytesOf([current.child.pid]),
    reopen: async () => {
      await current.child[Symbol.asyncDispose]();
      current.child = startChild('api-server-child.ts', args, environment);
      const { totalMs } = await current.child.next<ChildFacts>();
      return totalMs;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** kube-apiserver on etcd, which waits for the disk at each write. */
export async function startReal(binaries: ControlPlaneBinaries): Promise<Subject> {
  const plane = await startControlPlane(binaries, { durable: true, controllers: false });
  const { etcd, kubeApiServer } = plane.pids;
  return {
    kubeconfig: plane.kubeconfig,
    startMs: plane.startMs,
    residentBytes: () => residentBytesOf([etcd, kubeApiServer]),
    reopen: undefined,
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
}
