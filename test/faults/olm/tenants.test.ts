import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, textAt } from '../../../src/base/index.ts';
import { findObject, isForbidden, type KubeClient, type KubeObject } from '../../../src/kube/index.ts';
import { errorOf } from '../../e2e/world.ts';
import { catalog, catalogSource, subscription } from '../../olm/catalog-objects.ts';
import { type ServedCatalogs, serveCatalogs } from '../../olm/catalogs.ts';
import { crd, csv, deployment, group } from '../../olm/objects.ts';
import { readsNodes } from '../../olm/rbac-objects.ts';
import { eventually } from '../../support/index.ts';
import { spawnControllers } from './controllers-process.ts';
import { openStage, type Stage } from './stage.ts';

const olm = 'operators.coreos.com/v1alpha1';
const rbac = 'rbac.authorization.k8s.io';
const asTenant = { fieldManager: 'tenant' };
const patience = { timeoutMs: 90_000, intervalMs: 100 };
const owned = new AsyncDisposableStack();
const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
const greedy = {
  clusterPermissions: [{ serviceAccountName: 'greedy', rules: everything }],
  deployments: [deployment()],
};

let stage: Stage;
/** May write the kinds of OLM in the namespaces of the tenant, but not their status, and edit these namespaces. */
let tenant: KubeClient;
let catalogs: ServedCatalogs;

const tenantRules = [
  {
    apiGroups: ['operators.coreos.com'],
    resources: ['subscriptions', 'operatorgroups', 'clusterserviceversions', 'installplans', 'catalogsources'],
    verbs: ['*'],
  },
  { apiGroups: [''], resources: ['configmaps', 'serviceaccounts', 'services'], verbs: ['*'] },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'] },
  { apiGroups: [rbac], resources: ['roles', 'rolebindings'], verbs: ['*'] },
];

/** With short names of namespaces written out, and `$catalog`s as addresses. */
function filled(object: JsonObject, slug: string): KubeObject {
  const text = JSON.stringify(object).replaceAll('$id', slug);
  return JSON.parse(
    text.replace(/\$catalog\/(\w+)/g, (_all, name: string) => catalogs.addresses.get(name) ?? ''),
  ) as KubeObject;
}

/** A namespace that the tenant has; gives the prefix of its name. */
async function homeOf(slug: string): Promise<string> {
  const namespace = `${slug}-a`;
  const create = (object: object): Promise<unknown> => stage.server.client.create(object as never);
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const metadata = { name: 'tenant', namespace };
  await create({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules: tenantRules });
  const roleRef = { apiGroup: rbac, kind: 'Role', name: 'tenant' };
  await create({
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef,
    subjects: [{ kind: 'User', name: 'tenant', apiGroup: rbac }],
  });
  return slug;
}

async function create(slug: string, ...objects: readonly JsonObject[]): Promise<void> {
  for (const object of objects) await tenant.create(filled(object, slug), asTenant);
}

const groupKind = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const versionRef = (slug: string, name = 'boat.v0.1.0') => {
  return { apiVersion: olm, kind: 'ClusterServiceVersion', namespace: `${slug}-a`, name };
};

async function statusOf(ref: {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}): Promise<JsonObject> {
  const { status } = await stage.kube.get(ref);
  return isJsonObject(status) ? status : {};
}

async function shows(slug: string, text: string, name?: string): Promise<void> {
  await eventually(async () => {
    const status = await statusOf(versionRef(slug, name));
    expect(`${textAt(status, 'phase')}/${textAt(status, 'reason')}`, textAt(status, 'message')).toBe(text);
  }, patience);
}

