import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import {
  type ClusterServiceVersion,
  type InstallPlan,
  parseInstallPlan,
  parseSubscription,
  type Subscription,
  type SubscriptionConditionType,
} from '../../src/api/index.ts';
import { type JsonObject, parseYaml, silentLogger, systemClock } from '../../src/base/index.ts';
import type { Property } from '../../src/constraints/index.ts';
import { createManager, type Manager } from '../../src/controller/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { createMetrics, type Metrics } from '../../src/metrics/index.ts';
import { answerNamespace } from '../../src/olm/subscription/answer.ts';
import { addSubscriptions } from '../../src/olm/subscription/controller.ts';
import type { NamespaceResolver } from '../../src/olm/subscription/resolver.ts';
import { type BareCluster, eventually, openBareCluster } from './index.ts';
import { addStubs, type StubBehaviour, StubCatalogs, StubContents } from './stub-operators.ts';

export const user = { fieldManager: 'test' };
export const apiVersion = 'operators.coreos.com/v1alpha1';
/** Kinds that tests of Subscriptions write and read. */
export const kinds = {
  Subscription: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' },
  InstallPlan: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' },
  ClusterServiceVersion: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' },
  CatalogSource: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' },
  OperatorGroup: { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' },
} as const;
const plurals = ['subscriptions', 'installplans', 'clusterserviceversions', 'catalogsources', 'operatorgroups'];

/** Set by the hooks below, as are the others that change: the test files of a worker run one after the other. */
export let cluster: BareCluster;
export let stop: AbortController;
export let manager: Manager;
export let metrics: Metrics;
/** Catalogs in which tests offer packages. */
export let shop: StubCatalogs;
/** Contents of bundles, which may be unpacking or broken. */
export let contents: StubContents;
/** What fails, or is held up, of what is installed. */
export let behaviour: StubBehaviour;
/** Namespace of the test that runs. */
export let ns: string;
let count = 0;
/** Namespaces whose resolution never ends by itself, and how often it began. */
export const slow: Map<string, number> = new Map();

const resolver: NamespaceResolver = {
  answer: async (question, { catalogs }, signal) => {
    const begun = slow.get(question.namespace);
    if (begun === undefined) return answerNamespace(question, catalogs);
    slow.set(question.namespace, begun + 1);
    return await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  },
  [Symbol.dispose]: () => undefined,
};

/** Starts the controller. */
export async function start(): Promise<void> {
  stop = new AbortController();
  metrics = createMetrics();
  const { kube } = cluster;
  manager = createManager({ kube, clock: systemClock, log: silentLogger(), metrics, signal: stop.signal });
  addSubscriptions(manager, { views: shop, contents, globalCatalogNamespace: 'olm', resolver });
  addStubs(manager, behaviour);
  await manager.start();
}

/** Creates an OperatorGroup. */
export async function group(name = 'group', spec: JsonObject = {}): Promise<void> {
  await cluster.kube.create({ ...kinds.OperatorGroup, metadata: { name, namespace: ns }, spec }, user);
}

/** Creates a Subscription, by default to a package of the main catalog. */
export async function subscribe(name: string, spec: JsonObject = {}): Promise<void> {
  const whole = { name, source: 'shop', sourceNamespace: ns, ...spec };
  await cluster.kube.create({ ...kinds.Subscription, metadata: { name, namespace: ns }, spec: whole }, user);
}

/** A Subscription as it is. */
export const subscription = async (name: string): Promise<Subscription> =>
  parseSubscription(await cluster.kube.get({ ...kinds.Subscription, name, namespace: ns }));

/** The InstallPlans, the oldest first. */
export async function plans(): Promise<readonly InstallPlan[]> {
  const { items } = await cluster.kube.list({ ...kinds.InstallPlan, namespace: ns });
  return items
    .map((item) => parseInstallPlan(item))
    .toSorted((a, b) => (a.spec.generation ?? 0) - (b.spec.generation ?? 0));
}

/** The names of the ClusterServiceVersions. */
export async function csvs(): Promise<readonly string[]> {
  const { items } = await cluster.kube.list({ ...kinds.ClusterServiceVersion, namespace: ns });
  return items.map(({ metadata }) => metadata.name ?? '').toSorted();
}

/** A ClusterServiceVersion as it is. */
export async function csv(name: string): Promise<ClusterServiceVersion> {
  const found = await cluster.kube.get({ ...kinds.ClusterServiceVersion, name, namespace: ns });
  return found as unknown as ClusterServiceVersion;
}

/** Waits until the Subscription has this version, and knows no later one. */
export async function installed(name: string, expected: string): Promise<Subscription> {
  return await eventually(async () => {
    const found = await subscription(name);
    expect(found.status).toMatchObject({
      state: 'AtLatestKnown',
      currentCSV: expected,
      installedCSV: expected,
    });
    expect(condition(found, 'InstallPlanPending')).toBeUndefined();
    return found;
  });
}

/** A condition of a Subscription. */
export function condition(
  { status }: Subscription,
  type: SubscriptionConditionType,
): NonNullable<NonNullable<Subscription['status']>['conditions']>[number] | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

/** Waits until a Subscription has a condition with these members, or does not have it. */
export async function reports(
  name: string,
  type: SubscriptionConditionType,
  expected: JsonObject | undefined,
): Promise<void> {
  await eventually(async () => {
    const found = condition(await subscription(name), type);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });
}

/** The main catalog of the namespace. */
export const main = (): { readonly namespace: string; readonly name: string } => ({ namespace: ns, name: 'shop' });
/** Matches a text that contains this one. */
export const containing = (text: string): string => expect.stringContaining(text) as string;

/** Has what is created next in another namespace. */
export function inNamespace(name: string): void {
  ns = name;
}

/** Properties of a bundle that requires the package `oar`. */
export const needsOar: readonly Property[] = [
  { type: 'olm.package.required', value: { packageName: 'oar', versionRange: '>=1.0.0' } },
];

/** Runs the controller on one cluster for the tests of a file, and starts it for each with a namespace of its own. */
export function runSubscriptionsForEachTest(): void {
  beforeAll(async () => {
    cluster = await openBareCluster();
    for (const plural of plurals) {
      const file = `crds/olm/operators.coreos.com_${plural}.yaml`;
      await cluster.kube.create(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
    }
    for (const kind of Object.values(kinds)) await eventually(() => cluster.kube.list(kind));
    await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } }, user);
  });

  afterAll(() => cluster[Symbol.asyncDispose]());

  beforeEach(async () => {
    count += 1;
    ns = `n${count}`;
    shop = new StubCatalogs(cluster.kube, 'olm');
    contents = new StubContents();
    behaviour = { failing: new Set(), held: new Set(), failingPlans: new Set() };
    await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }, user);
    await group();
    await start();
  });

  afterEach(async () => {
    stop.abort();
    await manager.whenStopped();
    // The next test must not resolve it.
    for (const kind of [kinds.Subscription, kinds.CatalogSource]) {
      const { items } = await cluster.kube.list(kind);
      for (const { metadata } of items) {
        await cluster.kube.delete({ ...kind, name: metadata.name ?? '', namespace: metadata.namespace });
      }
    }
  });
}
