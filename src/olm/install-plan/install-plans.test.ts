import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acmeCsv, type BareCluster, eventually, openBareCluster, sampleCrd } from '../../../test/support/index.ts';
import type { InstallPlan, InstallPlanStep } from '../../api/index.ts';
import {
  type JsonObject,
  objectAt,
  parseYaml,
  silentLogger,
  systemClock,
  TerminalError,
  WaitingError,
} from '../../base/index.ts';
import { type Property, parseVersion } from '../../constraints/index.ts';
import { createManager, type Manager } from '../../controller/index.ts';
import type { KubeObject, ObjectRef, OwnerReference } from '../../kube/index.ts';
import { createMetrics, type Metrics } from '../../metrics/index.ts';
import { type BundleContent, type BundleContents, planSteps, stepOf } from '../../operators/index.ts';
import type { CatalogBundle, CatalogPackage } from '../../resolver/index.ts';
import type { CatalogSourceViews, HeldSources } from '../catalog-source/views.ts';
import { addInstallPlans } from './controller.ts';

const user = { fieldManager: 'test' };
const olm = 'operators.coreos.com/v1alpha1';
const planKind = { apiVersion: olm, kind: 'InstallPlan' };
const csvKind = { apiVersion: olm, kind: 'ClusterServiceVersion' };
const crdKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const rbac = 'rbac.authorization.k8s.io/v1';
const catalog = { name: 'shop', namespace: 'olm' };
const retryTimeoutMs = 1_500;

let cluster: BareCluster;
let stop: AbortController;
let started: Manager;
let metrics: Metrics;
let contents: Map<string, BundleContent | WaitingError>;
let packages: HeldSources['catalogs'];
let unavailable: HeldSources['unavailable'];
const catalogListeners = new Set<Parameters<CatalogSourceViews['subscribe']>[0]>();
let namespace: string;
let count = 0;

const reader: BundleContents = {
  read: ({ name }) => {
    const content = contents.get(name);
    if (content === undefined) return Promise.reject(new TerminalError('BundleContentMissing', name));
    return content instanceof WaitingError ? Promise.reject(content) : Promise.resolve(content);
  },
};

