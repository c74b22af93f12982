import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import { isRealCluster } from '../../test/support/real-cluster.ts';
import {
  clusterVersion,
  createClusterVersion,
  openReleaseCluster,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
  runEngine,
} from '../../test/support/release-cluster.ts';
import { installed, settings, smallRelease, untilAt, untilCondition } from '../../test/support/small-release.ts';
import type { JsonObject } from '../base/index.ts';
import { findObject, type KubeObject, type ObjectRef } from '../kube/index.ts';

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
});

afterEach(() => stack.disposeAsync());

const user = { fieldManager: 'someone' };
const configMap = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name });
const find = async (ref: ObjectRef): Promise<KubeObject | undefined> => {
  return await findObject(cluster.kube, ref);
};
const request = (version: string): Promise<void> =>
  patchSpec(cluster.kube, { desiredUpdate: { image: releaseImage(version) } });

/** Two releases, the first of which is installed. */
async function installFirst(
  first: Record<string, JsonObject>,
  second: Record<string, JsonObject>,
  options: Partial<Parameters<typeof installed>[1]> = {},
): Promise<void> {
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', first),
    '1.1.0': await smallRelease(cluster, '1.1.0', second),
  };
  stack.use(await installed(cluster, { releases, first: '1.0.0', ...options }));
}

const deletes = { annotations: { 'release.openshift.io/delete': 'true' } };

test('CV-75: an object with the delete annotation is deleted by an update, and again when it comes back', async () => {
  await installFirst(
    { '0000_10_a_10_x.yaml': settings('x', '1') },
    { '0000_10_a_10_x.yaml': settings('x', '1', deletes), '0000_10_a_20_y.yaml': settings('y', '1', deletes) },
  );
  await request('1.1.0');
  await untilAt(cluster, '1.1.0');
  expect(await find(configMap('x'))).toBeUndefined();
  await cluster.kube.create(settings('x', 'back') as unknown as KubeObject, user);
  await eventually(async () => expect(await find(configMap('x'))).toBeUndefined());
});

test('CV-75: an installation neither creates nor deletes it', async () => {
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quay' } }, user);
  await cluster.kube.create(settings('x', 'mine') as unknown as KubeObject, user);
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', {
      '0000_10_a_10_x.yaml': settings('x', '1', deletes),
      '0000_10_a_10_y.yaml': settings('y', '1', deletes),
    }),
  };
  await createClusterVersion(cluster.kube);
  // A reconciliation would delete it: it must not begin.
  const intervals = { minimumMs: 10 * 60_000, random: () => 0 };
  stack.use(await runEngine(cluster, { releases, first: '1.0.0', intervals }));
  await untilAt(cluster, '1.0.0');
  expect(await find(configMap('x'))).toMatchObject({ data: { value: 'mine' } });
  expect(await find(configMap('y'))).toBeUndefined();
});

test('CV-75: any other value of the annotation fails the update', async () => {
  const wrong = { annotations: { 'release.openshift.io/delete': 'false' } };
  await installFirst({}, { '0000_10_a_10_x.yaml': settings('x', '1', wrong) }, { tryPauses: 'none' });
  await request('1.1.0');
  await untilCondition(
    cluster,
    'Failing',
    'True UpdatePayloadFailed Could not update configmap "quay/x" (2 of 2): invalid delete annotation "release.openshift.io/delete" value: "false"',
  );
});

test('CV-76: what is being deleted stays pending until it does not exist', async () => {
  const held = { finalizers: ['example.com/held'] };
  await installFirst(
    { '0000_10_a_10_x.yaml': settings('x', '1', held) },
    { '0000_10_a_10_x.yaml': settings('x', '1', deletes) },
  );
  await request('1.1.0');
  await untilAt(cluster, '1.1.0');
  const pending = { group: '', kind: 'ConfigMap', namespace: 'quay', name: 'x' };
  await eventually(async () =>
    expect((await clusterVersion(cluster.kube)).status?.pendingDeletions).toMatchObject([pending]),
  );
  await cluster.kube.patch(configMap('x'), { metadata: { finalizers: null } }, user);
  await eventually(async () => expect((await clusterVersion(cluster.kube)).status?.pendingDeletions).toEqual([]));
  expect(await find(configMap('x'))).toBeUndefined();
});

