import {
  clusterServiceVersionResource,
  type InstallPlan,
  installPlanResource,
  olmAnnotations,
  parseInstallPlan,
} from '../../src/api/index.ts';
import { type JsonObject, parseJson, TerminalError, textAt, WaitingError } from '../../src/base/index.ts';
import { createCatalogView } from '../../src/catalog/index.ts';
import type { Property } from '../../src/constraints/index.ts';
import { defineController, type Manager, type ReconcileRun } from '../../src/controller/index.ts';
import { isAlreadyExists, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import type { CatalogSourceViews, UnavailableSource } from '../../src/olm/index.ts';
import type { BundleContents } from '../../src/operators/index.ts';
import type { CatalogPackage, CatalogView } from '../../src/resolver/index.ts';
import { drawnPackage } from './drawn-package.ts';

const user = { fieldManager: 'stub' };
const subscriptionKind = 'Subscription';

/** A package whose bundles have the properties that real ones have; drawn as `drawnPackage` does. */
export function operatorPackage(
  name: string,
  drawing: Readonly<Record<string, string>>,
  properties: Readonly<Record<string, readonly Property[]>> = {},
): CatalogPackage {
  const drawn = drawnPackage(drawing, [], { name });
  const bundles = [...drawn.bundles].map(([bundle, one]) => {
    const version = bundle.slice(name.length + 2);
    const identity = { type: 'olm.package', value: { packageName: name, version } };
    return [bundle, { ...one, properties: [identity, ...(properties[version] ?? [])] }] as const;
  });
  return { ...drawn, bundles: new Map(bundles) };
}

/** CatalogSources without a controller: what they offer is set. */
export class StubCatalogs implements CatalogSourceViews {
  readonly #kube: KubeClient;
  readonly #globalNamespace: string;
  readonly #views = new Map<string, CatalogView>();
  readonly #unavailable = new Map<string, UnavailableSource>();
  readonly #listeners = new Set<Parameters<CatalogSourceViews['subscribe']>[0]>();

  constructor(kube: KubeClient, globalNamespace: string) {
    this.#kube = kube;
    this.#globalNamespace = globalNamespace;
  }

  /** Makes the catalog offer the packages, and creates its CatalogSource where it does not exist. */
  async offer(
    place: { readonly namespace: string; readonly name: string; readonly priority?: number },
    ...packages: readonly CatalogPackage[]
  ): Promise<void> {
    await this.#ensureSource(place);
    this.#unavailable.delete(keyOf(place));
    this.#views.set(keyOf(place), createCatalogView(place, new Map(packages.map((one) => [one.name, one]))));
    this.#notify(place);
  }

  /** Makes it a catalog that cannot be read. */
  async fail(place: { readonly namespace: string; readonly name: string }, why: string): Promise<void> {
    await this.#ensureSource(place);
    this.#views.delete(keyOf(place));
    this.#unavailable.set(keyOf(place), { ...place, why });
    this.#notify(place);
  }

  async remove(place: { readonly namespace: string; readonly name: string }): Promise<void> {
    await this.#kube.delete({ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', ...place });
    this.#views.delete(keyOf(place));
    this.#unavailable.delete(keyOf(place));
    this.#notify(place);
  }

  hold(namespace: string): ReturnType<CatalogSourceViews['hold']> {
    const isVisible = (one: { readonly namespace?: string }): boolean =>
      one.namespace === namespace || one.namespace === this.#globalNamespace;
    return {
      catalogs: [...this.#views.values()].filter(isVisible),
      unavailable: [...this.#unavailable.values()].filter(isVisible),
      manifestsOf: () => Promise.resolve(undefined),
      [Symbol.dispose]: () => undefined,
    };
  }

  subscribe(listener: Parameters<CatalogSourceViews['subscribe']>[0]): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #notify(place: { readonly namespace: string; readonly name: string }): void {
    for (const listener of this.#listeners) listener(place);
  }

  async #ensureSource({ name, namespace }: { readonly namespace: string; readonly name: string }): Promise<void> {
    const spec = { sourceType: 'grpc', address: 'shop.example:50051' };
    const source = {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name, namespace },
      spec,
    };
    await this.#kube.create(source, user).catch(ignoreExisting);
  }
}

function keyOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace ?? ''}/${name}`;
}

function ignoreExisting(thrown: unknown): void {
  if (!isAlreadyExists(thrown)) throw thrown;
}

/** Content of bundles: a ClusterServiceVersion without anything to install. */
export class StubContents implements BundleContents {
  /** Bundles whose content is broken, or not there yet. */
  readonly broken: Map<string, string> = new Map();
  readonly unpacking: Set<string> = new Set();
  readonly reads: string[] = [];

  async read({ name }: { readonly name: string }): ReturnType<BundleContents['read']> {
    await Promise.resolve();
    this.reads.push(name);
    const why = this.broken.get(name);
    if (why !== undefined) throw new TerminalError('InvalidBundle', why);
    if (this.unpacking.has(name)) throw new WaitingError('BundleUnpacking', `unpacking ${name}`, { afterMs: 50 });
    const version = /\.v(.*)$/.exec(name)?.[1] ?? '0.0.0';
    const install = { strategy: 'deployment', spec: { deployments: [] } };
    const spec = { displayName: name, version, install };
    const { apiVersion, kind } = clusterServiceVersionResource;
    return { name, csv: { apiVersion, kind, metadata: { name }, spec }, objects: [] };
  }
}

/** What the stubs for the controllers of InstallPlans and ClusterServiceVersions do with some of them. */
export interface StubBehaviour {
  /** ClusterServiceVersions that fail. */
  readonly failing: Set<string>;
  /** Those that stay Pending. */
  readonly held: Set<string>;
  /** Plans with these ClusterServiceVersions fail. */
  readonly failingPlans: Set<string>;
}

interface StubRun extends ReconcileRun {
  readonly kube: KubeClient;
  readonly behaviour: StubBehaviour;
}

async function setStatus({ kube, object }: StubRun, status: JsonObject): Promise<void> {
  const { uid = '' } = object.metadata;
  await kube.patch(refOf(object), { metadata: { uid }, status }, { ...user, subresource: 'status' });
}

async function createSteps({ kube }: StubRun, { metadata, status }: InstallPlan): Promise<void> {
  for (const { resource } of status?.plan ?? []) {
    const object = parseJson('step', resource.manifest ?? '') as unknown as KubeObject;
    const generated = object.kind === subscriptionKind ? { [olmAnnotations.generatedBy]: metadata.name } : {};
    const annotations = { ...object.metadata.annotations, ...generated };
    await kube.create({ ...object, metadata: { ...object.metadata, annotations } }, user).catch(ignoreExisting);
  }
}

async function executePlan(run: StubRun): Promise<undefined> {
  const plan = parseInstallPlan(run.object);
  const phase = plan.status?.phase;
  if (phase === 'RequiresApproval' && plan.spec.approved) await setStatus(run, { phase: 'Installing' });
  if (phase !== 'Installing') return undefined;
  if (plan.spec.clusterServiceVersionNames.some((name) => run.behaviour.failingPlans.has(name))) {
    const condition = { type: 'Installed', status: 'False', reason: 'InstallComponentFailed', message: 'it broke' };
    await setStatus(run, { phase: 'Failed', conditions: [condition] });
    return undefined;
  }
  await createSteps(run, plan);
  await setStatus(run, { phase: 'Complete', conditions: [{ type: 'Installed', status: 'True' }] });
  return undefined;
}

function settledPhase({ failing, held }: StubBehaviour, name: string): string {
  if (failing.has(name)) return 'Failed';
  return held.has(name) ? 'Pending' : 'Succeeded';
}

function phaseOf(object: KubeObject): string {
  return textAt(object['status'] as JsonObject, 'phase');
}

/** What it replaces is being replaced from now on. */
async function replaced({ object, kube }: StubRun): Promise<KubeObject | undefined> {
  const name = textAt(object['spec'] as JsonObject, 'replaces');
  const { apiVersion, kind } = clusterServiceVersionResource;
  const ref = { apiVersion, kind, name, namespace: object.metadata.namespace };
  const before = name === '' ? undefined : await kube.get(ref).catch(() => undefined);
  if (before !== undefined && phaseOf(before) !== 'Replacing') {
    await kube.patch(ref, { status: { phase: 'Replacing' } }, { ...user, subresource: 'status' });
  }
  return before;
}

/** Succeeds at once; what it replaces is deleted then. */
async function followCsv(run: StubRun): Promise<undefined> {
  const { object, kube, behaviour } = run;
  const before = await replaced(run);
  if (['Replacing', 'Deleting'].includes(phaseOf(object))) return undefined;
  const next = settledPhase(behaviour, object.metadata.name ?? '');
  if (phaseOf(object) !== next) await setStatus(run, { phase: next });
  if (next === 'Succeeded' && before !== undefined) await kube.delete(refOf(before));
  return undefined;
}

/** Adds stubs for the controllers of InstallPlans and ClusterServiceVersions. */
export function addStubs(manager: Manager, behaviour: StubBehaviour): void {
  const { kube } = manager;
  const begin = (_context: undefined, object: KubeObject): StubRun => ({ object, kube, behaviour });
  const permissions = {};
  const plans = { name: 'stub-plans', for: installPlanResource, begin, steps: [executePlan], permissions };
  const csvs = { name: 'stub-csvs', for: clusterServiceVersionResource, begin, steps: [followCsv], permissions };
  manager.add(defineController<undefined, StubRun>(plans), { context: undefined, workers: 1 });
  manager.add(defineController<undefined, StubRun>(csvs), { context: undefined, workers: 1 });
}