beforeAll(async () => {
  cluster = await openBareCluster();
  for (const name of ['installplans', 'clusterserviceversions', 'subscriptions', 'operatorgroups']) {
    const file = `crds/olm/operators.coreos.com_${name}.yaml`;
    await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
  }
  for (const kind of ['InstallPlan', 'ClusterServiceVersion', 'Subscription']) {
    await eventually(() => cluster.kube.list({ apiVersion: olm, kind }));
  }
  await eventually(() => cluster.kube.list({ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' }));
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function start(): Promise<void> {
  stop = new AbortController();
  const { kube } = cluster;
  metrics = createMetrics();
  started = createManager({ kube, clock: systemClock, log: silentLogger(), metrics, signal: stop.signal });
  const hold = (): HeldSources => ({
    catalogs: packages,
    unavailable,
    manifestsOf: () => Promise.resolve(undefined),
    [Symbol.dispose]: () => undefined,
  });
  const subscribe: CatalogSourceViews['subscribe'] = (listener) => {
    catalogListeners.add(listener);
    return { [Symbol.dispose]: () => catalogListeners.delete(listener) };
  };
  const views = { hold, subscribe };
  addInstallPlans(started, { contents: reader, views, retryTimeoutMs, operatorNamespace: 'default' });
  await started.start();
}

async function end(): Promise<void> {
  stop.abort();
  await started.whenStopped();
}

beforeEach(async () => {
  contents = new Map();
  packages = [];
  unavailable = [];
  count += 1;
  namespace = `ns-${count}`;
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
  await start();
});

afterEach(end);

async function createGroup(spec: JsonObject = {}): Promise<void> {
  const metadata = { name: 'group', namespace };
  await cluster.kube.create({ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata, spec }, user);
}

function crd(name: string, versions = [{ name: 'v1', schema: { type: 'object' } }]): JsonObject {
  const plain = JSON.parse(JSON.stringify(sampleCrd(versions)).replaceAll('samples.example.com', name)) as JsonObject;
  const { status: _status, ...rest } = plain;
  return rest;
}

function bundle(objects: readonly JsonObject[] = [], spec: JsonObject = {}): BundleContent {
  return { name: 'boat.v1', csv: acmeCsv(spec, { name: 'boat.v1' }), objects };
}

function stepsOf(content: BundleContent): readonly InstallPlanStep[] {
  return planSteps(content, { namespace, catalog });
}

async function subscription(): Promise<OwnerReference> {
  const spec = { name: 'boat', source: 'shop', sourceNamespace: 'olm' };
  const { metadata } = await cluster.kube
    .apply({ apiVersion: olm, kind: 'Subscription', metadata: { name: 'boat', namespace }, spec }, user)
    .then(({ object }) => object);
  return { apiVersion: olm, kind: 'Subscription', name: 'boat', uid: metadata.uid ?? '' };
}

/** Without steps it is a plan that a user writes. */
async function createPlan(steps: readonly InstallPlanStep[], spec: JsonObject = {}, name = 'plan'): Promise<void> {
  const owners = steps.length === 0 ? {} : { ownerReferences: [await subscription()] };
  await cluster.kube.create(
    {
      ...planKind,
      metadata: { name, namespace, ...owners },
      spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['boat.v1'], ...spec },
    },
    user,
  );
  if (steps.length === 0) return;
  const status = { phase: '', catalogSources: ['shop'], plan: steps as unknown as JsonObject[] };
  await cluster.kube.patch({ ...planKind, name, namespace }, { status }, { ...user, subresource: 'status' });
}

async function planNamed(name = 'plan'): Promise<InstallPlan> {
  return (await cluster.kube.get({ ...planKind, name, namespace })) as unknown as InstallPlan;
}

async function becomes(phase: string, name = 'plan'): Promise<NonNullable<InstallPlan['status']>> {
  return await eventually(async () => {
    const { status } = await planNamed(name);
    expect(status?.phase, status?.message).toBe(phase);
    return status as NonNullable<InstallPlan['status']>;
  });
}

const live = (kind: string, name: string, apiVersion = 'v1'): Promise<KubeObject> =>
  cluster.kube.get({ apiVersion, kind, name, namespace } as ObjectRef);

describe('phases', () => {
  test('a plan that needs approval creates nothing before it is approved, and then everything', async () => {
    await createGroup();
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'chart' }, data: { a: 'b' } };
    await createPlan(stepsOf(bundle([configMap, crd(`approved-${count}.example.com`)])), {
      approval: 'Manual',
      approved: false,
    });
    await becomes('RequiresApproval');
    expect((await cluster.kube.list({ ...csvKind, namespace })).items).toEqual([]);
    await cluster.kube.patch({ ...planKind, name: 'plan', namespace }, { spec: { approved: true } }, user);
    const { plan = [], conditions, message, startTime } = await becomes('Complete');
    expect(plan.map(({ status }) => status)).toEqual(plan.map(() => 'Created'));
    expect(conditions).toMatchObject([{ type: 'Installed', status: 'True' }]);
    expect([message, typeof startTime]).toEqual([undefined, 'string']);
    const csv = await cluster.kube.get({ ...csvKind, name: 'boat.v1', namespace });
    const { metadata } = await live('ConfigMap', 'chart');
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'ClusterServiceVersion', uid: csv.metadata.uid }]);
    expect(metadata.labels).toEqual({ 'olm.managed': 'true' });
  });

  test('what a plan for a Subscription creates has the label of its package from the start, and nothing of other packages', async () => {
    await createGroup();
    const ownLabel = `operators.coreos.com/boat.${namespace}`;
    const dockLabel = `operators.coreos.com/dock.${namespace}`;
    const configMap = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const packaged = (name: string): Parameters<typeof planSteps>[1] => {
      const value = { packageName: name, version: '1.0.0' };
      return { namespace, catalog, properties: [{ type: 'olm.package', value }] };
    };
    const contentOf = (name: string): BundleContent => {
      const objects = [configMap(name), crd(`${name}-${count}.example.com`)];
      return { name: `${name}.v1`, csv: acmeCsv({}, { name: `${name}.v1` }), objects };
    };
    const names = ['boat', 'dock', 'sail'];
    const dependency = stepOf(
      {
        apiVersion: olm,
        kind: 'Subscription',
        metadata: { name: 'dock', namespace },
        spec: { name: 'dock', source: 'shop', sourceNamespace: 'olm' },
      },
      { resolving: 'dock.v1', catalog },
    );
    const clusterServiceVersionNames = names.map((name) => `${name}.v1`);
    const steps = [...names.flatMap((name) => planSteps(contentOf(name), packaged(name))), dependency];
    await createPlan(steps, { clusterServiceVersionNames, approval: 'Manual', approved: false });
    const approval = { metadata: { labels: { [ownLabel]: '' } }, spec: { approved: true } };
    await cluster.kube.patch({ ...planKind, name: 'plan', namespace }, approval, user);
    await becomes('Complete');
    const labelsOf = async (name: string): Promise<readonly (readonly string[])[]> => {
      const created = [
        await cluster.kube.get({ ...csvKind, name: `${name}.v1`, namespace }),
        await live('ConfigMap', name),
        await cluster.kube.get({ ...crdKind, name: `samples.${name}-${count}.example.com` }),
      ];
      return created.map(({ metadata }) => Object.keys(metadata.labels ?? {}).filter((key) => key.includes('coreos')));
    };
    expect(await labelsOf('boat')).toEqual([[ownLabel], [ownLabel], [ownLabel]]);
    expect(await labelsOf('dock')).toEqual([[dockLabel], [dockLabel], [dockLabel]]);
    // No Subscription of its package is served.
    expect(await labelsOf('sail')).toEqual([[], [], []]);
  });

  test('a definition is annotated with the operator that it was installed for, once for each', async () => {
    await createGroup();
    const name = `alongside-${count}.example.com`;
    await createPlan(stepsOf(bundle([crd(name)])));
    await becomes('Complete');
    const second = { ...bundle([crd(name)]), name: 'boat.v2', csv: acmeCsv({}, { name: 'boat.v2' }) };
    await createPlan(stepsOf(second), { clusterServiceVersionNames: ['boat.v2'] }, 'next');
    await becomes('Complete', 'next');
    const { metadata } = await cluster.kube.get({ ...crdKind, name: `samples.${name}` });
    const values = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes('/installed-alongside-'));
    expect(values.map(([, value]) => value).toSorted()).toEqual([`${namespace}/boat.v1`, `${namespace}/boat.v2`]);
  });

  test('a step that fails is retried, and the plan fails after the timeout', async () => {
    await createGroup();
    const broken = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'Not_A_Name' }, spec: { ports: [] } };
    await createPlan(stepsOf(bundle([broken])));
    const text = await eventually(async () => {
      const { message = '' } = (await planNamed()).status ?? {};
      expect(message).toContain('retrying execution due to error: ');
      return message;
    });
    const { conditions, message } = await becomes('Failed');
    expect(message).toMatch(/^error updating service: Not_A_Name: Service "Not_A_Name" is invalid: /);
    expect(text).toBe(`retrying execution due to error: ${message}`);
    expect(conditions).toMatchObject([
      { type: 'Installed', status: 'False', reason: 'InstallComponentFailed', message },
    ]);
  });

  test('a step that fails at first completes when what prevented it was deleted', async () => {
    await createGroup();
    const role = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: `foreign-${count}` }, rules: [] };
    await cluster.kube.create(role, user);
    const verbs = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
    await createPlan(stepsOf(bundle([{ ...role, rules: [verbs] }])));
    await eventually(async () => expect((await planNamed()).status?.message).toContain('was not installed for'));
    await cluster.kube.delete({ apiVersion: rbac, kind: 'ClusterRole', name: `foreign-${count}` });
    await becomes('Complete');
  });

  test('without an OperatorGroup the plan waits and reports why', async () => {
    await createPlan(stepsOf(bundle()));
    const condition = (message: string): Promise<void> =>
      eventually(async () => {
        const { conditions } = (await planNamed()).status ?? {};
        expect(conditions).toMatchObject([{ status: 'False', reason: 'InstallCheckFailed', message }]);
      });
    await condition('no operator group found that is managing this namespace');
    await createGroup();
    const { conditions } = await becomes('Complete');
    expect(conditions).toMatchObject([{ type: 'Installed', status: 'True' }]);
  });

  test('a controller that is stopped between steps continues where it was', async () => {
    await createGroup();
    const steps = stepsOf(bundle([crd(`resumed-${count}.example.com`)]));
    await end();
    const [csv] = steps;
    await cluster.kube.create({ ...(JSON.parse(csv?.resource.manifest ?? '') as KubeObject) }, user);
    await createPlan(steps);
    await start();
    const { plan = [] } = await becomes('Complete');
    expect(plan.map(({ status }) => status)).toEqual(plan.map((_, index) => (index === 0 ? 'Present' : 'Created')));
  });

  test('the oldest plans are deleted when there are more than five', async () => {
    await createGroup();
    for (const generation of [1, 2, 3, 4, 5, 6, 7]) {
      await createPlan(stepsOf(bundle()), { generation }, `plan-${generation}`);
      await eventually(async () => {
        const { items } = await cluster.kube.list({ ...planKind, namespace });
        const last = items.find(({ metadata }) => metadata.name === `plan-${generation}`);
        expect(objectAt(last as unknown as JsonObject, 'status')).toMatchObject({ phase: 'Complete' });
      });
    }
    await eventually(async () => {
      const { items } = await cluster.kube.list({ ...planKind, namespace });
      const names = items.map(({ metadata }) => metadata.name);
      expect(names).toEqual(['plan-3', 'plan-4', 'plan-5', 'plan-6', 'plan-7']);
    });
  });
});