test('CV-77: create-only objects are created, and never changed', async () => {
  const once = { annotations: { 'release.openshift.io/create-only': 'true' } };
  await installFirst(
    { '0000_10_a_10_x.yaml': settings('x', '1', once) },
    { '0000_10_a_10_x.yaml': settings('x', '2', once), '0000_10_a_10_y.yaml': settings('y', '2', once) },
  );
  await request('1.1.0');
  await untilAt(cluster, '1.1.0');
  expect(await find(configMap('x'))).toMatchObject({ data: { value: '1' } });
  expect(await find(configMap('y'))).toMatchObject({ data: { value: '2' } });
  const [owner] = (await find(configMap('y')))?.metadata.ownerReferences ?? [];
  expect([owner?.kind, owner?.controller]).toEqual(['ClusterVersion', undefined]);
});

test('CV-78: an overridden object is left alone by a patch, and stands against a minor update', async () => {
  const manifests = (value: string): Record<string, JsonObject> => ({
    '0000_10_a_10_x.yaml': settings('x', value),
    '0000_10_a_10_y.yaml': settings('y', value),
  });
  const versions = ['1.0.0', '1.0.1', '1.1.0'];
  const folders = versions.map(async (version) => [version, await smallRelease(cluster, version, manifests(version))]);
  const releases = Object.fromEntries((await Promise.all(folders)) as [string, string][]);
  stack.use(await installed(cluster, { releases, first: '1.0.0' }));
  const override = { kind: 'ConfigMap', group: '', namespace: 'quay', name: 'x', unmanaged: true };
  await patchSpec(cluster.kube, { overrides: [override] });
  await untilCondition(cluster, 'Upgradeable', /^False ClusterVersionOverrides /);
  await request('1.1.0');
  await untilCondition(cluster, 'ReleaseAccepted', /^False PreconditionChecks /);
  await request('1.0.1');
  await untilAt(cluster, '1.0.1');
  expect(await find(configMap('x'))).toMatchObject({ data: { value: '1.0.0' } });
  expect(await find(configMap('y'))).toMatchObject({ data: { value: '1.0.1' } });
});

test('CV-79: a key that a release no longer has is removed, and one of another writer stays', async () => {
  const first = { ...settings('x', '1'), data: { value: '1', old: '1' } };
  await installFirst({ '0000_10_a_10_x.yaml': first }, { '0000_10_a_10_x.yaml': settings('x', '2') });
  await cluster.kube.patch(configMap('x'), { data: { theirs: '1' } }, user);
  await request('1.1.0');
  await untilAt(cluster, '1.1.0');
  expect((await find(configMap('x')))?.['data']).toEqual({ value: '2', theirs: '1' });
});

test('objects belong to the ClusterVersion, and labels of other writers stay', async () => {
  await installFirst({ '0000_10_a_10_x.yaml': settings('x', '1') }, { '0000_10_a_10_x.yaml': settings('x', '2') });
  await cluster.kube.patch(configMap('x'), { metadata: { labels: { theirs: 'yes' } } }, user);
  await request('1.1.0');
  await untilAt(cluster, '1.1.0');
  expect((await find(configMap('x')))?.metadata).toMatchObject({
    labels: { theirs: 'yes' },
    ownerReferences: [{ kind: 'ClusterVersion', name: 'version', controller: true }],
  });
});

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Widget', plural: 'widgets' },
    scope: 'Cluster',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
} as unknown as JsonObject;
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };

