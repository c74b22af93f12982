import { describe, expect, test } from 'vitest';
import { acmeCsv, eventually } from '../../../test/support/index.ts';
import {
  becomes,
  bundle,
  catalog,
  cluster,
  contents,
  count,
  crd,
  crdKind,
  createGroup,
  createPlan,
  csvKind,
  live,
  metrics,
  namespace,
  planNamed,
  rbac,
  runInstallPlansForEachTest,
  stepsOf,
  user,
} from '../../../test/support/install-plan-cluster.ts';
import type { InstallPlanStep } from '../../api/index.ts';
import { type JsonObject, objectAt, WaitingError } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { planSteps, stepOf } from '../../operators/index.ts';

runInstallPlansForEachTest();

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