describe('steps', () => {
  test('a kind that plans do not apply makes the plan fail at once', async () => {
    await createGroup();
    await createPlan(stepsOf(bundle([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }])));
    const { plan = [], message } = await becomes('Failed');
    expect(message).toContain('the InstallPlan contains invalid data: step Pod "p"');
    expect(plan.map(({ status }) => status)).toContain('UnsupportedResource');
  });

  test('a manifest of another object than the step names makes the plan fail', async () => {
    await createGroup();
    const [csv, ...others] = stepsOf(bundle());
    const role = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'x' }, rules: [] };
    const hidden = { resource: { ...stepOf(role, { resolving: 'boat.v1', catalog }).resource, kind: 'Role' } };
    await createPlan([csv as InstallPlanStep, ...others.map((step) => ({ ...step, ...hidden }))]);
    expect((await becomes('Failed')).message).toContain('its manifest is of');
  });

  test('an API that is not served is reported as OLM does', async () => {
    await createGroup();
    const monitor = { apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', metadata: { name: 'm' } };
    await createPlan(stepsOf(bundle([monitor])));
    expect((await becomes('Failed')).message).toContain(
      'api-server resource not found installing ServiceMonitor m: GroupVersionKind monitoring.coreos.com/v1, Kind=ServiceMonitor not found on the cluster.',
    );
  });

  test('an optional step that fails does not prevent the completion of the plan', async () => {
    await createGroup();
    const broken = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'Not_A_Name' }, spec: { ports: [] } };
    const steps = stepsOf(bundle([broken]));
    await createPlan(steps.map((step) => (step.resource.kind === 'Service' ? { ...step, optional: true } : step)));
    const { plan = [] } = await becomes('Complete');
    expect(plan.find(({ optional }) => optional === true)?.status).toBe('NotCreated');
  });

  test('an account of two versions is owned by both, and keeps its pull secrets', async () => {
    await createGroup();
    const account = 'acme-widget-controller';
    await createPlan(stepsOf(bundle()));
    await becomes('Complete');
    const pull = { imagePullSecrets: [{ name: 'pull' }] };
    await cluster.kube.patch({ apiVersion: 'v1', kind: 'ServiceAccount', name: account, namespace }, pull, user);
    const second = { ...bundle(), name: 'boat.v2', csv: acmeCsv({}, { name: 'boat.v2' }) };
    await createPlan(stepsOf(second), { clusterServiceVersionNames: ['boat.v2'] }, 'next');
    await becomes('Complete', 'next');
    const merged = await live('ServiceAccount', account);
    expect(merged.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['boat.v1', 'boat.v2']);
    expect(merged).toMatchObject(pull);
  });

  test('a Service that exists keeps its address, and an object that no operator owns stays without an owner', async () => {
    await createGroup();
    const service = (port: number): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'pier', namespace },
      spec: { ports: [{ port }], selector: { a: 'b' } },
    });
    const before = await cluster.kube.create(service(80), user);
    await createPlan(stepsOf(bundle([service(81) as unknown as JsonObject])));
    await becomes('Complete');
    const after = await live('Service', 'pier');
    const spec = objectAt(after as unknown as JsonObject, 'spec');
    expect(spec).toMatchObject({ ports: [{ port: 81 }] });
    expect(spec?.['clusterIP']).toBe(objectAt(before as unknown as JsonObject, 'spec')?.['clusterIP']);
    expect(after.metadata.ownerReferences).toBeUndefined();
    expect(after.metadata.labels).toBeUndefined();
  });

  test('an upgrade replaces what an object holds, which goes with the last operator that it was installed for', async () => {
    await createGroup();
    const configMap = (data: JsonObject): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'chart' },
      data,
    });
    await createPlan(stepsOf(bundle([configMap({ a: '1', b: '2' })])));
    await becomes('Complete');
    const second = { ...bundle([configMap({ a: '3' })]), name: 'boat.v2', csv: acmeCsv({}, { name: 'boat.v2' }) };
    await createPlan(stepsOf(second), { clusterServiceVersionNames: ['boat.v2'] }, 'next');
    await becomes('Complete', 'next');
    const { metadata, data } = await live('ConfigMap', 'chart');
    expect(data).toEqual({ a: '3' });
    expect(metadata.ownerReferences?.map(({ name }) => name)).toEqual(['boat.v1', 'boat.v2']);
    const [first, last] = metadata.ownerReferences ?? [];
    await cluster.kube.delete({ ...csvKind, namespace, name: 'boat.v2' });
    await eventually(async () => {
      const owners = (await live('ConfigMap', 'chart')).metadata.ownerReferences;
      expect([owners?.map(({ uid }) => uid), last?.uid]).toEqual([[first?.uid], last?.uid]);
    });
  });

  test('a role of the cluster that belongs to something else is not overwritten', async () => {
    await createGroup();
    const stolen = {
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: 'view' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    };
    await createPlan(stepsOf(bundle([stolen])));
    expect((await becomes('Failed')).message).toContain(
      'ClusterRole "view" exists, and was not installed for an operator',
    );
    const { rules } = await cluster.kube.get({ apiVersion: rbac, kind: 'ClusterRole', name: 'view' });
    expect(JSON.stringify(rules)).not.toContain('"*"');
  });

  test('labels that name another owner are not taken over from a manifest', async () => {
    await createGroup();
    const labels = {
      'olm.owner': 'other',
      'olm.owner.namespace': 'elsewhere',
      'olm.owner.kind': 'ClusterServiceVersion',
    };
    const role = { apiVersion: rbac, metadata: { name: `forged-${count}`, labels }, rules: [] };
    await createPlan(stepsOf(bundle(['Role', 'ClusterRole'].map((kind) => ({ ...role, kind })))));
    await becomes('Complete');
    const forged = await live('Role', `forged-${count}`, rbac);
    expect(forged.metadata.labels).toEqual({ 'olm.managed': 'true' });
    const { metadata } = await cluster.kube.get({ apiVersion: rbac, kind: 'ClusterRole', name: `forged-${count}` });
    expect(metadata.labels).toMatchObject({ 'olm.owner': 'boat.v1', 'olm.owner.namespace': namespace });
  });

  test('warnings of the API server become an Event and are counted', async () => {
    await createGroup();
    const role = { apiVersion: rbac, kind: 'Role', metadata: { name: 'odd' }, rules: [], surprise: true };
    await createPlan(stepsOf(bundle([role])));
    await becomes('Complete');
    const { text } = await metrics.show();
    expect(text).toMatch(/^installplan_warnings_total 1$/m);
    await eventually(async () => {
      const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace });
      expect(items).toMatchObject([
        {
          type: 'Warning',
          reason: 'AppliedWithWarnings',
          message:
            '1 warning(s) generated during installation of operator "boat.v1" (Role "odd"): unknown field "surprise"',
        },
      ]);
    });
  });

  test('steps of a large bundle are applied from its content', async () => {
    await createGroup();
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'chart' }, data: { a: 'b' } };
    const content = { ...bundle([configMap]), digest: `sha256:${'0'.repeat(64)}` };
    contents.set('boat.v1', content);
    const steps = planSteps(content, { namespace, catalog, replaces: 'boat.v0', maxInlineBytes: 0 });
    await createPlan(steps);
    const { plan = [] } = await becomes('Complete');
    expect(plan.every(({ resource }) => (resource.manifest ?? '').includes(content.digest))).toBe(true);
    await expect(live('ConfigMap', 'chart')).resolves.toMatchObject({ data: { a: 'b' } });
    const { spec } = await cluster.kube.get({ ...csvKind, name: 'boat.v1', namespace });
    expect(spec).toMatchObject({ replaces: 'boat.v0' });
  });

  test('content that is not fetched yet is waited for', async () => {
    await createGroup();
    const content = { ...bundle(), digest: `sha256:${'0'.repeat(64)}` };
    contents.set('boat.v1', new WaitingError('BundleUnpacking', 'unpack job not completed', { afterMs: 50 }));
    await createPlan(planSteps(content, { namespace, catalog, maxInlineBytes: 0 }));
    await eventually(async () => expect((await planNamed()).status?.message).toBe('unpack job not completed'));
    contents.set('boat.v1', content);
    await becomes('Complete');
  });

  test('a pull secret is copied from the namespace of OLM, and no other Secret', async () => {
    await createGroup();
    const secretOf = (name: string, type: string, data: JsonObject): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'default' },
      type,
      stringData: data,
    });
    const [pull, token] = [`pull-${count}`, `token-${count}`];
    await cluster.kube.create(secretOf(pull, 'kubernetes.io/dockerconfigjson', { '.dockerconfigjson': '{}' }), user);
    await cluster.kube.create(secretOf(token, 'Opaque', { token: 'x' }), user);
    const [csv] = stepsOf(bundle());
    const step = (name: string): InstallPlanStep => ({
      ...(csv as InstallPlanStep),
      resource: { sourceName: '', sourceNamespace: '', group: '', version: 'v1', kind: 'Secret', name },
    });
    await createPlan([step(pull), step(token)]);
    expect((await becomes('Failed')).message).toContain(`secret ${token} in namespace "default" is of type Opaque`);
    await expect(live('Secret', pull)).resolves.toMatchObject({ type: 'kubernetes.io/dockerconfigjson' });
    await expect(live('Secret', token)).rejects.toThrow('not found');
  });

  test('a copy of an operator that manages the namespace already is no installation', async () => {
    await createGroup();
    const metadata = { name: 'boat.v1', namespace, labels: { 'olm.copiedFrom': 'elsewhere' } };
    await cluster.kube.create({ ...(acmeCsv() as unknown as KubeObject), metadata }, user);
    await createPlan(stepsOf(bundle()));
    expect((await becomes('Failed')).message).toContain('is a copy of the operator in namespace "elsewhere"');
  });

  test('a dependency that competes with an operator of the namespace is not installed', async () => {
    await createGroup();
    const owned = [{ name: 'boats.example.com', version: 'v1', kind: 'Boat' }];
    const spec = { customresourcedefinitions: { owned } };
    await cluster.kube.create({ ...(acmeCsv(spec, { name: 'other', namespace }) as unknown as KubeObject) }, user);
    await createPlan(stepsOf(bundle([], spec)), { clusterServiceVersionNames: ['main'] });
    const text = 'pre-existing CRD owners found for owned CRD(s) of dependent CSV boat.v1';
    expect((await becomes('Failed')).message).toBe(text);
  });
});

