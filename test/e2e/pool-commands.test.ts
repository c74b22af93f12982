import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { nodeUpdateAnnotations as keys } from '../../src/api/index.ts';
import { type JsonObject, parseYaml, systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { addMachineConfigPools, machineConfigPoolController } from '../../src/machines/index.ts';
import { eventually } from '../support/index.ts';
import { runControllers } from '../support/olm-cluster.ts';
import { PoolActions } from '../support/pool-actions.ts';
import { poolRef } from '../support/pool-cluster.ts';
import { matchesDocument } from './documents.ts';
import { longshoreOn, type Printed } from './program.ts';

const user = { fieldManager: 'test' };
const definitions = [
  'drain.platform_drainrules',
  'machine.openshift.io_machines',
  'machineconfiguration.openshift.io_machineconfigs',
  'machineconfiguration.openshift.io_machineconfigpools',
];

let stack: AsyncDisposableStack;
let kube: KubeClient;
let pools: PoolActions;
let run: (words: readonly string[]) => Promise<Printed>;
let running: AsyncDisposable;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const server = await startApiServer({ simulation: false });
  stack.defer(() => server.stop());
  kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  for (const name of definitions) {
    const file = `crds/machines/${name}.yaml`;
    const crd = parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject;
    await kube.create(crd, user);
  }
  for (const kind of ['MachineConfig', 'MachineConfigPool']) {
    await eventually(() => kube.list({ apiVersion: 'machineconfiguration.openshift.io/v1', kind }));
  }
  const dir = await mkdtemp(join(tmpdir(), 'longshore-pool-commands-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'kubeconfig'), server.kubeconfig);
  run = longshoreOn(join(dir, 'kubeconfig'));
  pools = new PoolActions(kube);
});

afterAll(() => stack.disposeAsync());

beforeEach(async () => {
  running = await runControllers(kube, (manager) => addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20 }), [
    machineConfigPoolController,
  ]);
});

afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await pools.removeAll();
});

interface Update {
  readonly old: string;
  readonly target: string;
}

/** A pool of three nodes in two zones, whose configuration has changed. */
async function beginUpdate(spec: JsonObject): Promise<Update> {
  const old = await pools.createPool('worker', spec);
  await pools.addNodes(3, (index) => ({ current: old, zone: index === 3 ? 'zone-b' : 'zone-a' }));
  return { old, target: await pools.change('worker', 'two') };
}

/** Waits until a command prints this; names of configurations are written as in documents. */
async function expectPrinted(words: readonly string[], shown: string, code = 0): Promise<void> {
  await eventually(async () => {
    const printed = await run(words);
    expect(printed.stderr).toBe('');
    if (!matchesDocument(shown, printed.stdout)) expect(printed.stdout).toBe(shown);
    expect(printed.code).toBe(code);
  });
}

const status = (shown: string, code = 0): Promise<void> => expectPrinted(['pool', 'status', 'worker'], shown, code);
const list = (row: string): Promise<void> =>
  expectPrinted(
    ['pool', 'list'],
    `NAME    UPDATED  UPDATING  DEGRADED  PAUSED  AGE  PROGRESS
${row}`,
  );
const config = 'rendered-worker-<hash>';

test('a pool that is updated', async () => {
  const old = await pools.createPool('worker');
  await pools.addNodes(2, () => ({ current: old }));
  await status(`Target:    ${config}
Progress:  2 of 2 nodes updated
At a time: 1

NODE  ZONE  PHASE    CONFIG   MESSAGE
w1          Updated  ${config}
w2          Updated  ${config}
`);
  await list('worker  True     False     False     False   <age>  2 of 2 nodes updated');
});

test('a pool without nodes, and a cluster without pools', async () => {
  await pools.createPool('worker');
  await status(`Target:    ${config}
Progress:  0 of 0 nodes updated
At a time: 1

no nodes
`);
  await pools.removeAll();
  const printed = await eventually(async () => {
    const now = await run(['pool', 'list']);
    expect(now.stdout).toBe('');
    return now;
  });
  expect(printed).toMatchObject({ code: 0, stderr: 'the cluster has no pools of nodes\n' });
});

test('a pool in an update: a node that is drained, one that restarts, one that waits', async () => {
  const { target } = await beginUpdate({ maxUnavailable: 2 });
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1', 'w2']));
  const drain = {
    [keys.desiredDrain]: `drain-${target}`,
    [keys.drainBlocked]: '1 pod is held by PodDisruptionBudget web/web',
  };
  await pools.setAnnotations('w1', { [keys.state]: 'Working', ...drain });
  await pools.setAnnotations('w2', { [keys.state]: 'Working', [keys.postConfigAction]: 'Rebooting' });
  await status(`Target:    ${config}
Progress:  0 of 3 nodes updated, 1 draining, 1 rebooting, 1 waiting
At a time: 2
Updating:  All nodes are updating to MachineConfig ${config}

NODE  ZONE    PHASE      CONFIG   MESSAGE
w1    zone-a  Draining   ${config}  1 pod is held by PodDisruptionBudget web/web
w2    zone-a  Rebooting  ${config}
w3    zone-b  Waiting    ${config}
`);
  await list(
    'worker  False    True      False     False   <age>  0 of 3 nodes updated, 1 draining, 1 rebooting, 1 waiting',
  );
});

