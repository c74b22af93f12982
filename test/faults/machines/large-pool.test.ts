/** @module-tag long */
import { expect, test } from 'vitest';
import { type ApiServer, type KubeObject, type Manifest, startApiServer } from '../../../apiserver/index.ts';
import { nodeUpdateAnnotations } from '../../../src/api/index.ts';
import { type JsonObject, mapLimit, objectAt, objectsAt, systemClock, textAt } from '../../../src/base/index.ts';
import { createKubeClient, loadClusterAccess } from '../../../src/kube/index.ts';
import { addMachineConfigPools, addNodeAgent, addNodeDrains, SimulatedHosts } from '../../../src/machines/index.ts';
import { acceleratedClock } from '../../support/accelerated-clock.ts';
import { eventually } from '../../support/index.ts';
import { machineDefinitions } from '../../support/machine-cluster.ts';
import { runByClock } from '../../support/olm-cluster.ts';
import { configObject, createPoolNode, filesConfig, poolObject, poolRef } from '../../support/pool-cluster.ts';

const user = { fieldManager: 'test' };
/** Ten minutes are a second. */
const speed = 600;
const rebootSeconds = '600';
const patience = { timeoutMs: 600_000, intervalMs: 200 };

/** Whether pods may not be able to run on the node, or its update has begun and has not ended. */
function isInWork(node: JsonObject): boolean {
  const annotations = objectAt(node, 'metadata', 'annotations') ?? {};
  const { desiredConfig, currentConfig, state } = nodeUpdateAnnotations;
  if (annotations[desiredConfig] !== annotations[currentConfig] || annotations[state] !== 'Done') return true;
  const ready = objectsAt(objectAt(node, 'status'), 'conditions').find((one) => textAt(one, 'type') === 'Ready');
  return objectAt(node, 'spec')?.['unschedulable'] === true || textAt(ready, 'status') !== 'True';
}

/** At each change of a Node: how many are in work at once, and in which order their updates begin. */
class NodeWatch implements Disposable {
  readonly #subscription: Disposable;
  readonly #inWork = new Set<string>();
  readonly begun: string[] = [];
  most = 0;

  constructor({ cluster }: ApiServer) {
    this.#subscription = cluster.subscribe(({ object }) => this.#see(object as unknown as JsonObject));
  }

  #see(object: JsonObject): void {
    if (textAt(object, 'kind') !== 'Node') return;
    const name = textAt(objectAt(object, 'metadata'), 'name');
    if (!isInWork(object)) this.#inWork.delete(name);
    else if (!this.#inWork.has(name)) {
      this.#inWork.add(name);
      this.begun.push(name);
    }
    this.most = Math.max(this.most, this.#inWork.size);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}

async function statusOf({ client }: ApiServer): Promise<JsonObject> {
  return objectAt((await client.get(poolRef('worker'))) as unknown as JsonObject, 'status') ?? {};
}

/** Updates a pool of so many nodes, each of which is away for ten minutes. */
async function update(nodes: number, maxUnavailable: number | string | undefined) {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(
    await startApiServer({ simulation: false, crds: machineDefinitions as readonly Manifest[] }),
  );
  const kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  const clock = acceleratedClock(speed);
  const hosts = new SimulatedHosts({ kube, clock });
  const { client } = server;
  await client.create(configObject('00-worker', 'worker', { config: filesConfig({ '/etc/a': 'one' }) }));
  await client.create(poolObject('worker', maxUnavailable === undefined ? {} : { maxUnavailable }));
  const names = Array.from({ length: nodes }, (_, index) => `node-${String(index).padStart(3, '0')}`);
  const annotations = { 'simulation.longshore.dev/reboot-seconds': rebootSeconds };
  // Nodes that are created within one second have no order of age.
  await mapLimit(names, 10, (name) => createPoolNode(kube, name, { annotations, zone: name }));
  stack.use(
    await runByClock(kube, clock, (manager) => {
      addMachineConfigPools(manager, { version: '1.0.0' });
      addNodeDrains(manager);
      addNodeAgent(manager, { hostOf: (node) => hosts.hostOf(node) });
    }),
  );
  await eventually(async () => expect(await statusOf(server)).toMatchObject({ readyMachineCount: nodes }), patience);
  const watch = stack.use(new NodeWatch(server));
  const config = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', name: '00-worker' };
  await client.patch(config, { spec: { config: filesConfig({ '/etc/a': 'two' }) } }, user);
  await eventually(async () => expect(new Set(watch.begun).size).toBe(nodes), patience);
  await eventually(async () => expect(await statusOf(server)).toMatchObject({ readyMachineCount: nodes }), patience);
  const boots = (await client.list({ apiVersion: 'v1', kind: 'Node' })).map(bootsOf);
  return { most: watch.most, begun: watch.begun, boots: new Set(boots), names };
}

function bootsOf(node: KubeObject): number {
  const disk = node.metadata.annotations?.['simulation.longshore.dev/disk'] ?? '{}';
  return (JSON.parse(disk) as { boots: number }).boots;
}

test.each([
  { maxUnavailable: undefined, nodes: 4, limit: 1 },
  { maxUnavailable: 1, nodes: 4, limit: 1 },
  { maxUnavailable: 3, nodes: 5, limit: 3 },
  { maxUnavailable: '10%', nodes: 4, limit: 1 },
  { maxUnavailable: '50%', nodes: 4, limit: 2 },
  { maxUnavailable: '50%', nodes: 5, limit: 2 },
  { maxUnavailable: '60%', nodes: 4, limit: 2 },
  { maxUnavailable: '100%', nodes: 3, limit: 3 },
  { maxUnavailable: 0, nodes: 3, limit: 1 },
  { maxUnavailable: '10%', nodes: 500, limit: 50 },
])(
  'MP-10: the controllers update $nodes nodes with $maxUnavailable: $limit at a time, each once, in their order',
  { timeout: 900_000 },
  async ({ maxUnavailable, nodes, limit }) => {
    const { most, begun, boots, names } = await update(nodes, maxUnavailable);
    expect(most).toBe(limit);
    expect([...boots]).toEqual([2]);
    expect(begun.toSorted()).toEqual(names);
    expect(begun.slice(0, limit).toSorted()).toEqual(names.slice(0, limit));
  },
);