test('CV-31: a definition is served before an object of its kind is written', async () => {
  await installFirst(
    {},
    { '0000_10_a_10_crd.yaml': widgets, '0000_20_a_10_widget.yaml': widget },
    { tryPauses: 'none' },
  );
  await request('1.1.0');
  await untilAt(cluster, '1.1.0');
  expect(await find({ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w' })).toBeDefined();
});

test('a kind that no one serves is named, with what to do', async () => {
  await installFirst({}, { '0000_20_a_10_widget.yaml': widget }, { tryPauses: 'none' });
  await request('1.1.0');
  const cause = 'the server does not recognize this resource, check extension API servers';
  const detail = 'no matches for kind "Widget" in version "example.com/v1"';
  const message = `Could not update widget "w" (2 of 2): ${cause}: ${detail}`;
  await untilCondition(cluster, 'Failing', `True UpdatePayloadResourceTypeMissing ${message}`);
  const { status } = await clusterVersion(cluster.kube);
  expect(status?.progress?.blockers).toEqual([
    {
      object: 'widget/w',
      reason: 'UpdatePayloadResourceTypeMissing',
      message: `${message}. Install the definition of the kind, or look at the APIService of its group.`,
    },
  ]);
});

const deployment = (label = 'x', annotations: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'x', namespace: 'quay', annotations },
  spec: {
    selector: { matchLabels: { app: label } },
    template: { metadata: { labels: { app: label } }, spec: { containers: [{ name: 'x', image: 'x' }] } },
  },
});

describe('a field that cannot be changed', () => {
  test('fails the update with the text of the server', async () => {
    await installFirst(
      { '0000_10_a_10_x.yaml': deployment() },
      { '0000_10_a_10_x.yaml': deployment('y') },
      { tryPauses: 'none' },
    );
    await request('1.1.0');
    await untilCondition(cluster, 'Failing', /^True UpdatePayloadResourceInvalid .*spec\.selector.*immutable/s);
  });

  test('is changed by another object of the same name, if the manifest allows it', async () => {
    const allowed = { 'release.openshift.io/recreate': 'true' };
    await installFirst(
      { '0000_10_a_10_x.yaml': deployment() },
      { '0000_10_a_10_x.yaml': deployment('y', allowed) },
      {
        tryPauses: 'none',
        waitPolicy: 'reference',
      },
    );
    await request('1.1.0');
    await untilAt(cluster, '1.1.0');
    const object = await find({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'quay', name: 'x' });
    expect(object?.['spec']).toMatchObject({ selector: { matchLabels: { app: 'y' } } });
  });
});

const condition = (type: string, status: string, reason = 'R'): JsonObject => ({ type, status, reason, message: 'm' });

/** Its own controllers write the statuses of workloads, which these tests state. */
const hasControllers = isRealCluster();

test.skipIf(hasControllers).each([
  { name: 'ReplicaFailure', conditions: [condition('ReplicaFailure', 'True')], reason: 'WorkloadNotProgressing' },
  {
    name: 'neither available nor progressing',
    conditions: [condition('Available', 'False'), condition('Progressing', 'False')],
    reason: 'WorkloadNotAvailable',
  },
  {
    name: 'the deadline of its progress',
    conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded')],
    reason: 'WorkloadNotProgressing',
  },
])('CV-80: a Deployment with $name fails the update: $reason', async ({ conditions, reason }) => {
  await installFirst(
    { '0000_10_a_10_x.yaml': deployment() },
    { '0000_10_a_10_x.yaml': deployment() },
    {
      waitPolicy: 'reference',
    },
  );
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'quay', name: 'x' };
  await cluster.kube.patch(ref, { status: { conditions } }, { ...user, subresource: 'status' });
  await request('1.1.0');
  await untilCondition(cluster, 'Failing', new RegExp(`^True ${reason} deployment quay/x `));
});

const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'once', namespace: 'quay' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x' }] } } },
};