describe('definitions', () => {
  const typed = (type: string): { name: string; schema: JsonObject }[] => [
    {
      name: 'v1',
      schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type } } } } },
    },
  ];

  async function installed(name: string, versions: { name: string; schema: JsonObject }[]): Promise<void> {
    await cluster.kube.create(crd(name, versions as never) as unknown as KubeObject, user);
    await eventually(() => cluster.kube.list({ apiVersion: `${name}/v1`, kind: 'Sample' }));
  }

  test('a change that objects of it do not satisfy makes the plan fail', async () => {
    await createGroup();
    const name = `strict-${count}.example.com`;
    await installed(name, typed('string'));
    const object = {
      apiVersion: `${name}/v1`,
      kind: 'Sample',
      metadata: { name: 's', namespace },
      spec: { size: 'x' },
    };
    await cluster.kube.create(object, user);
    await createPlan(stepsOf(bundle([crd(name, typed('integer') as never)])));
    const { message } = await becomes('Failed');
    expect(message).toBe(
      `error validating existing CRs against new CRD's schema for "samples.${name}": error validating ${name}/v1, Kind=Sample "${namespace}/s": updated validation is too restrictive: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"`,
    );
  });

  test('a version that objects are stored in cannot be removed', async () => {
    await createGroup();
    const name = `stored-${count}.example.com`;
    await installed(name, typed('string'));
    const [version] = typed('string');
    await createPlan(stepsOf(bundle([crd(name, [{ ...version, name: 'v2' }] as never)])));
    expect((await becomes('Failed')).message).toBe(
      `risk of data loss updating "samples.${name}": new CRD removes version v1 that is listed as a stored version on the existing CRD`,
    );
  });

  test.each(['operators.coreos.com', 'core.rukpak.io', 'platform.openshift.io'])(
    'a bundle cannot change the definitions of the platform: %s',
    async (group) => {
      await createGroup();
      await createPlan(stepsOf(bundle([crd(group)])));
      expect((await becomes('Failed')).message).toContain(`is of the API group ${group}`);
    },
  );

  test('P8 a definition that is not established is waited for', async () => {
    await createGroup();
    const name = `waiting-${count}.example.com`;
    const definition = crd(name);
    const taken = { kind: 'Sample', plural: 'takens', singular: 'taken', listKind: 'TakenList' };
    const spec = { ...(definition['spec'] as JsonObject), names: taken };
    const holder = { ...definition, metadata: { name: `takens.${name}` }, spec } as unknown as KubeObject;
    await cluster.kube.create(holder, user);
    await createPlan(stepsOf(bundle([definition])));
    await eventually(async () => {
      const { phase, plan = [] } = (await planNamed()).status ?? {};
      expect(phase).toBe('Installing');
      expect(plan.find(({ resource }) => resource.kind === crdKind.kind)?.status).toBe('WaitingForApi');
    });
    await cluster.kube.delete({ ...crdKind, name: `takens.${name}` });
    const { plan = [] } = await becomes('Complete');
    expect(plan.find(({ resource }) => resource.kind === crdKind.kind)?.status).toBe('Created');
  });

  test('a change that objects satisfy is made', async () => {
    await createGroup();
    const name = `loose-${count}.example.com`;
    await installed(name, typed('string'));
    const [version] = typed('string');
    await createPlan(stepsOf(bundle([crd(name, [version, { ...version, name: 'v2' }] as never)])));
    await becomes('Complete');
    const { spec } = await cluster.kube.get({ ...crdKind, name: `samples.${name}` });
    expect((spec as { versions: JsonObject[] }).versions.map((one) => one['name'])).toEqual(['v1', 'v2']);
  });
});

