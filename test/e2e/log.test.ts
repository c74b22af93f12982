/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { createKubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { programPath } from './program.ts';
import { openTestCluster } from './test-cluster.ts';
import { bundle } from './world.ts';

const patience = { timeoutMs: 90_000 };
const unreachable = { type: 'git', git: { repository: 'https://127.0.0.1:1/x', ref: { commit: 'a'.repeat(40) } } };

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly logLevel?: string;
  readonly object?: string;
  readonly controller?: string;
  readonly reconcileId?: string;
}

test('SIGUSR2 switches the log to debug and back, SIGUSR1 opens no debugger, and each line names its object and reconcile', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-log-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const cluster = stack.use(await openTestCluster(folder));
  const kubeconfig = join(folder, 'kubeconfig');
  const where = cluster.kubeconfigPath === undefined ? ['--kubeconfig', kubeconfig] : cluster.args;
  const child = spawn(process.execPath, [programPath, 'up', '--log-level', 'warn', ...where], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  let [printed, logged] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (logged += chunk.toString()));
  const lines = (): Line[] =>
    logged
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  await eventually(() => expect(printed).toContain('ready in'), patience);
  const access = await loadClusterAccess({ path: cluster.kubeconfigPath ?? kubeconfig });
  const kube = createKubeClient({ access, clock: systemClock });
  stack.defer(() => kube.close());
  await cluster.whenGuarded(kube);

  child.kill('SIGUSR2');
  await eventually(() => {
    expect(lines()).toContainEqual(expect.objectContaining({ msg: 'log level changed', logLevel: 'debug' }));
  }, patience);
  await kube.create(bundle('traced', unreachable), { fieldManager: 'test' });
  await eventually(() => {
    const about = lines().filter(({ object, level }) => object === 'traced' && level === 20);
    expect(about[0]).toMatchObject({
      controller: 'bundle',
      reconcileId: expect.stringMatching(/^[0-9a-f]{8}$/) as unknown,
    });
  }, patience);
  child.kill('SIGUSR2');
  await eventually(() => {
    expect(lines()).toContainEqual(expect.objectContaining({ msg: 'log level changed', logLevel: 'warn' }));
  }, patience);
  // A debugger would report it, on standard error, in a line that is no JSON.
  child.kill('SIGUSR1');
  await eventually(() => {
    expect(lines()).toContainEqual(expect.objectContaining({ msg: 'SIGUSR1 does nothing' }));
  }, patience);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
});

test('a disk without room for the log ends neither a process nor its work, but a command whose output it was to take', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-log-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const full = stack.use(await open('/dev/full', 'w'));
  const stdio = ['ignore', full.fd, full.fd] as const;
  const kubeconfig = join(folder, 'kubeconfig');
  const child = spawn(process.execPath, [programPath, 'up', '--log-level', 'debug', '--kubeconfig', kubeconfig], {
    stdio: [...stdio],
  });
  const ended = once(child, 'exit');
  stack.defer(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const access = await eventually(() => loadClusterAccess({ path: kubeconfig }), patience);
  const kube = createKubeClient({ access, clock: systemClock });
  stack.defer(() => kube.close());
  await eventually(() => kube.create(bundle('written', unreachable), { fieldManager: 'test' }), patience);
  const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'written' };
  await eventually(async () => expect((await kube.get(ref))['status']).toBeDefined(), patience);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  const version = spawn(process.execPath, [programPath, 'version'], { stdio: [...stdio] });
  await once(version, 'exit');
  expect(version.exitCode).not.toBe(0);
});
