import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JsonObject, objectAt, silentLogger, systemClock } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import { eventually } from '../../support/index.ts';
import { openCluster, type ScenarioCluster } from '../cluster.ts';
import { readOlmCrds } from '../crds.ts';
import { startControllers } from '../ours.ts';
import { slugOf } from '../scenario.ts';
import { unexplained } from './explained.ts';
import { serveWorld } from './record.ts';
import { readRecorded, renewed, restore } from './recorded.ts';
import { filler, untilQuiet } from './stage.ts';
import { changesBetween, readState } from './state.ts';
import { paddle } from './world.ts';

const olm = 'operators.coreos.com/v1alpha1';
const quietMs = 4_000;
const slug = slugOf('takeover');

let cluster: ScenarioCluster;
let before: ReadonlyMap<string, KubeObject>;
let after: ReadonlyMap<string, KubeObject>;
let fill: ReturnType<typeof filler>;
const stack = new AsyncDisposableStack();

const readAll = async (): Promise<unknown> => [...(await readState(cluster.server.client))];

/** The catalog is connected to again, and no resolution failed for the lack of it. */
async function untilResolved(): Promise<void> {
  const state = await readState(cluster.server.client);
  const connections = [before, state].map((one) => JSON.stringify(one.get('CatalogSource olm/shop')?.['status']));
  expect(connections[1]).not.toBe(connections[0]);
  expect(connections[1]).toContain('"READY"');
  const subscriptions = [...state].filter(([key]) => key.startsWith('Subscription '));
  expect(JSON.stringify(subscriptions)).not.toContain('ErrorPreventedResolution');
}

beforeAll(async () => {
  const recorded = await readRecorded();
  const startedMs = Date.now();
  const clock = { ...systemClock, now: () => recorded.atMs + (Date.now() - startedMs) };
  cluster = stack.use(
    await openCluster(await readOlmCrds(), { clock, isPackageServerRegistered: false, hasOwnPackages: true }),
  );
  const served = stack.use(await serveWorld());
  fill = filler(served.addresses);
  await restore(cluster.server.client, await renewed(recorded, served.addresses));
  await untilQuiet(readAll, quietMs);
  before = await readState(cluster.server.client);
  stack.use(await startControllers(cluster, silentLogger(), clock));
  await eventually(untilResolved);
  await untilQuiet(readAll, quietMs);
  after = await readState(cluster.server.client);
});
afterAll(() => stack.disposeAsync());

function phases(state: ReadonlyMap<string, KubeObject>): Record<string, unknown> {
  const versions = [...state].filter(([key]) => key.startsWith('ClusterServiceVersion '));
  return Object.fromEntries(
    versions.map(([key, object]) => [key, objectAt(object as JsonObject, 'status')?.['phase']]),
  );
}

async function phaseOf(namespace: string, name: string): Promise<unknown> {
  const object = await cluster.server.client.find({
    apiVersion: olm,
    kind: 'ClusterServiceVersion',
    namespace: `${slug}-${namespace}`,
    name,
  });
  return object === undefined ? undefined : objectAt(object as unknown as JsonObject, 'status')?.['phase'];
}

describe('operators that the real OLM has installed go on', { shuffle: false }, () => {
  test('the recorded cluster has operators of every kind', () => {
    const found = phases(before);
    expect(found[`ClusterServiceVersion ${slug}-boats/boat.v0.1.0`]).toBe('Succeeded');
    expect(found[`ClusterServiceVersion ${slug}-kayaks/kayak.v0.2.0`]).toBe('Pending');
    expect(Object.keys(found).filter((key) => key.endsWith('/canoe.v0.1.0')).length).toBeGreaterThan(8);
  });

  test('no spec changes, no Pod restarts, no phase changes, and nothing is deleted', () => {
    expect(unexplained(changesBetween(before, after))).toEqual([]);
    expect(phases(after)).toEqual(phases(before));
    const kinds = ['Deployment', 'ReplicaSet', 'Pod'];
    for (const [key, object] of before) {
      if (!kinds.includes(object.kind)) continue;
      expect(after.get(key)?.metadata.generation).toBe(object.metadata.generation);
      expect(after.get(key)?.['spec']).toEqual(object['spec']);
    }
  });

  test('a plan that waited for approval is executed once it is approved', async () => {
    const { client } = cluster.server;
    for (const plan of await client.list({ apiVersion: olm, kind: 'InstallPlan', namespace: `${slug}-barges` })) {
      await client.patch(plan, { spec: { approved: true } });
    }
    await eventually(async () => expect(await phaseOf('barges', 'barge.v0.2.0')).toBe('Succeeded'));
    await eventually(async () => expect(await phaseOf('barges', 'barge.v0.1.0')).toBeUndefined());
  });

  test('an upgrade in the middle is completed once what it lacks is there', async () => {
    await cluster.server.client.create(fill(paddle) as never);
    await eventually(async () => expect(await phaseOf('kayaks', 'kayak.v0.2.0')).toBe('Succeeded'));
    await eventually(async () => expect(await phaseOf('kayaks', 'kayak.v0.1.0')).toBeUndefined());
  });

  test('a new version in the catalog is installed, and its copies follow', async () => {
    const shop = { apiVersion: olm, kind: 'CatalogSource', namespace: 'olm', name: 'shop' };
    await cluster.server.client.patch(shop, { spec: { address: fill('$catalog/new') } });
    await eventually(async () => expect(await phaseOf('canoes', 'canoe.v0.2.0')).toBe('Succeeded'));
    await eventually(async () => expect(await phaseOf('rafts', 'canoe.v0.2.0')).toBe('Succeeded'));
    await eventually(async () => expect(await phaseOf('rafts', 'canoe.v0.1.0')).toBeUndefined());
  });

  test('what OLM has made for an operator goes with it', async () => {
    const { client } = cluster.server;
    await client.delete({
      apiVersion: olm,
      kind: 'ClusterServiceVersion',
      namespace: `${slug}-ferries`,
      name: 'ferry.v0.1.0',
    });
    await eventually(async () => {
      const state = await readState(client);
      const left = [...state.keys()].filter((key) => /ferry|ferries\.case/.test(key) && !key.includes('canoe'));
      // OLM leaves this one, too: it has no label of its owner.
      expect(left).toEqual([`RoleBinding kube-system/${slug}-ferry-service-auth-reader`]);
    });
  });
});
