import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { InstallPlan, InstallPlanStep } from '../../src/api/index.ts';
import {
  type JsonObject,
  parseYaml,
  silentLogger,
  systemClock,
  TerminalError,
  WaitingError,
} from '../../src/base/index.ts';
import { createManager, type Manager } from '../../src/controller/index.ts';
import type { KubeObject, ObjectRef, OwnerReference } from '../../src/kube/index.ts';
import { createMetrics, type Metrics } from '../../src/metrics/index.ts';
import type { CatalogSourceViews, HeldSources } from '../../src/olm/catalog-source/views.ts';
import { addInstallPlans } from '../../src/olm/install-plan/controller.ts';
import { type BundleContent, type BundleContents, planSteps } from '../../src/operators/index.ts';
import { acmeCsv, type BareCluster, eventually, openBareCluster, type SampleVersion, sampleCrd } from './index.ts';

/** Options of what tests write. */
export const user = { fieldManager: 'test' };
/** The API version of the kinds of OLM. */
export const olm = 'operators.coreos.com/v1alpha1';
export const planKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' };
export const csvKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
export const crdKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
export const rbac = 'rbac.authorization.k8s.io/v1';
export const catalog = { name: 'shop', namespace: 'olm' };
const retryTimeoutMs = 1_500;

/** Set by the hooks below, as are the others that change: the test files of a worker run one after the other. */
export let cluster: BareCluster;
let stop: AbortController;
let started: Manager;
export let metrics: Metrics;
/** Contents of bundles by name, or why one is waited for. */
export let contents: Map<string, BundleContent | WaitingError>;

/** What the catalogs have, and which of them cannot be read. */
export const offered: { catalogs: HeldSources['catalogs']; unavailable: HeldSources['unavailable'] } = {
  catalogs: [],
  unavailable: [],
};

/** Who is notified when a catalog changes. */
export const catalogListeners: Set<Parameters<CatalogSourceViews['subscribe']>[0]> = new Set();
/** Of the test that runs. */
export let namespace: string;
/** Makes names of cluster-scoped objects unique. */
export let count = 0;

const reader: BundleContents = {
  read: ({ name }) => {
    const content = contents.get(name);
    if (content === undefined) return Promise.reject(new TerminalError('BundleContentMissing', name));
    return content instanceof WaitingError ? Promise.reject(content) : Promise.resolve(content);
  },
};

/** Starts the controller. */
export async function start(): Promise<void> {
  stop = new AbortController();
  const { kube } = cluster;
  metrics = createMetrics();
  started = createManager({ kube, clock: systemClock, log: silentLogger(), metrics, signal: stop.signal });
  const hold = (): HeldSources => ({
    catalogs: offered.catalogs,
    unavailable: offered.unavailable,
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

/** Stops it. */
export async function end(): Promise<void> {
  stop.abort();
  await started.whenStopped();
}

/** Creates the OperatorGroup of the namespace. */
export async function createGroup(spec: JsonObject = {}): Promise<void> {
  const metadata = { name: 'group', namespace };
  await cluster.kube.create({ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata, spec }, user);
}

/** A definition of the API group of this name. */
export function crd(
  name: string,
  versions: readonly SampleVersion[] = [{ name: 'v1', schema: { type: 'object' } }],
): JsonObject {
  const plain = JSON.parse(JSON.stringify(sampleCrd(versions)).replaceAll('samples.example.com', name)) as JsonObject;
  const { status: _status, ...rest } = plain;
  return rest;
}

/** The content of the bundle boat.v1. */
export function bundle(objects: readonly JsonObject[] = [], spec: JsonObject = {}): BundleContent {
  return { name: 'boat.v1', csv: acmeCsv(spec, { name: 'boat.v1' }), objects };
}

/** The steps of a plan that installs it. */
export function stepsOf(content: BundleContent): readonly InstallPlanStep[] {
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
export async function createPlan(
  steps: readonly InstallPlanStep[],
  spec: JsonObject = {},
  name = 'plan',
): Promise<void> {
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

/** The plan as it is. */
export async function planNamed(name = 'plan'): Promise<InstallPlan> {
  return (await cluster.kube.get({ ...planKind, name, namespace })) as unknown as InstallPlan;
}

/** Waits until a plan is in this phase. */
export async function becomes(phase: string, name = 'plan'): Promise<NonNullable<InstallPlan['status']>> {
  return await eventually(async () => {
    const { status } = await planNamed(name);
    expect(status?.phase, status?.message).toBe(phase);
    return status as NonNullable<InstallPlan['status']>;
  });
}

/** An object of the namespace as it is. */
export const live = (kind: string, name: string, apiVersion = 'v1'): Promise<KubeObject> =>
  cluster.kube.get({ apiVersion, kind, name, namespace } as ObjectRef);

/** Runs the controller on one cluster for the tests of a file, and starts it for each with a namespace of its own. */
export function runInstallPlansForEachTest(): void {
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

  beforeEach(async () => {
    contents = new Map();
    offered.catalogs = [];
    offered.unavailable = [];
    count += 1;
    namespace = `ns-${count}`;
    await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
    await start();
  });

  afterEach(end);
}
