import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { defaultContentLimits, type JsonObject, parseYaml, silentLogger, systemClock } from '../../src/base/index.ts';
import { createManager, type Manager } from '../../src/controller/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { createMetrics } from '../../src/metrics/index.ts';
import {
  addApiRoles,
  addCatalogSources,
  addClusterServiceVersions,
  addCopiedCsvs,
  addInstallPlans,
  addOperatorConditions,
  addOperatorGroups,
  addSubscriptions,
  openBundleContents,
} from '../../src/olm/index.ts';
import { catalog, catalogSource, subscription } from '../olm/catalog-objects.ts';
import { type ServedCatalogs, serveCatalogs } from '../olm/catalogs.ts';
import { group } from '../olm/objects.ts';
import { eventually } from '../support/index.ts';

const user = { fieldManager: 'test' };
const olm = 'operators.coreos.com/v1alpha1';
const namespace = 'fleet-a';
const terms = { pullSecrets: undefined, mirrors: undefined, policy: undefined };
const settings = {
  limits: defaultContentLimits,
  insecureRegistries: [],
  registryCaPem: [],
  answerDeadlineMs: 10_000,
  platform: 'linux/amd64',
  deadlineMs: 60_000,
};

let kube: KubeClient;
let manager: Manager;
let catalogs: ServedCatalogs;
const owned = new AsyncDisposableStack();

/** Objects of scenarios, with their names and addresses. */
function written(object: JsonObject): KubeObject {
  const text = JSON.stringify(object)
    .replaceAll('$id', 'fleet')
    .replaceAll(/\$catalog\/(\w+)/g, (_all, name: string) => catalogs.addresses.get(name) ?? '');
  return JSON.parse(text) as KubeObject;
}

function documents(of: readonly JsonObject[]): readonly JsonObject[] {
  return JSON.parse(JSON.stringify(of).replaceAll('$id', 'fleet')) as JsonObject[];
}

async function addAll(storeDir: string): Promise<void> {
  const views = await addCatalogSources(manager, {
    storeDir: join(storeDir, 'catalogs'),
    globalNamespace: 'olm',
    settings,
    readTerms: () => Promise.resolve(terms),
  });
  const contents = await openBundleContents(manager, {
    views,
    namespaceUid: (name) => name,
    storeDir: join(storeDir, 'bundles'),
    storeBytes: 2 ** 30,
    settings,
    readTerms: () => Promise.resolve(terms),
  });
  addSubscriptions(manager, { views, contents, globalCatalogNamespace: 'olm' });
  addInstallPlans(manager, { views, contents });
  addClusterServiceVersions(manager);
  addOperatorGroups(manager);
  addOperatorConditions(manager);
  addApiRoles(manager);
  addCopiedCsvs(manager);
}

