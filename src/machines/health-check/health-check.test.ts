import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { holdWatch } from '../../../test/support/held-watch.ts';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import {
  joinNode,
  machineObject,
  openMachineCluster,
  openMachineNamespace,
  setReady,
} from '../../../test/support/machine-cluster.ts';
import { runControllers } from '../../../test/support/olm-cluster.ts';
import { machineAnnotations, machineHealthCheckResource, machineResource } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { findObject, type KubeObject } from '../../kube/index.ts';
import { addMachineHealthChecks, machineHealthCheckController } from './controller.ts';

const user = { fieldManager: 'test' };
const place = { ...machineResource, namespace: 'machines' };
const check = { ...machineHealthCheckResource, namespace: 'machines', name: 'check' };

let cluster: BareCluster;
let stack: AsyncDisposableStack;

beforeAll(async () => {
  cluster = await openMachineCluster();
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  stack = await openMachineNamespace(cluster.kube);
});

afterEach(() => stack.disposeAsync());

async function start(): Promise<void> {
  stack.use(await runControllers(cluster.kube, addMachineHealthChecks, [machineHealthCheckController]));
}

async function createCheck(spec: JsonObject = {}, annotations: Record<string, string> = {}): Promise<void> {
  const object: KubeObject = {
    apiVersion: machineHealthCheckResource.apiVersion,
    kind: machineHealthCheckResource.kind,
    metadata: { namespace: 'machines', name: 'check', annotations },
    spec: { selector: {}, unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '1s' }], ...spec },
  };
  await cluster.kube.create(object, user);
}

/** Machines of one set with nodes; those in `lost` have nodes that do not answer. */
async function createMachines(names: readonly string[], lost: readonly string[]): Promise<void> {
  const { uid = '' } = (await cluster.kube.get({ apiVersion: 'v1', kind: 'Namespace', name: 'default' })).metadata;
  for (const name of names) {
    const machine = machineObject(name);
    machine.metadata.ownerReferences = [
      { apiVersion: 'v1', kind: 'Namespace', name: 'default', uid, controller: true },
    ];
    await cluster.kube.create(machine, user);
    const node = await joinNode(cluster.kube, name);
    if (!lost.includes(name)) continue;
    const conditions = [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2020-01-01T00:00:00Z' }];
    const ref = { apiVersion: 'v1', kind: 'Node', name: node };
    await cluster.kube.patch(ref, { status: { conditions } }, { ...user, subresource: 'status' });
  }
}

const status = async (): Promise<JsonObject> => (await cluster.kube.get(check))['status'] as JsonObject;
const names = async (): Promise<string[]> =>
  (await cluster.kube.list(place)).items.map(({ metadata }) => metadata.name ?? '');

test('ML-10: a machine whose node does not answer is deleted, the others stay', async () => {
  await createMachines(['a', 'b', 'c'], ['b']);
  await createCheck();
  await start();
  await eventually(async () => expect(await names()).toEqual(['a', 'c']));
  await eventually(async () => expect(await status()).toMatchObject({ expectedMachines: 2, currentHealthy: 2 }));
});

test('a machine that becomes unhealthy after a time is reported once, with its node', async () => {
  await createMachines(['a', 'b'], []);
  await setReady(cluster.kube, 'node-b', 'False');
  await createCheck({ unhealthyConditions: [{ type: 'Ready', status: 'False', timeout: '100000h' }] });
  await start();
  const counts = async (): Promise<JsonObject[]> =>
    (await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'machines' })).items.map(
      ({ involvedObject, reason, message, count }) => ({
        name: (involvedObject as { name: string }).name,
        reason: reason as string,
        message: message as string,
        count: count as number,
      }),
    );
  const message = 'Machine machines/check/b/node-b has unhealthy node node-b';
  const event = { name: 'b', reason: 'DetectedUnhealthy', message, count: 1 };
  await eventually(async () => expect(await counts()).toEqual([event]));
  await cluster.kube.patch(check, { spec: { maxUnhealthy: 1 } }, user);
  await eventually(async () => expect(await status()).toMatchObject({ remediationsAllowed: 1, currentHealthy: 1 }));
  await cluster.kube.delete({ ...place, name: 'a' });
  await eventually(async () => expect(await status()).toMatchObject({ expectedMachines: 1 }));
  expect(await counts()).toEqual([event]);
});