describe('accounts of OperatorGroups', () => {
  const account = { name: 'tenant' };

  test('what the account may not do is retried until it may', async () => {
    await createGroup({ serviceAccountName: 'tenant' });
    await createPlan(stepsOf(bundle()));
    await eventually(async () => {
      const { conditions } = (await planNamed()).status ?? {};
      expect(conditions?.[0]?.message).toBe(
        `please make sure the service account exists. sa=tenant operatorgroup=${namespace}/group`,
      );
    });
    await cluster.kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...account, namespace } }, user);
    const group = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: 'group', namespace };
    await cluster.kube.patch(group, { metadata: { labels: { a: 'b' } } }, user);
    await eventually(async () => {
      const { message, phase, attenuatedServiceAccountRef } = (await planNamed()).status ?? {};
      expect([phase, message]).toEqual([
        'Installing',
        expect.stringMatching(
          /^retrying execution due to error: error creating csv boat\.v1: .* cannot create resource/,
        ),
      ]);
      expect(attenuatedServiceAccountRef).toMatchObject({ kind: 'ServiceAccount', name: 'tenant', namespace });
    });
    const subjects = [{ kind: 'ServiceAccount', ...account, namespace }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const metadata = { name: 'tenant', namespace };
    await cluster.kube.create(
      { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: namespace }, roleRef, subjects },
      user,
    );
    await cluster.kube.create({ apiVersion: rbac, kind: 'RoleBinding', metadata, roleRef, subjects }, user);
    await becomes('Complete');
  });
});