beforeAll(async () => {
  const server = await startApiServer({});
  owned.defer(() => server.stop());
  kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  owned.defer(() => kube.close());
  for (const file of (await readdir('crds/olm')).filter((name) => name.endsWith('.yaml'))) {
    const path = join('crds/olm', file);
    await kube.apply(parseYaml(path, await readFile(path, 'utf8')) as unknown as KubeObject, user);
  }
  for (const kind of ['Subscription', 'InstallPlan', 'CatalogSource', 'ClusterServiceVersion']) {
    await eventually(() => kube.list({ apiVersion: olm, kind }));
  }
  for (const kind of ['OperatorGroup', 'OLMConfig', 'OperatorCondition', 'Operator']) {
    await eventually(() => kube.list({ apiVersion: 'operators.coreos.com/v1', kind }));
  }
  await eventually(() => kube.list({ apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition' }));
  for (const name of ['olm', namespace]) {
    await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
  }
  const first = { version: '0.1.0' };
  const second = { version: '0.2.0', replaces: '0.1.0' };
  const bad = { version: '0.3.0', replaces: '0.2.0' };
  const head = { version: '0.4.0', replaces: '0.2.0', skips: ['0.3.0'] };
  catalogs = owned.use(
    await serveCatalogs({
      old: documents(catalog(first)),
      new: documents(catalog(first, second, bad, head)),
    }),
  );
  const folder = await mkdtemp(join(tmpdir(), 'longshore-olm-subscription-'));
  owned.defer(() => rm(folder, { recursive: true, force: true }));
  const stop = new AbortController();
  manager = createManager({
    kube,
    clock: systemClock,
    log: silentLogger(),
    metrics: createMetrics(),
    signal: stop.signal,
  });
  await addAll(folder);
  owned.defer(async () => {
    stop.abort();
    await manager.whenStopped();
  });
  await manager.start();
});

afterAll(() => owned.disposeAsync());

const named = (kind: string, name: string, apiVersion = olm) => ({ apiVersion, kind, name, namespace });

async function create(object: JsonObject): Promise<void> {
  await kube.create(written(object), user);
}

async function installs(csv: string): Promise<void> {
  await eventually(async () => {
    const { status } = await kube.get(named('Subscription', 'boat'));
    expect(status).toMatchObject({ state: 'AtLatestKnown', currentCSV: csv, installedCSV: csv });
    expect(await kube.get(named('ClusterServiceVersion', csv))).toMatchObject({ status: { phase: 'Succeeded' } });
  });
}

async function plans(): Promise<readonly KubeObject[]> {
  const { items } = await kube.list({ apiVersion: olm, kind: 'InstallPlan', namespace });
  const generationOf = (plan: KubeObject): number => (plan['spec'] as { generation: number }).generation;
  return items.toSorted((a, b) => generationOf(a) - generationOf(b));
}

describe('a Subscription', { shuffle: false }, () => {
  test('C-011 C-070 C-072 a Subscription installs an operator from a catalog, and upgrades it over two hops', async () => {
    await create(group());
    await create(catalogSource('old'));
    await create(subscription());
    await installs('boat.v0.1.0');
    await eventually(async () => {
      const deployment = await kube.get(named('Deployment', 'boat', 'apps/v1'));
      expect(deployment).toMatchObject({ status: { availableReplicas: 1 } });
    });
    const source = written(catalogSource('new'));
    const { spec } = source as KubeObject & { readonly spec: JsonObject };
    await kube.patch(named('CatalogSource', 'shop'), { spec }, user);
    await installs('boat.v0.4.0');
    const made = await plans();
    expect(made.map((plan) => (plan['spec'] as JsonObject)['clusterServiceVersionNames'])).toEqual([
      ['boat.v0.1.0'],
      ['boat.v0.2.0'],
      ['boat.v0.4.0'],
    ]);
    await eventually(async () => {
      const { items } = await kube.list({ apiVersion: olm, kind: 'ClusterServiceVersion', namespace });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['boat.v0.4.0']);
      const { status } = await kube.get(named('Subscription', 'boat'));
      expect(status).toMatchObject({ conditions: [{ type: 'CatalogSourcesUnhealthy', status: 'False' }] });
    });
  });

  test('C-013 a Manual Subscription waits for the approval of its plan', async () => {
    await kube.delete(named('Subscription', 'boat'));
    await kube.delete(named('ClusterServiceVersion', 'boat.v0.4.0'));
    await eventually(async () => {
      const { items } = await kube.list({ apiVersion: olm, kind: 'ClusterServiceVersion', namespace });
      expect(items).toEqual([]);
    });
    await create(subscription({ installPlanApproval: 'Manual', startingCSV: 'boat.v0.2.0' }));
    const plan = await eventually(async () => {
      const found = (await plans()).at(-1);
      expect(found).toMatchObject({
        spec: { approved: false, clusterServiceVersionNames: ['boat.v0.2.0'] },
        status: { phase: 'RequiresApproval' },
      });
      return found;
    });
    expect((await kube.list({ apiVersion: olm, kind: 'ClusterServiceVersion', namespace })).items).toEqual([]);
    await kube.patch(named('InstallPlan', plan?.metadata.name ?? ''), { spec: { approved: true } }, user);
    await eventually(async () => {
      expect(await kube.get(named('ClusterServiceVersion', 'boat.v0.2.0'))).toMatchObject({
        status: { phase: 'Succeeded' },
      });
    });
  });
});