test('a pool that goes zone by zone shows the zone that is being updated', async () => {
  const { target } = await beginUpdate({ rollout: { zoneByZone: true } });
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
  await status(`Target:    ${config}
Progress:  0 of 3 nodes updated, 1 updating, 2 waiting
At a time: 1
Zone:      zone-a
Updating:  All nodes are updating to MachineConfig ${config}

NODE  ZONE    PHASE     CONFIG   MESSAGE
w1    zone-a  Updating  ${config}
w2    zone-a  Waiting   ${config}
w3    zone-b  Waiting   ${config}
`);
});

test('a pool that is paused', async () => {
  await beginUpdate({ paused: true });
  await status(`Target:    ${config}
Progress:  0 of 3 nodes updated, 3 waiting
At a time: 1
Paused:    yes
Updating:  Pool is paused; will not update to MachineConfig ${config}

NODE  ZONE    PHASE    CONFIG   MESSAGE
w1    zone-a  Waiting  ${config}
w2    zone-a  Waiting  ${config}
w3    zone-b  Waiting  ${config}
`);
  await list('worker  False    False     False     True    <age>  0 of 3 nodes updated, 3 waiting');
});

test('a pool with a node that is degraded, and one that is not ready: the exit status is 1', async () => {
  const { target } = await beginUpdate({ maxUnavailable: 1 });
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
  await pools.setAnnotations('w1', { [keys.state]: 'Degraded', [keys.reason]: 'no space left on device' });
  const ref = { apiVersion: 'v1', kind: 'Node', name: 'w2' };
  await kube.patch(ref, { spec: { unschedulable: true } }, user);
  await status(
    `Target:    ${config}
Progress:  0 of 3 nodes updated, 2 waiting, 1 degraded
At a time: 1
Updating:  All nodes are updating to MachineConfig ${config}
Degraded:  Node w1 is reporting: "no space left on device"

NODE  ZONE    PHASE     CONFIG   MESSAGE
w1    zone-a  Degraded  ${config}  no space left on device
w2    zone-a  Waiting   ${config}  node w2 is reporting Unschedulable
w3    zone-b  Waiting   ${config}
`,
    1,
  );
  await list('worker  False    True      True      False   <age>  0 of 3 nodes updated, 2 waiting, 1 degraded');
});

test('a pool whose canary is watched, then one whose canary was skipped', async () => {
  const { target } = await beginUpdate({ rollout: { canary: { count: 1, bake: '1h' } } });
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
  await pools.finish('w1', target);
  const held = 'canary: w1 updated and ready; other nodes are started at <time>';
  await status(`Target:    ${config}
Progress:  1 of 3 nodes updated, 2 waiting
At a time: 1
Canary:    w1: ready since <time>, for 1h
Gate:      canary holds since <time>: ${held}. To go on without it: longshore pool skip worker canary
Updating:  All nodes are updating to MachineConfig ${config}; ${held}

NODE  ZONE    PHASE    CONFIG   MESSAGE
w1    zone-a  Updated  ${config}
w2    zone-a  Waiting  ${config}
w3    zone-b  Waiting  ${config}
`);
  await list('worker  False    True      False     False   <age>  1 of 3 nodes updated, 2 waiting');
  const skipped = await run(['pool', 'skip', 'worker', 'canary']);
  expect(skipped).toMatchObject({ code: 0, stdout: `pool worker goes on to ${target} without canary\n` });
  await status(`Target:    ${config}
Progress:  1 of 3 nodes updated, 1 updating, 1 waiting
At a time: 1
Skipped:   canary
Canary:    w1: passed
Updating:  All nodes are updating to MachineConfig ${config}

NODE  ZONE    PHASE     CONFIG   MESSAGE
w1    zone-a  Updated   ${config}
w2    zone-a  Updating  ${config}
w3    zone-b  Waiting   ${config}
`);
});

test('a pool that a check holds; a gate that it does not have cannot be skipped', async () => {
  const check = { name: 'calm', when: 'BeforeBatch', expression: '1 > 2', message: 'an alert fires' };
  await beginUpdate({ rollout: { gates: { checks: [check] } } });
  const held = 'check calm: an alert fires (1 > 2 is false)';
  await status(`Target:    ${config}
Progress:  0 of 3 nodes updated, 3 waiting
At a time: 1
Gate:      calm holds since <time>: ${held}. To go on without it: longshore pool skip worker calm
Updating:  All nodes are updating to MachineConfig ${config}; ${held}

NODE  ZONE    PHASE    CONFIG   MESSAGE
w1    zone-a  Waiting  ${config}
w2    zone-a  Waiting  ${config}
w3    zone-b  Waiting  ${config}
`);
  const refused = await run(['pool', 'skip', 'worker', 'canary']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('pool worker has no gate "canary"; it has calm');
});

test('a pool that does not exist: the others are named', async () => {
  await pools.createPool('worker');
  const printed = await run(['pool', 'status', 'infra']);
  expect(printed.code).toBe(1);
  expect(printed.stderr).toContain('no MachineConfigPool "infra"; pools of the cluster: worker');
  expect((await kube.get(poolRef('worker'))).metadata.name).toBe('worker');
});
