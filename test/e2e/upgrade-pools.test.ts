import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { readClusterVersionCrds, untilEstablished } from '../../cli/client/index.ts';
import { nodeUpdateAnnotations as keys } from '../../src/api/index.ts';
import { type JsonObject, parseYaml, systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { addMachineConfigPools } from '../../src/machines/index.ts';
import { eventually } from '../support/index.ts';
import { runControllers } from '../support/olm-cluster.ts';
import { configObject, createPoolNode, filesConfig, poolObject, poolRef } from '../support/pool-cluster.ts';
import { longshoreOn } from './program.ts';
import { condition, conditionsWith, entry, establish, release, statusWith } from './update-situations.ts';

const user = { fieldManager: 'test' };
const pools = ['master', 'worker', 'infra'];
const definitions = [
  'machine.openshift.io_machines',
  'machineconfiguration.openshift.io_machineconfigs',
  'machineconfiguration.openshift.io_machineconfigpools',
];
const path = (name: string): string => `crds/machines/${name}.yaml`;
let kube: KubeClient;
let status: (...args: readonly string[]) => Promise<string>;
let stack: AsyncDisposableStack;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const server = await startApiServer({ simulation: false });
  stack.defer(() => server.stop());
  kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  const own = await Promise.all(
    definitions.map(async (name) => parseYaml(path(name), await readFile(path(name), 'utf8'))),
  );
  const crds = [...(await readClusterVersionCrds()), ...own] as unknown as KubeObject[];
  for (const crd of crds) await kube.create(crd, user);
  await untilEstablished(kube, crds);
  const dir = await mkdtemp(join(tmpdir(), 'longshore-upgrade-pools-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'kubeconfig'), server.kubeconfig);
  const run = longshoreOn(join(dir, 'kubeconfig'));
  status = async (...args) => (await run(['upgrade', 'status', ...args])).stdout;
});
afterAll(() => stack.disposeAsync());

/** The controller of pools, as a part of a release. */
const controllerOf = (releaseVersion: string): Promise<AsyncDisposable> =>
  runControllers(kube, (manager) =>
    addMachineConfigPools(manager, { version: releaseVersion, releaseVersion, delayMs: 20 }),
  );

/** The configuration that a pool has rendered for a release. */
async function targetOf(pool: string, version: string): Promise<string> {
  return await eventually(async () => {
    const { configuration } = (await kube.get(poolRef(pool)))['spec'] as { configuration?: { name?: string } };
    const { name } = configuration ?? {};
    if (name === undefined) throw new Error(`expected a configuration of pool ${pool}, found none`);
    const rendered = await kube.get({ ...poolRef(name), kind: 'MachineConfig' });
    expect(rendered.metadata.annotations?.[keys.releaseVersion]).toBe(version);
    return name;
  });
}

async function annotate(name: string, annotations: JsonObject): Promise<void> {
  await kube.patch({ apiVersion: 'v1', kind: 'Node', name }, { metadata: { annotations } }, user);
}

async function untilDesired(name: string, target: string): Promise<void> {
  await eventually(async () => {
    const { metadata } = await kube.get({ apiVersion: 'v1', kind: 'Node', name });
    expect(metadata.annotations?.[keys.desiredConfig]).toBe(target);
  });
}

test('upgrade status shows the pools that the controller of pools updates', async () => {
  const roles = { m1: ['master', 'worker'], i1: ['infra', 'worker'], w1: ['worker'], w2: ['worker'] };
  {
    await using _running = await controllerOf('4.14.1');
    for (const name of pools) {
      await kube.create(configObject(`00-${name}`, name, { config: filesConfig({ '/etc/a': 'old' }) }), user);
      await kube.create(poolObject(name, name === 'infra' ? { paused: true } : {}), user);
    }
    for (const [name, role] of Object.entries(roles)) {
      await createPoolNode(kube, name, { role, current: await targetOf(role[0] ?? '', '4.14.1') });
    }
  }
  await establish(kube, {
    status: statusWith(
      {
        desired: release('4.14.3'),
        history: [entry('4.14.3', 'Partial'), entry('4.14.1', 'Completed', '2026-03-01T10:00:00Z')],
      },
      conditionsWith(condition('Progressing', 'True', '', 'Working towards 4.14.3')),
    ),
  });
  for (const name of pools) {
    const spec = { config: filesConfig({ '/etc/a': 'new' }) };
    await kube.patch({ ...poolRef(`00-${name}`), kind: 'MachineConfig' }, { spec }, user);
  }
  await using _running = await controllerOf('4.14.3');
  const [master, worker] = [await targetOf('master', '4.14.3'), await targetOf('worker', '4.14.3')];
  await Promise.all([untilDesired('m1', master), untilDesired('w1', worker)]);
  await annotate('m1', { [keys.currentConfig]: master, [keys.state]: 'Done' });
  await annotate('w1', { [keys.state]: 'Working', [keys.postConfigAction]: 'Rebooting' });

  const shown = await status('--details', 'nodes');
  expect(shown).toContain('All control plane nodes successfully updated to 4.14.3\n');
  expect(shown).toMatch(/\nworker +Progressing +0% \(0\/2\) +2 Available, 1 Progressing, 0 Draining\n/);
  expect(shown).toMatch(/\ninfra +Excluded +0% \(0\/1\) +1 Available, 0 Progressing, 0 Draining, 1 Excluded\n/);
  expect(shown).toMatch(/\nw1 +Progressing +Rebooting +4\.14\.1 +\+5m/);
  expect(shown).toMatch(/\nw2 +Outdated +Pending +4\.14\.1 +\?/);
  expect(shown).toMatch(/\ni1 +Excluded +Paused +4\.14\.1 +-/);

  await annotate('w1', { [keys.currentConfig]: worker, [keys.state]: 'Done', [keys.postConfigAction]: '' });
  await untilDesired('w2', worker);
  const { nodePools } = JSON.parse(await status('-o', 'json')) as { nodePools: { name: string; updated: number }[] };
  const updated = Object.fromEntries(nodePools.map((pool) => [pool.name, pool.updated]));
  expect(updated).toEqual({ infra: 0, master: 1, worker: 1 });
});
