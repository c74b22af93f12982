import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import { programPath } from '../e2e/program.ts';
import { eventually } from '../support/index.ts';
import type { MemoryCgroup } from './memory-cgroup.ts';

const patience = { timeoutMs: 240_000, intervalMs: 500 };

/** The whole platform in a process of its own. */
export interface PlatformProcess extends AsyncDisposable {
  readonly kube: KubeClient;
  /** Of the administrator: the text of the file. */
  readonly kubeconfig: string;
  readonly pid: number;
  /** How it has ended, with the last that it printed; undefined while it runs. */
  readonly end: () => string | undefined;
}

/** Starts `longshore up` in a control group, and waits until its API server works. */
export async function startPlatformProcess({ inside }: Pick<MemoryCgroup, 'inside'>): Promise<PlatformProcess> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-up-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  const data = ['--data-dir', join(folder, 'data'), '--kubeconfig', kubeconfig];
  const options = [...data, '--no-console', '--no-examples', '--log-level', 'error'];
  const [program = '', ...args] = [...inside, process.execPath, programPath, 'up', ...options];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let [text, end]: [string, string | undefined] = ['', undefined];
  void exited.then(([code, signal]) => {
    end = `${code ?? signal}: ${text}`;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-4_000);
    });
  }
  stack.defer(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  await eventually(() => readFile(kubeconfig), patience);
  const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  await eventually(() => kube.list({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle' }), patience);
  const owned = stack.move();
  const [shown, pid] = [await readFile(kubeconfig, 'utf8'), child.pid ?? 0];
  return { kube, kubeconfig: shown, pid, end: () => end, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