/** Cluster-wide grants to accounts of the tenant's namespace. */
async function grantsTo(slug: string): Promise<readonly string[]> {
  const { items } = await stage.kube.list({ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding' });
  const ofTenant = items.filter((one) => JSON.stringify(one['subjects'] ?? []).includes(`"${slug}-a"`));
  return ofTenant.map(({ metadata }) => metadata.name ?? '');
}

beforeAll(async () => {
  stage = owned.use(await openStage());
  tenant = stage.kube.actingAs({ user: 'tenant' });
  const documents = JSON.stringify(catalog({ version: '0.1.0', csv: { install: greedy } }));
  const forSlug = (slug: string): JsonObject[] => JSON.parse(documents.replaceAll('$id', slug)) as JsonObject[];
  catalogs = owned.use(
    await serveCatalogs({
      scoped: forSlug('case-scoped'),
      hand: forSlug('case-hand'),
      foreign: forSlug('case-foreign'),
    }),
  );
  const controllers = owned.use(
    spawnControllers({ kubeconfigPath: stage.kubeconfigPath, folder: join(stage.folder, 'controllers') }),
  );
  await controllers.ready;
});

afterAll(() => owned.disposeAsync());

describe('tenants of a cluster with operators', { shuffle: false }, () => {
  test('the status of objects of OLM is not for tenants', async () => {
    const slug = await homeOf('case-status');
    await create(slug, group(), csv());
    const status = { phase: 'Succeeded', namespaces: ['kube-system'] };
    const objects = [group(), csv(), subscription(), catalogSource('scoped')];
    const plan = {
      apiVersion: olm,
      kind: 'InstallPlan',
      metadata: { name: 'plan', namespace: '$id-a' },
      spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: [] },
    };
    for (const object of [...objects, plan]) {
      const { apiVersion, kind, metadata } = filled(object, slug);
      const ref = { apiVersion, kind, namespace: `${slug}-a`, name: metadata.name ?? '' };
      const write = tenant.patch(ref, { status }, { ...asTenant, subresource: 'status' });
      expect(isForbidden(await errorOf(write)), kind).toBe(true);
    }
  });

  test('a ClusterServiceVersion that asks for permissions of the cluster gets none', async () => {
    const slug = await homeOf('case-greedy');
    await create(slug, group());
    await stage.kube.apply(filled(crd(), slug), { fieldManager: 'admin', force: true });
    await create(slug, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'greedy', namespace: '$id-a' } });
    await create(slug, csv({ install: greedy }));
    await shows(slug, 'Pending/RequirementsNotMet');
    expect(await grantsTo(slug)).toEqual([]);
  });

  test('plans of a group with a service account install nothing that the account may not, by which user they were written and approved', async () => {
    const slug = await homeOf('case-scoped');
    await create(slug, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'limited', namespace: '$id-a' } });
    await create(slug, group({ spec: { serviceAccountName: 'limited' } }), catalogSource('scoped'));
    await create(slug, subscription({ installPlanApproval: 'Manual' }));
    const plans = { apiVersion: olm, kind: 'InstallPlan', namespace: `${slug}-a` };
    const name = await eventually(async () => {
      const [plan] = (await stage.kube.list(plans)).items;
      expect(plan?.['status']).toMatchObject({ phase: 'RequiresApproval' });
      return plan?.metadata.name ?? '';
    }, patience);
    await tenant.patch(
      { ...plans, name },
      { spec: { approved: true, clusterServiceVersionNames: ['other.v1'] } },
      asTenant,
    );
    await create(slug, {
      apiVersion: olm,
      kind: 'InstallPlan',
      metadata: { name: 'hand-written', namespace: '$id-a' },
      spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['boat.v0.1.0'] },
    });
    for (const one of [name, 'hand-written']) {
      await eventually(async () => {
        const status = await statusOf({ ...plans, name: one });
        expect(textAt(status, 'message')).toContain('User "system:serviceaccount:case-scoped-a:limited" cannot create');
      }, patience);
    }
    expect(await grantsTo(slug)).toEqual([]);
    expect((await stage.kube.list(versionRef(slug))).items).toEqual([]);
  });

  test('an account that the group names and that does not exist, or looks like one elsewhere, installs nothing', async () => {
    const slug = await homeOf('case-absent');
    await create(
      slug,
      group({ spec: { serviceAccountName: '../kube-system:default' } }),
      csv({ spec: { customresourcedefinitions: {} } }),
    );
    await shows(slug, 'Failed/InstallComponentFailed');
    expect(
      await findObject(stage.kube, { apiVersion: 'apps/v1', kind: 'Deployment', namespace: `${slug}-a`, name: 'boat' }),
    ).toBeUndefined();
  });

  test('a Subscription to a catalog of another tenant finds nothing', async () => {
    const [own, other] = [await homeOf('case-foreign'), await homeOf('case-other')];
    await create(own, catalogSource('foreign'));
    await eventually(async () => {
      const status = await statusOf({ apiVersion: olm, kind: 'CatalogSource', namespace: `${own}-a`, name: 'shop' });
      expect(status['connectionState']).toMatchObject({ lastObservedState: 'READY' });
    }, patience);
    await create(other, group(), subscription({ sourceNamespace: `${own}-a` }));
    await eventually(async () => {
      const status = await statusOf({ apiVersion: olm, kind: 'Subscription', namespace: `${other}-a`, name: 'boat' });
      expect(JSON.stringify(status['conditions'])).toMatch(/NoCatalogSourcesFound|no operators found from catalog/);
    }, patience);
    expect((await stage.kube.list({ apiVersion: olm, kind: 'InstallPlan', namespace: `${other}-a` })).items).toEqual(
      [],
    );
  });

  test('the annotation that makes an operator watch all namespaces does not reach its Pods when a tenant writes it', async () => {
    const slug = await homeOf('case-targets');
    await create(slug, group(), csv({ spec: { customresourcedefinitions: {} } }));
    await shows(slug, 'Succeeded/InstallSucceeded');
    const annotations = { 'olm.targetNamespaces': '', 'olm.operatorGroup': 'other' };
    await tenant.patch(versionRef(slug), { metadata: { annotations } }, asTenant);
    await eventually(async () => {
      const { metadata } = await stage.kube.get(versionRef(slug));
      expect(metadata.annotations).toMatchObject({ 'olm.targetNamespaces': `${slug}-a`, 'olm.operatorGroup': 'group' });
    }, patience);
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: `${slug}-a`, name: 'boat' };
    const { spec } = (await stage.kube.get(ref)) as KubeObject & { spec: { template: KubeObject } };
    expect(spec.template.metadata.annotations).toMatchObject({ 'olm.targetNamespaces': `${slug}-a` });
  });

  test('a group that claims the APIs of an installed operator, in all namespaces, does not make that fail, also when its own group is replaced', async () => {
    const [victim, thief] = [await homeOf('case-victim'), await homeOf('case-thief')];
    await stage.kube.apply(filled(crd(), victim), { fieldManager: 'admin', force: true });
    await create(victim, group(), csv());
    await shows(victim, 'Succeeded/InstallSucceeded');
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: `${victim}-a`, name: 'boat' };
    const { uid } = (await stage.kube.get(ref)).metadata;
    const own = { ...groupKind, namespace: `${victim}-a`, name: 'group' };
    const { lastUpdated = '' } = await statusOf(own);
    // Which of two groups is older is known by the second.
    await eventually(() => expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(lastUpdated as string) + 1_000));
    const claim = group({ targets: [], spec: { staticProvidedAPIs: true } });
    const annotations = { 'olm.providedAPIs': `Boat.v1.${victim}.example.com` };
    const metadata = { ...(claim['metadata'] as JsonObject), annotations };
    await create(thief, { ...claim, metadata });
    await eventually(async () => {
      const found = await stage.kube.get({ ...groupKind, namespace: `${thief}-a`, name: 'group' });
      expect(found['status']).toMatchObject({ namespaces: [''] });
    }, patience);
    await tenant.patch(versionRef(victim), { metadata: { labels: { touched: 'yes' } } }, asTenant);
    await create(thief, csv({ name: 'other.v1', spec: { customresourcedefinitions: {} } }));
    await shows(thief, 'Succeeded/InstallSucceeded', 'other.v1');
    await shows(victim, 'Succeeded/InstallSucceeded');
    // As by kubectl replace, and kubectl replace --force: what the annotation of its own group has recorded is lost.
    const before = await stage.kube.get(own);
    await tenant.update({ ...before, metadata: { ...before.metadata, annotations: {} } }, asTenant);
    const hasApis = async (): Promise<void> => {
      expect((await stage.kube.get(own)).metadata.annotations).toMatchObject(annotations);
    };
    await eventually(hasApis, patience);
    await tenant.delete(own);
    await shows(victim, 'Failed/NoOperatorGroup');
    await create(victim, group());
    await eventually(hasApis, patience);
    await shows(victim, 'Succeeded/InstallSucceeded');
    expect((await stage.kube.get(ref)).metadata.uid).toBe(uid);
  });

  test('a group that was there before, and claims the APIs of an installed operator later, does not make that fail', async () => {
    const [victim, thief] = [await homeOf('case-installed'), await homeOf('case-waiting')];
    const thiefGroup = { ...groupKind, namespace: `${thief}-a`, name: 'group' };
    await create(thief, group({ targets: [], spec: { staticProvidedAPIs: true } }));
    await eventually(async () => expect(await statusOf(thiefGroup)).toMatchObject({ namespaces: [''] }), patience);
    const { lastUpdated = '' } = await statusOf(thiefGroup);
    await eventually(() => expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(lastUpdated as string) + 1_000));
    await stage.kube.apply(filled(crd(), victim), { fieldManager: 'admin', force: true });
    await create(victim, group(), csv());
    await shows(victim, 'Succeeded/InstallSucceeded');
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: `${victim}-a`, name: 'boat' };
    const { uid } = (await stage.kube.get(ref)).metadata;
    const annotations = { 'olm.providedAPIs': `Boat.v1.${victim}.example.com` };
    await tenant.patch(thiefGroup, { metadata: { annotations } }, asTenant);
    // Its group changes later than the other one, and the operator is checked again with a condition to show for it.
    const victimGroup = { ...groupKind, namespace: `${victim}-a`, name: 'group' };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'installer' } };
    await create(victim, { ...account, metadata: { ...account.metadata, namespace: `${victim}-a` } });
    await tenant.patch(victimGroup, { spec: { serviceAccountName: 'installer' } }, asTenant);
    await eventually(async () => expect(await statusOf(victimGroup)).toHaveProperty('serviceAccountRef'), patience);
    await tenant.patch(victimGroup, { spec: { serviceAccountName: null } }, asTenant);
    await tenant.delete(ref);
    await eventually(async () => {
      const found = await findObject(stage.kube, ref);
      expect([undefined, uid]).not.toContain(found?.metadata.uid);
    }, patience);
    await shows(victim, 'Succeeded/InstallSucceeded');
  });

  test('a copy that a tenant makes, or a Role that is labelled for the operator of another namespace, gives no permissions', async () => {
    const [operator, slug] = [await homeOf('case-origin'), await homeOf('case-copies')];
    await create(operator, group({ targets: [] }), csv({ spec: { customresourcedefinitions: {} } }));
    await shows(operator, 'Succeeded/InstallSucceeded');
    const forged = csv({ name: 'forged.v1', install: greedy, spec: { customresourcedefinitions: {} } });
    const labels = { 'olm.copiedFrom': `${operator}-a` };
    await create(slug, { ...forged, metadata: { ...(forged['metadata'] as JsonObject), labels } });
    const ownerLabels = {
      'olm.owner': 'boat.v0.1.0',
      'olm.owner.namespace': `${operator}-a`,
      'olm.owner.kind': 'ClusterServiceVersion',
    };
    const role = {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: { name: 'lifted', namespace: '$id-a', labels: ownerLabels },
    };
    await create(slug, { ...role, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] });
    await eventually(
      async () => expect(await findObject(stage.kube, versionRef(slug, 'forged.v1'))).toBeUndefined(),
      patience,
    );
    await eventually(async () => expect(await findObject(stage.kube, versionRef(slug))).toBeDefined(), patience);
    expect(
      await findObject(stage.kube, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', name: 'lifted' }),
    ).toBeUndefined();
    expect(
      await findObject(stage.kube, { apiVersion: 'apps/v1', kind: 'Deployment', namespace: `${slug}-a`, name: 'boat' }),
    ).toBeUndefined();
    expect(await grantsTo(slug)).toEqual([]);
  });

  test('a copy that a tenant changes becomes as it was, and installs nothing', async () => {
    const [operator, slug] = ['case-origin', await homeOf('case-changed')];
    await eventually(async () => expect(await findObject(stage.kube, versionRef(slug))).toBeDefined(), patience);
    await tenant.patch(versionRef(slug), { metadata: { labels: { 'olm.copiedFrom': null } } }, asTenant);
    const install = {
      strategy: 'deployment',
      spec: {
        deployments: [deployment('mine')],
        clusterPermissions: [{ serviceAccountName: 'default', rules: [readsNodes] }],
      },
    };
    await tenant.patch(versionRef(slug), { spec: { install } }, asTenant).catch(() => undefined);
    await eventually(async () => {
      const found = await stage.kube.get(versionRef(slug));
      expect(found.metadata.labels).toMatchObject({ 'olm.copiedFrom': `${operator}-a` });
      expect(JSON.stringify(found['spec'])).not.toContain('mine');
    }, patience);
    expect(
      await findObject(stage.kube, { apiVersion: 'apps/v1', kind: 'Deployment', namespace: `${slug}-a`, name: 'mine' }),
    ).toBeUndefined();
  });

  test.each([
    ['image', { image: '169.254.169.254/latest/meta-data:v1' }],
    ['address', { address: '169.254.169.254:80' }],
  ])(
    'nothing is sent to the metadata service of the cloud that a CatalogSource names as its %s',
    async (name, place) => {
      const slug = await homeOf(`case-metadata-${name}`);
      await create(slug, {
        apiVersion: olm,
        kind: 'CatalogSource',
        metadata: { name: 'shop', namespace: '$id-a' },
        spec: { sourceType: 'grpc', ...place },
      });
      const ref = { apiVersion: olm, kind: 'CatalogSource', namespace: `${slug}-a`, name: 'shop' };
      await eventually(async () => {
        expect(textAt(await statusOf(ref), 'message')).toContain(
          'is link-local or a metadata service: nothing is sent there',
        );
      }, patience);
    },
  );

  test('an API of the cluster stays where it is served, whichever operator claims to serve it', async () => {
    const slug = await homeOf('case-claimed-api');
    const apiService = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: 'v1.apps' };
    const { spec } = await stage.kube.get(apiService);
    await create(slug, group());
    const owned = [
      {
        name: 'deployments',
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        deploymentName: 'boat',
        containerPort: 443,
      },
    ];
    const claim = csv({ name: 'claim.v1', spec: { customresourcedefinitions: {}, apiservicedefinitions: { owned } } });
    await create(slug, claim);
    await eventually(async () => {
      expect(textAt(await statusOf(versionRef(slug, 'claim.v1')), 'phase')).toMatch(/Failed|Pending/);
    }, patience);
    await tenant.delete(versionRef(slug, 'claim.v1'));
    await eventually(
      async () => expect(await findObject(stage.kube, versionRef(slug, 'claim.v1'))).toBeUndefined(),
      patience,
    );
    expect((await stage.kube.get(apiService))['spec']).toEqual(spec);
    expect(await grantsTo(slug)).toEqual([]);
  });
});
