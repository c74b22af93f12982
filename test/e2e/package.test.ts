import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { createKubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import { eventually, startRegistry } from '../support/index.ts';
import { valid } from './contents.ts';
import { bundle, statusOf } from './world.ts';

/** Lays out what `npm install longshore` would: the published files below `node_modules`, the dependencies beside them. */
async function install(dir: string): Promise<string> {
  execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' });
  const { files } = JSON.parse(await readFile('package.json', 'utf8')) as { files: string[] };
  const home = join(dir, 'node_modules', 'longshore');
  await mkdir(home, { recursive: true });
  for (const file of ['package.json', ...files]) await cp(file, join(home, file), { recursive: true });
  for (const name of await readdir('node_modules')) {
    if (name !== 'longshore') await symlink(resolve('node_modules', name), join(dir, 'node_modules', name));
  }
  return join(home, 'cli', 'bin.js');
}

test('the built package runs: the demo (where git is), the API server, a bundle unpacked in its worker threads', async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'longshore-package-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const bin = await install(dir);
  expect(execFileSync(process.execPath, [bin, 'version']).toString()).toMatch(/^longshore \d+\.\d+\.\d+ /);
  if (spawnSync('git', ['--version']).status === 0) {
    expect(execFileSync(process.execPath, [bin, 'demo']).toString()).toMatch(/\nDone in \d+ s/);
  }
  const registry = stack.use(await startRegistry());
  registry.putImage('valid:v1', [{ files: valid }]);
  const kubeconfig = join(dir, 'kubeconfig');
  const child = spawn(process.execPath, [bin, 'up', '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stack.defer(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('ready')) break;
  const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  await kube.create(bundle('packaged', { type: 'image', image: { ref: `${registry.host}/valid:v1` } }), {
    fieldManager: 'test',
  });
  await eventually(
    async () => {
      const found = await kube.get({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'packaged' });
      expect(statusOf(found)['phase']).toBe('Unpacked');
    },
    { timeoutMs: 20_000 },
  );
});