test('a machine whose Node the watch has not shown yet is not deleted', async () => {
  const { kube } = cluster;
  {
    using held = holdWatch(kube, 'Node');
    stack.use(await runControllers(held.kube, addMachineHealthChecks));
    await createMachines(['a'], []);
    await createCheck();
    await eventually(async () => expect(await status()).toMatchObject({ expectedMachines: 1, currentHealthy: 0 }));
  }
  await eventually(async () => expect(await status()).toMatchObject({ expectedMachines: 1, currentHealthy: 1 }));
  const { metadata } = await kube.get({ ...place, name: 'a' });
  expect(metadata.deletionTimestamp).toBeUndefined();
});

test('ML-52: of five machines three are unhealthy and 40% may be: none is deleted', async () => {
  await createMachines(['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c']);
  await createCheck({ maxUnhealthy: '40%' });
  await start();
  await eventually(async () =>
    expect(await status()).toMatchObject({
      expectedMachines: 5,
      currentHealthy: 2,
      remediationsAllowed: 0,
      conditions: [
        {
          type: 'RemediationAllowed',
          status: 'False',
          severity: 'Warning',
          reason: 'TooManyUnhealthy',
          message:
            'Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy (total: 5, unhealthy: 3, maxUnhealthy: 40%)',
        },
      ],
    }),
  );
  expect(await names()).toHaveLength(5);
  await setReady(cluster.kube, 'node-a', 'True');
  await eventually(async () => expect(await names()).toEqual(['a', 'd', 'e']));
});

test('ML-53: a paused check deletes nothing, and goes on without the annotation', async () => {
  await createMachines(['a'], ['a']);
  await createCheck({}, { [machineAnnotations.paused]: '' });
  await createMachines(['b'], ['b']);
  await start();
  const second = { ...check, name: 'other' };
  const spec = {
    selector: { matchLabels: { none: 'none' } },
    unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '1s' }],
  };
  await cluster.kube.create(
    {
      ...machineHealthCheckResource,
      metadata: { namespace: 'machines', name: 'other' },
      spec,
    } as unknown as KubeObject,
    user,
  );
  await eventually(async () =>
    expect(await findObject(cluster.kube, second)).toHaveProperty('status.expectedMachines', 0),
  );
  expect(await names()).toEqual(['a', 'b']);
  await cluster.kube.patch(check, { metadata: { annotations: { [machineAnnotations.paused]: null } } }, user);
  await eventually(async () => expect(await names()).toEqual([]));
});

test('MP-38: a machine whose node is being updated is left alone until the update is overdue', async () => {
  await createMachines(['a', 'b'], ['a', 'b']);
  const key = machineAnnotations.nodeUpdateInProgress;
  const annotate = (name: string, until: string): Promise<KubeObject> =>
    cluster.kube.patch({ ...place, name }, { metadata: { annotations: { [key]: until } } }, user);
  await annotate('a', '2099-01-01T00:00:00Z');
  await createCheck();
  await start();
  await eventually(async () => expect(await names()).toEqual(['a']));
  await annotate('a', '2020-01-01T00:00:00Z');
  await eventually(async () => expect(await names()).toEqual([]));
});

test('a machine without a controller is not deleted: nothing would replace it', async () => {
  await createMachines(['a'], ['a']);
  await cluster.kube.patch({ ...place, name: 'a' }, { metadata: { ownerReferences: null } }, user);
  await createCheck();
  await start();
  await eventually(async () => {
    const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'machines' });
    expect(items).toMatchObject([{ reason: 'SkippedNoController' }]);
  });
  expect(await names()).toEqual(['a']);
});

test('external remediation marks the machine instead of deleting it', async () => {
  await createMachines(['a'], ['a']);
  await createCheck({}, { [machineAnnotations.remediationStrategy]: 'external-baremetal' });
  await start();
  await eventually(async () =>
    expect((await cluster.kube.get({ ...place, name: 'a' })).metadata.annotations).toHaveProperty([
      machineAnnotations.externalRemediation,
    ]),
  );
});