/** Lets the account of the OperatorGroup do everything. */
async function createPowerfulAccount(name: string): Promise<void> {
  await cluster.kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }, user);
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const binding = { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: `all-${namespace}` } };
  await cluster.kube.create({ ...binding, roleRef, subjects }, user);
}

test('with an account, a plan does not have the objects of an existing definition converted', async () => {
  await createPowerfulAccount('tenant');
  await createGroup({ serviceAccountName: 'tenant' });
  const name = `converted-${count}.example.com`;
  await cluster.kube.create(crd(name) as unknown as KubeObject, user);
  const clientConfig = { url: 'https://hostile.example.com/convert' };
  const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
  const definition = crd(name);
  await createPlan(stepsOf(bundle([{ ...definition, spec: { ...(definition['spec'] as JsonObject), conversion } }])));
  await becomes('Complete');
  const { spec } = await cluster.kube.get({ ...crdKind, name: `samples.${name}` });
  expect(spec).toMatchObject({ conversion: { strategy: 'None' } });
});

test('with an account, a plan shows nothing of objects of other namespaces that its definition does not allow', async () => {
  await createPowerfulAccount('tenant');
  await createGroup({ serviceAccountName: 'tenant' });
  const name = `private-${count}.example.com`;
  const versionsOf = (size: JsonObject): never =>
    [{ name: 'v1', schema: { type: 'object', properties: { size: { type: 'string', ...size } } } }] as never;
  await cluster.kube.create(crd(name, versionsOf({})) as unknown as KubeObject, user);
  await eventually(() => cluster.kube.list({ apiVersion: `${name}/v1`, kind: 'Sample' }));
  const sample = (place: string): KubeObject => ({
    apiVersion: `${name}/v1`,
    kind: 'Sample',
    metadata: { name: `of-${place}`, namespace: place },
    size: `secret of ${place}`,
  });
  for (const place of ['default', namespace]) await cluster.kube.create(sample(place), user);
  await createPlan(stepsOf(bundle([crd(name, versionsOf({ pattern: '^$' }))])));
  const { message = '' } = await becomes('Failed');
  expect(message).toContain(`Kind=Sample "${namespace}/of-${namespace}"`);
  expect(message).toContain(`secret of ${namespace}`);
  expect(message).toContain(`Kind=Sample outside of namespace "${namespace}": updated validation is too restrictive`);
  expect(message).not.toContain('secret of default');
  expect(message).not.toContain('of-default');
});

