import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, objectsAt, textAt } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import { catalog, catalogSource, packageOf, subscription } from '../../olm/catalog-objects.ts';
import { type ServedCatalogs, serveCatalogs } from '../../olm/catalogs.ts';
import { deployment, group } from '../../olm/objects.ts';
import { eventually } from '../../support/index.ts';
import { spawnControllers } from './controllers-process.ts';
import { openStage, type Stage } from './stage.ts';

const olm = 'operators.coreos.com/v1alpha1';
const user = { fieldManager: 'user' };
const patience = { timeoutMs: 90_000, intervalMs: 100 };
const owned = new AsyncDisposableStack();
let stage: Stage;

beforeAll(async () => {
  stage = owned.use(await openStage());
  const controllers = owned.use(
    spawnControllers({ kubeconfigPath: stage.kubeconfigPath, folder: join(stage.folder, 'controllers') }),
  );
  await controllers.ready;
});

afterAll(() => owned.disposeAsync());

async function served(slug: string, documents: readonly JsonObject[]): Promise<ServedCatalogs> {
  return await serveCatalogs({ shop: JSON.parse(JSON.stringify(documents).replaceAll('$id', slug)) as JsonObject[] });
}

/** Creates a namespace with a group, a catalog and a Subscription in it. */
async function request(slug: string, address: string, spec: JsonObject = {}): Promise<void> {
  await stage.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${slug}-a` } }, user);
  for (const object of [group(), catalogSource('shop'), subscription(spec)]) {
    const text = JSON.stringify(object).replaceAll('$id', slug).replaceAll('$catalog/shop', address);
    await stage.kube.create(JSON.parse(text) as KubeObject, user);
  }
}

const ref = (slug: string, kind: string, name: string) => ({ apiVersion: olm, kind, namespace: `${slug}-a`, name });

async function statusOf(slug: string, kind: string, name: string): Promise<JsonObject> {
  const { status } = await stage.kube.get(ref(slug, kind, name));
  return isJsonObject(status) ? status : {};
}

async function installs(slug: string, csv: string): Promise<void> {
  await eventually(async () => {
    expect(await statusOf(slug, 'ClusterServiceVersion', csv)).toMatchObject({ phase: 'Succeeded' });
    expect(await statusOf(slug, 'Subscription', 'boat')).toMatchObject({ installedCSV: csv });
  }, patience);
}

async function conditionShows(slug: string, type: string, message: RegExp): Promise<void> {
  await eventually(async () => {
    const conditions = objectsAt(await statusOf(slug, 'Subscription', 'boat'), 'conditions');
    const found = conditions.find((one) => one['type'] === type && one['status'] === 'True');
    expect(textAt(found, 'message')).toMatch(message);
  }, patience);
}

async function plansOf(slug: string): Promise<readonly KubeObject[]> {
  return (await stage.kube.list({ apiVersion: olm, kind: 'InstallPlan', namespace: `${slug}-a` })).items;
}

const first = { version: '0.1.0' };
const second = { version: '0.2.0', replaces: '0.1.0' };

test('an operator keeps running, and is upgraded, when its catalog goes away and comes back with another version', async () => {
  const slug = 'case-gone';
  const catalogs = await served(slug, catalog(first));
  await request(slug, catalogs.addresses.get('shop') ?? '');
  await installs(slug, 'boat.v0.1.0');
  await catalogs[Symbol.asyncDispose]();
  await using next = await served(slug, catalog(first, second));
  const spec = { address: next.addresses.get('shop') ?? '' };
  await stage.kube.patch(ref(slug, 'CatalogSource', 'shop'), { spec }, user);
  await installs(slug, 'boat.v0.2.0');
  expect(await plansOf(slug)).toHaveLength(2);
});

test('a plan that waits for approval is installed as it was shown when its catalog has changed, or does not exist any more', async () => {
  const slug = 'case-changed';
  const catalogs = await served(slug, catalog(first));
  await request(slug, catalogs.addresses.get('shop') ?? '', { installPlanApproval: 'Manual' });
  const plan = await eventually(async () => {
    const [found] = await plansOf(slug);
    expect(found?.['status']).toMatchObject({ phase: 'RequiresApproval' });
    return found?.metadata.name ?? '';
  }, patience);
  await catalogs[Symbol.asyncDispose]();
  const other = catalog({ ...first, csv: { install: { deployments: [deployment('another')] } } });
  await using next = await served(slug, other);
  const spec = { address: next.addresses.get('shop') ?? '' };
  await stage.kube.patch(ref(slug, 'CatalogSource', 'shop'), { spec }, user);
  await stage.kube.patch(ref(slug, 'InstallPlan', plan), { spec: { approved: true } }, user);
  await installs(slug, 'boat.v0.1.0');
  const { items } = await stage.kube.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: `${slug}-a` });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['boat']);
  expect(await plansOf(slug)).toHaveLength(1);
});

test('a catalog at an address where nothing answers is named, and the operator is installed once something does', async () => {
  const slug = 'case-dead';
  const catalogs = await served(slug, catalog(first));
  await request(slug, '127.0.0.1:1');
  await conditionShows(slug, 'ResolutionFailed', /shop/);
  const spec = { address: catalogs.addresses.get('shop') ?? '' };
  await stage.kube.patch(ref(slug, 'CatalogSource', 'shop'), { spec }, user);
  await installs(slug, 'boat.v0.1.0');
  await catalogs[Symbol.asyncDispose]();
});

test('a CatalogSource that is deleted is named by the Subscription, and its operator stays', async () => {
  const slug = 'case-deleted';
  await using catalogs = await served(slug, catalog(first));
  await request(slug, catalogs.addresses.get('shop') ?? '');
  await installs(slug, 'boat.v0.1.0');
  await stage.kube.delete(ref(slug, 'CatalogSource', 'shop'));
  await conditionShows(slug, 'CatalogSourcesUnhealthy', /catalogsource/);
  expect(await statusOf(slug, 'ClusterServiceVersion', 'boat.v0.1.0')).toMatchObject({ phase: 'Succeeded' });
});

const cycle = catalog({ version: '0.1.0', replaces: '0.2.0' }, second);
const forked = catalog(first, second, { version: '0.3.0', replaces: '0.1.0' });
const constraint = (levels: number): JsonObject => {
  let value: JsonObject = { package: { packageName: 'dock', versionRange: '>0.0.0' } };
  for (let level = 0; level < levels; level += 1) value = { all: { constraints: [value] } };
  return { type: 'olm.constraint', value: { failureMessage: 'deep', ...value } };
};
const needing = (...properties: readonly JsonObject[]): JsonObject[] => catalog({ ...first, properties });
const many = Array.from({ length: 5_000 }, (_, index) => ({
  type: 'olm.gvk.required',
  value: { group: `g${index}.example.com`, version: 'v1', kind: 'K' },
}));

test.each([
  { name: 'entries that replace one another in a circle', documents: cycle, message: /cycle|no channel heads/ },
  { name: 'two heads', documents: forked, message: /replacement chain|heads/ },
  { name: 'a constraint of seventy levels', documents: needing(constraint(70)), message: /.+/ },
  { name: 'five thousand required APIs', documents: needing(...many), message: /requires an operator|.+/ },
  {
    name: 'an expression that never ends',
    documents: needing({
      type: 'olm.constraint',
      value: {
        failureMessage: 'bomb',
        cel: {
          rule: `${'properties.all(a, '.repeat(24)}true${')'.repeat(24)}`,
        },
      },
    }),
    message: /.+/,
  },
  {
    name: 'one bundle name in two packages',
    documents: [
      ...catalog(first),
      ...packageOf({ name: 'ship', kind: 'Ship' }, { version: '0.1.0' }).map((document) => {
        return JSON.parse(JSON.stringify(document).replaceAll('ship.v0.1.0', 'boat.v0.1.0')) as JsonObject;
      }),
    ],
    message: undefined,
  },
])('a catalog with $name is answered with a condition, or installed', async ({ name, documents, message }) => {
  const slug = `case-odd${name.replaceAll(/\W/g, '').slice(0, 20).toLowerCase()}`;
  await using catalogs = await served(slug, documents);
  await request(slug, catalogs.addresses.get('shop') ?? '');
  if (message === undefined) return await installs(slug, 'boat.v0.1.0');
  await conditionShows(slug, 'ResolutionFailed', message);
  const conditions = JSON.stringify((await statusOf(slug, 'Subscription', 'boat'))['conditions']);
  expect(conditions.length).toBeLessThan(8_000);
});