test.skipIf(hasControllers)(
  'CV-81: a Job whose deadline has passed fails the update, with reason and message',
  async () => {
    await installFirst(
      { '0000_10_a_10_job.yaml': job },
      { '0000_10_a_10_job.yaml': job },
      {
        waitPolicy: 'reference',
        tryPauses: 'none',
      },
    );
    const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'quay', name: 'once' };
    const conditions = ['FailureTarget', 'Failed'].map((type) => ({
      ...condition(type, 'True', 'DeadlineExceeded'),
      message: 'too late',
    }));
    const status = { startTime: '2030-01-01T00:00:00Z', failed: 1, conditions };
    await cluster.kube.patch(ref, { status }, { ...user, subresource: 'status' });
    await request('1.1.0');
    await untilCondition(
      cluster,
      'Failing',
      'True UpdatePayloadFailed Could not update job "quay/once" (2 of 2): deadline exceeded, reason: "DeadlineExceeded", message: "too late"',
    );
  },
);

test.skipIf(hasControllers)('a release without operators waits until its workloads are rolled out', async () => {
  await installFirst(
    { '0000_10_a_10_x.yaml': deployment() },
    {
      '0000_10_a_10_x.yaml': deployment(),
      '0000_20_a_10_y.yaml': settings('y', '1'),
    },
  );
  await request('1.1.0');
  await untilCondition(cluster, 'Progressing', /waiting on x$/);
  expect(await find(configMap('y'))).toBeUndefined();
  const status = {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    conditions: [condition('Available', 'True'), condition('Progressing', 'True', 'NewReplicaSetAvailable')],
  };
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'quay', name: 'x' };
  await cluster.kube.patch(ref, { status }, { ...user, subresource: 'status' });
  await untilAt(cluster, '1.1.0');
});

test('CV-82: a definition that is not established blocks its component, and is explained', async () => {
  // Longer than a definition is waited for.
  const once = { count: 1, firstMs: 1, factor: 1 };
  // Its kind is taken by another definition.
  const definition = (plural: string, kind: string): JsonObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind, singular: plural.slice(0, -1), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  await cluster.kube.create(definition('boats', 'Boat') as unknown as KubeObject, user);
  await installFirst(
    {},
    {
      '0000_10_a_10_definition.yaml': definition('ships', 'Boat'),
      '0000_10_a_20_x.yaml': settings('x', '1'),
      '0000_10_b_10_y.yaml': settings('y', '1'),
    },
    { intervals: { minimumMs: 10_000, random: () => 0, tries: { installing: once, usual: once } } },
  );
  await request('1.1.0');
  await untilCondition(
    cluster,
    'Failing',
    /^True .*: CustomResourceDefinition ships\.example\.com Established=False, NotAccepted: not all names are accepted$/,
  );
  expect(await find(configMap('x'))).toBeUndefined();
  await eventually(async () => expect(await find(configMap('y'))).toBeDefined());
});

test('an object is waited for until the expression of its manifest is true', async () => {
  const annotations = { 'release.openshift.io/ready': "self.data.state == 'ready'" };
  const object = settings('x', '1', { annotations });
  await installFirst({}, { '0000_10_a_10_x.yaml': object, '0000_20_b_10_y.yaml': settings('y', '1') });
  await request('1.1.0');
  await untilCondition(cluster, 'Progressing', /waiting on x$/);
  expect(await find(configMap('y'))).toBeUndefined();
  await cluster.kube.patch(configMap('x'), { data: { state: 'ready' } }, user);
  await untilAt(cluster, '1.1.0');
  expect(await find(configMap('y'))).toBeDefined();
});

test('an expression that is none is reported with its fault', async () => {
  const annotations = { 'release.openshift.io/ready': 'self.data.' };
  await installFirst({}, { '0000_10_a_10_x.yaml': settings('x', '1', { annotations }) }, { tryPauses: 'none' });
  await request('1.1.0');
  await untilCondition(cluster, 'Failing', /^True .*release\.openshift\.io\/ready: .*Syntax error/s);
});