/** An account that may do everything in its namespace, and nothing outside of it. */
async function createAccount(name: string): Promise<void> {
  await cluster.kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }, user);
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const binding = { apiVersion: rbac, kind: 'RoleBinding', metadata: { name, namespace } };
  await cluster.kube.create({ ...binding, roleRef, subjects }, user);
}

describe('definitions that an account is not allowed to change', () => {
  const stored = { type: 'object', properties: { size: { type: 'string' }, depth: { type: 'string' } } };
  const v1 = { name: 'v1', schema: stored };
  const clientConfig = { url: 'https://hostile.example.com/convert' };
  const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };

  async function installed(name: string, place: string): Promise<KubeObject> {
    await createAccount('tenant');
    await createGroup({ serviceAccountName: 'tenant' });
    await cluster.kube.create(crd(name, [v1]) as unknown as KubeObject, user);
    const object = { apiVersion: `${name}/v1`, kind: 'Sample', metadata: { name: 's', namespace: place } };
    return await eventually(() => cluster.kube.create({ ...object, size: 'large', depth: 'deep' }, user));
  }

  const definitionSteps = (definition: JsonObject): readonly InstallPlanStep[] =>
    stepsOf(bundle([definition])).filter(({ resource }) => resource.kind === crdKind.kind);

  const withSpec = (definition: JsonObject, spec: JsonObject): JsonObject => {
    return { ...definition, spec: { ...(definition['spec'] as JsonObject), ...spec } };
  };

  test.each([
    {
      what: 'removes a field',
      versions: [{ ...v1, schema: { type: 'object', properties: { size: { type: 'string' } } } }],
      spec: {},
      why: 'removed field : v1.^.depth',
    },
    {
      what: 'is to be converted by a webhook, which it does not get',
      versions: [{ ...v1, schema: { type: 'object', properties: { depth: { type: 'string' } } } }],
      spec: { conversion },
      why: 'removed field : v1.^.size',
    },
    {
      what: 'does not serve a version any more',
      versions: [
        { ...v1, isServed: false },
        { ...v1, name: 'v2' },
      ],
      spec: {},
      why: 'version v1 is not served any more',
    },
    {
      what: 'stores objects by another schema',
      versions: [{ name: 'v2', schema: { type: 'object' } }, v1],
      spec: {},
      why: 'objects are stored as version v2',
    },
    {
      what: 'has another kind',
      versions: [v1],
      spec: { names: { plural: 'samples', singular: 'sample', kind: 'Other', listKind: 'OtherList' } },
      why: 'spec.names.kind changes',
    },
  ])('one that $what stays as it is, while objects of other namespaces exist', async ({ versions, spec, why }) => {
    const name = `shared-${count}.example.com`;
    const before = await installed(name, 'default');
    const definition = await cluster.kube.get({ ...crdKind, name: `samples.${name}` });
    await createPlan(stepsOf(bundle([withSpec(crd(name, versions as never), spec)])));
    await eventually(async () => {
      const { phase, message } = (await planNamed()).status ?? {};
      expect([phase, message]).toEqual(['Installing', expect.stringContaining(why)]);
      expect(message).toMatch(/cannot update resource "customresourcedefinitions".*must be allowed this change/);
    });
    expect((await cluster.kube.get({ ...crdKind, name: `samples.${name}` }))['spec']).toEqual(definition['spec']);
    expect(await cluster.kube.get({ ...before, name: 's', namespace: 'default' })).toMatchObject({ depth: 'deep' });
  });

  test('one is changed while only objects of its own namespace exist', async () => {
    const name = `own-${count}.example.com`;
    await installed(name, namespace);
    const versions = [{ ...v1, schema: { type: 'object', properties: { size: { type: 'string' } } } }];
    await createPlan(definitionSteps(crd(name, versions)));
    await becomes('Complete');
  });

  test('a compatible change is made, and marks by which others know the definition stay', async () => {
    const name = `compatible-${count}.example.com`;
    await installed(name, 'default');
    const wider = { ...stored, properties: { ...stored.properties, color: { type: 'string' } } };
    const marks = { 'core.rukpak.io/owner-name': 'x', 'cert-manager.io/inject-ca-from': 'x' };
    const definition = crd(name, [{ ...v1, schema: wider }]);
    const metadata = { ...(definition['metadata'] as JsonObject), labels: marks, annotations: marks };
    await createPlan(definitionSteps({ ...definition, metadata }));
    await becomes('Complete');
    const changed = await cluster.kube.get({ ...crdKind, name: `samples.${name}` });
    expect(JSON.stringify(changed['spec'])).toContain('color');
    expect([changed.metadata.labels, changed.metadata.annotations]).toEqual([undefined, undefined]);
  });
});

test('marks of the platform are not taken over from the definition of a bundle', async () => {
  await createGroup();
  const name = `marked-${count}.example.com`;
  const marks = {
    'core.rukpak.io/owner-name': 'x',
    'applyset.kubernetes.io/part-of': 'x',
    'operatorframework.io/installed-alongside-1': 'other/boat.v1',
    'example.com/kept': 'x',
  };
  const definition = crd(name);
  const metadata = { ...(definition['metadata'] as JsonObject), labels: marks, annotations: marks };
  await createPlan(stepsOf(bundle([{ ...definition, metadata }])));
  await becomes('Complete');
  const { labels = {}, annotations = {} } = (await cluster.kube.get({ ...crdKind, name: `samples.${name}` })).metadata;
  expect(Object.keys(labels).filter((key) => key in marks)).toEqual(['example.com/kept']);
  expect(Object.keys(annotations).filter((key) => key in marks)).toEqual(['example.com/kept']);
});

