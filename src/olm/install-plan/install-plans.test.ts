import { describe, expect, test } from 'vitest';
import { acmeCsv, eventually } from '../../../test/support/index.ts';
import {
  becomes,
  bundle,
  catalog,
  catalogListeners,
  cluster,
  contents,
  count,
  crd,
  crdKind,
  createGroup,
  createPlan,
  csvKind,
  end,
  live,
  namespace,
  offered,
  olm,
  planKind,
  planNamed,
  rbac,
  runInstallPlansForEachTest,
  start,
  stepsOf,
  user,
} from '../../../test/support/install-plan-cluster.ts';
import { type JsonObject, objectAt } from '../../base/index.ts';
import { type Property, parseVersion } from '../../constraints/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { type BundleContent, planSteps, stepOf } from '../../operators/index.ts';
import type { CatalogBundle, CatalogPackage } from '../../resolver/index.ts';

runInstallPlansForEachTest();

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
    offered.catalogs = [view];
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
    offered.unavailable = [{ name: 'shop', namespace: 'olm', why: 'no connection' }];
    await createPlan([]);
    await eventually(async () => {
      const { phase, message } = (await planNamed()).status ?? {};
      expect([phase, message]).toEqual([
        'Planning',
        expect.stringContaining('error using catalogsource olm/shop: no connection'),
      ]);
    });
    offered.unavailable = [];
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