describe('failed plans of accounts', () => {
  test('P10 such a plan is executed again when permissions of its namespace change', async () => {
    await cluster.kube.create(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'late', namespace } },
      user,
    );
    await createGroup({ serviceAccountName: 'late' });
    await createPlan(stepsOf(bundle()));
    await eventually(async () => {
      expect((await planNamed()).status?.message).toMatch(/cannot create resource/);
    });
    const { metadata } = await planNamed();
    const ref = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace, name: metadata.name };
    await eventually(async () => {
      if ((await planNamed()).status?.phase !== 'Failed') {
        const status = { phase: 'Failed' };
        await cluster.kube.patch(ref, { status }, { ...user, subresource: 'status' });
      }
      expect((await planNamed()).status?.phase).toBe('Failed');
    });
    const subjects = [{ kind: 'ServiceAccount', name: 'late', namespace }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const clusterBinding = { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: `${namespace}-late` } };
    await cluster.kube.create({ ...clusterBinding, roleRef, subjects }, user);
    const binding = { apiVersion: rbac, kind: 'RoleBinding', metadata: { name: 'late', namespace } };
    await cluster.kube.create({ ...binding, roleRef, subjects }, user);
    await becomes('Complete');
  });
});

describe('plans that users write', () => {
  const gvk = { group: 'example.com', version: 'v1', kind: 'Boat' };
  const boat = { name: 'boats.example.com', version: 'v1', kind: 'Boat' };

  function offer(): void {
    const boatContent = bundle([], { customresourcedefinitions: { owned: [boat] } });
    const required = { customresourcedefinitions: { required: [boat] } };
    contents.set('boat.v1', boatContent);
    contents.set('dock.v1', { name: 'dock.v1', csv: acmeCsv(required, { name: 'dock.v1' }), objects: [] });
    const bundleOf = (packageName: string, properties: readonly Property[]): CatalogBundle => ({
      name: `${packageName}.v1`,
      packageName,
      version: parseVersion('1.0.0'),
      properties,
    });
    const all = new Map([
      ['boat', bundleOf('boat', [{ type: 'olm.gvk', value: gvk }])],
      ['dock', bundleOf('dock', [])],
    ]);
    const packageOf = (name: string): CatalogPackage | undefined => {
      const found = all.get(name);
      if (found === undefined) return undefined;
      const entries = [{ name: found.name, skips: [] }];
      const channels = [{ name: 'stable', entries }];
      return { name, defaultChannel: 'stable', channels, bundles: new Map([[found.name, found]]) };
    };
    const view = {
      ...catalog,
      priority: 0,
      labels: {},
      packageNames: () => [...all.keys()],
      package: packageOf,
      packagesProviding: ({ kind }: { readonly kind: string }) => (kind === 'Boat' ? ['boat'] : []),
    };
    packages = [view];
  }

  test('C-014, C-015 the operators that it names and those that they require are planned, and created when it is approved', async () => {
    await createGroup();
    offer();
    await createPlan([], { clusterServiceVersionNames: ['dock.v1'], approval: 'Manual', approved: false });
    const { plan = [], catalogSources } = await becomes('RequiresApproval');
    const csvs = plan.filter(({ resource }) => resource.kind === 'ClusterServiceVersion');
    expect(csvs.map(({ resource }) => resource.name)).toEqual(['dock.v1', 'boat.v1']);
    expect(catalogSources).toEqual(['shop']);
    expect((await cluster.kube.list({ ...csvKind, namespace })).items).toEqual([]);
    await cluster.kube.patch({ ...planKind, name: 'plan', namespace }, { spec: { approved: true } }, user);
    await becomes('Complete');
    expect((await cluster.kube.list({ ...csvKind, namespace })).items).toHaveLength(2);
  });

  test('while a catalog cannot be read, a name that the others lack is waited for', async () => {
    await createGroup();
    unavailable = [{ name: 'shop', namespace: 'olm', why: 'no connection' }];
    await createPlan([]);
    await eventually(async () => {
      const { phase, message } = (await planNamed()).status ?? {};
      expect([phase, message]).toEqual([
        'Planning',
        expect.stringContaining('error using catalogsource olm/shop: no connection'),
      ]);
    });
    unavailable = [];
    offer();
    for (const listener of catalogListeners) listener(catalog);
    await becomes('Complete');
  });

  test('very many names make the plan fail, before any is looked for', async () => {
    await createGroup();
    const clusterServiceVersionNames = Array.from({ length: 51 }, (_, index) => `ghost.v${index}`);
    await createPlan([], { clusterServiceVersionNames });
    expect((await becomes('Failed')).message).toBe('more than 50 bundles');
  });

  test('a name that no catalog has makes the plan fail', async () => {
    await createGroup();
    offer();
    await createPlan([], { clusterServiceVersionNames: ['ghost.v1'] });
    const { conditions, message } = await becomes('Failed');
    const text = `ClusterServiceVersion "ghost.v1" is in no catalog that is visible in namespace "${namespace}"`;
    expect(message).toBe(text);
    expect(conditions).toMatchObject([{ status: 'False', reason: 'DependenciesConflict', message: text }]);
  });
});
