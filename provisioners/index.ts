/** The controllers of Bundle and BundleDeployment. Door: `startProvisioners`. They meet other parts in the cluster only.
 *  @imports src/sources, src/image-policy, src/formats, src/dependencies, src/apply, src/content, src/controller,
 *    src/kube, src/metrics, src/constraints, src/api, src/base */
import {
  type BundleSource,
  bundleDeploymentResource,
  bundleResource,
  type DependencyPolicy,
  ownerNameLabel,
  parseBundle,
} from '../src/api/index.ts';
import { createApplyEngine } from '../src/apply/index.ts';
import type { Clock, Logger } from '../src/base/index.ts';
import type { Dependency } from '../src/constraints/index.ts';
import type { UploadTarget } from '../src/content/index.ts';
import { type Controller, resync, startController } from '../src/controller/index.ts';
import { provisionerClasses } from '../src/formats/index.ts';
import {
  createCache,
  createEventRecorder,
  createKindCache,
  type KindCache,
  type KubeClient,
  type KubeObject,
} from '../src/kube/index.ts';
import type { Metrics } from '../src/metrics/index.ts';
import { definitionOf } from '../src/sources/index.ts';
import { createAccountSecrets } from './account-secrets.ts';
import { reconcileBundle } from './bundle.ts';
import type { ProvisionerContext } from './context.ts';
import { DependencyNews } from './dependency-news.ts';
import {
  BundleWaits,
  type DeploymentHooks,
  DriftPace,
  InstallGate,
  reconcileBundleDeployment,
} from './deployment/index.ts';
import { Fetches } from './fetches.ts';
import { objectFigures } from './figures.ts';
import { bundlesOf } from './owned-bundles.ts';
import { RightsNews } from './rights-news.ts';
import { ServingCertificates } from './serving-certificates.ts';
import { type Shard, Shards } from './shards.ts';
import { sweepShared } from './shared-content.ts';
import { secretNamesOf, usesServiceAccount } from './source-inputs.ts';
import type { Unpacker } from './unpacker/index.ts';
import { Unserved } from './unserved-objects.ts';

export { createContentAccess } from './content-access.ts';
export { type ContentServiceOptions, startContentService } from './content-service.ts';
export { wishesOf } from './installed-record.ts';
export { type IssuingContext, keepServingSecret, type ServingSecret } from './own-certificates.ts';
export { placeOf, type Rendition, termsFor } from './rendition.ts';
export { ServingCertificates } from './serving-certificates.ts';
export { generatedFor, type Shard, shardOf } from './shards.ts';
export { readAccountPullSecrets } from './source-inputs.ts';

export { createUnpacker, type Unpacker, type UnpackerOptions } from './unpacker/index.ts';
export { type ForeignUpload, mirrorUploads, type UploadMirrorOptions } from './upload-mirror.ts';

export interface ProvisionerOptions {
  readonly kube: KubeClient;
  /** Not closed by the provisioners. */
  readonly unpacker: Unpacker;
  /** Where Secrets that bundles name are looked up, and where objects without a namespace go. */
  readonly systemNamespace: string;
  /** Start of `status.contentURL`, such as `https://host`; the field stays away without it. */
  readonly contentBaseUrl?: string;
  /** BundleDeployments at a time; four times as many Bundles. Default 8. */
  readonly workers?: number;
  /** In which every object is looked at again though nothing has changed. Default ten hours. */
  readonly resyncMs?: number;
  /** Of this program, noted with what it installs. */
  readonly version?: string;
  /** How long an installation may be unhealthy before the Bundles of earlier templates go all the same. Default 10 minutes. */
  readonly healthDeadlineMs?: number;
  /** What is done about dependencies that are not met. Default warn. */
  readonly dependencyPolicy?: DependencyPolicy;
  /** Clauses for a message: which bundles of catalogs would meet a dependency. None are known when absent. */
  readonly offersFor?: (dependency: Dependency) => readonly string[];
  /** Told of what is done, and asked for what there is. */
  readonly metrics?: Metrics | undefined;
  /** Called when all objects are known, before anything is written; the work begins once it says true, and never when it says false. */
  readonly beforeWork?: (known: KnownObjects) => Promise<boolean>;
  /** Which part of everything is taken care of. Default: all. */
  readonly shard?: Shard | undefined;
  /** Nothing is done for BundleDeployments that name no service account. Default false. */
  readonly isAccountRequired?: boolean;
  /** Classes that other provisioners of the cluster serve. Default: none is known. */
  readonly foreignClasses?: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** What is known of the cluster before the work begins, and kept up to date. */
export interface KnownObjects {
  /** The Bundles that were unpacked from uploads. */
  readonly uploadedBundles: () => readonly UploadTarget[];
}

export interface Provisioners {
  /** Resolves when the objects of both kinds are known and the workers run, or never will. */
  readonly whenReady: Promise<void>;
  /** Resolves after the signal has fired and all work has ended. */
  readonly whenStopped: Promise<void>;
  /** Tries images again that could not be fetched: something that is no object of the cluster has changed. */
  readonly retryImages: () => void;
  /** The same for whatever could not be fetched. */
  readonly retrySources: () => void;
}

const defaultWorkers = 8;
const defaultResyncMs = 10 * 3_600_000;
const defaultHealthDeadlineMs = 10 * 60_000;
/** Reconciles of Bundles are short. */
const bundlesPerWorker = 4;

interface Parts {
  readonly context: ProvisionerContext;
  readonly bundles: Controller;
  readonly deployments: Controller;
  /** Lets both controllers begin. */
  readonly allow: () => void;
}

function follow(cache: KindCache, enqueue: (object: KubeObject) => void): void {
  cache.subscribe(({ before, after }) => {
    const object = after ?? before;
    if (object !== undefined) enqueue(object);
  });
}

/** Bundles whose content is not there, or is being fetched, begin anew. */
function retry({ context, bundles }: Parts, isConcerned: (source: BundleSource) => boolean): void {
  for (const object of context.bundles.values()) {
    const { metadata, spec, status } = parseBundle(object);
    if (!isConcerned(spec.source)) continue;
    const isKnown = context.fetches.restart(metadata.name);
    if (isKnown || status?.phase !== 'Unpacked') bundles.enqueue(metadata.name);
  }
}

/** A Secret or ConfigMap that came or changed may mend the Bundles that need it, and so may another list of pull secrets. Nothing that
 *  changes after this has resolved is missed: fetch no content before. */
async function followInputs(options: ProvisionerOptions, parts: Parts): Promise<void> {
  const { context } = parts;
  const kinds: Readonly<Record<string, (source: BundleSource) => readonly string[]>> = {
    Secret: (source) => secretNamesOf(source, context.accountSecrets.names()),
    ConfigMap: (source) => definitionOf(source).configMapNames(source),
  };
  const following = Object.entries(kinds).map(async ([kind, namesOf]) => {
    const inputs = createCache<{ readonly name: string; readonly version: string | undefined }>({
      ...options,
      target: { apiVersion: 'v1', kind, namespace: options.systemNamespace, isMetadataOnly: true },
      project: ({ metadata }) => ({ name: metadata.name ?? '', version: metadata.resourceVersion }),
    });
    await inputs.whenSynced;
    inputs.subscribe(({ before, after }) => {
      // A list that was made anew tells of everything.
      if (after === undefined || after.version === before?.version) return;
      retry(parts, (source) => namesOf(source).includes(after.name));
    });
  });
  await Promise.all(following);
  context.accountSecrets.subscribe(() => retry(parts, usesServiceAccount));
}

/** Content of Bundles that were removed while this was not running. */
async function sweep(context: ProvisionerContext): Promise<void> {
  for (const { name, uid } of await context.unpacker.list()) {
    const bundle = context.bundles.get(name);
    const isOurs = bundle?.metadata.uid === uid && context.shards.hasBundle(bundle) !== false;
    if (!isOurs) await context.unpacker.discard(name);
  }
  await context.unpacker.sweepUploads(({ name, uid }) => {
    const object = context.bundles.get(name);
    if (object?.metadata.uid !== uid || context.shards.hasBundle(object) === false) return false;
    return parseBundle(object).spec.source.type === 'upload';
  });
}

function uploadedBundles({ bundles, shards }: ProvisionerContext): readonly UploadTarget[] {
  const uploaded = bundles.values().filter((object) => {
    const { spec, status } = parseBundle(object);
    return spec.source.type === 'upload' && status?.phase === 'Unpacked' && shards.hasBundle(object) === true;
  });
  return uploaded.map(({ metadata: { name = '', uid = '' } }) => ({ name, uid }));
}

async function start(options: ProvisionerOptions, parts: Parts): Promise<void> {
  const { context, bundles, deployments } = parts;
  const caches = [context.bundles, context.deployments, context.accountSecrets];
  await Promise.all([...caches.map((cache) => cache.whenSynced), followInputs(options, parts)]);
  if ((await options.beforeWork?.({ uploadedBundles: () => uploadedBundles(context) })) === false) return;
  await sweep(context);
  void sweepShared({ ...options, kube: context.kube, unpacker: context.unpacker });
  context.bundles.subscribe((change) => context.dependencies.heed(change));
  for (const after of context.bundles.values()) context.dependencies.heed({ before: undefined, after });
  context.deployments.subscribe((change) => context.dependencies.heed(change));
  follow(context.bundles, ({ metadata }) => {
    bundles.enqueue(metadata.name ?? '');
    const owner = metadata.labels?.[ownerNameLabel];
    if (owner !== undefined) deployments.enqueue(owner);
  });
  follow(context.deployments, (object) => {
    deployments.enqueue(object.metadata.name ?? '');
    // Bundles are where their BundleDeployment is.
    if (context.shards.isWhole) return;
    for (const { metadata } of bundlesOf(context, object)) bundles.enqueue(metadata.name ?? '');
  });
  for (const { metadata } of context.bundles.values()) bundles.enqueue(metadata.name ?? '');
  for (const { metadata } of context.deployments.values()) deployments.enqueue(metadata.name ?? '');
  parts.allow();
}

/** Looks at every object again, spread over `resyncMs`. */
async function resyncBoth(options: ProvisionerOptions, { context, bundles, deployments }: Parts): Promise<void> {
  const { clock, signal, resyncMs: everyMs = defaultResyncMs } = options;
  const again = async (cache: KindCache, controller: Controller): Promise<void> => {
    const names = (): string[] => cache.values().map(({ metadata }) => metadata.name ?? '');
    await resync({ everyMs, clock, signal, names, enqueue: (name) => controller.enqueue(name) });
  };
  await Promise.all([again(context.bundles, bundles), again(context.deployments, deployments)]);
}

/** Whom news reaches; called after both controllers are there. */
interface Wake {
  readonly bundle: (name: string) => void;
  readonly deployment: (name: string) => void;
}

function tryAgain(name: string, gate: InstallGate, wake: Wake): void {
  gate.forget(name);
  wake.deployment(name);
}

function createContext(options: ProvisionerOptions, gate: InstallGate, wake: Wake): ProvisionerContext {
  const { kube, clock, log, metrics, signal, systemNamespace, healthDeadlineMs = defaultHealthDeadlineMs } = options;
  const runtime = { kube, clock, log, metrics, signal };
  const bundles = createKindCache({ ...runtime, resource: bundleResource });
  const onChange = (name: string): void => {
    wake.bundle(name);
    const owner = bundles.get(name)?.metadata.labels?.[ownerNameLabel];
    if (owner !== undefined) wake.deployment(owner);
  };
  const dependencies = new DependencyNews(options.dependencyPolicy ?? 'warn', {
    onDeployment: wake.deployment,
    onFirstUse: () => {
      for (const { metadata } of bundles.values()) wake.bundle(metadata.name ?? '');
    },
  });
  const deployments = createKindCache({ ...runtime, resource: bundleDeploymentResource });
  return {
    ...runtime,
    dependencies,
    offersFor: options.offersFor ?? (() => []),
    shards: new Shards(options.shard, { deployments, clock }),
    unpacker: options.unpacker,
    tool: `longshore/v${options.version ?? '0.0.0'}`,
    healthDeadlineMs,
    wanted: new Set(),
    fetches: new Fetches({ ...runtime, onChange }),
    systemNamespace,
    accountSecrets: createAccountSecrets({ ...runtime, systemNamespace }),
    contentBaseUrl: options.contentBaseUrl,
    classes: new Set(provisionerClasses),
    foreignClasses: new Set(options.foreignClasses),
    unserved: new Unserved(),
    servingCertificates: new ServingCertificates(runtime),
    isAccountRequired: options.isAccountRequired ?? false,
    rights: new RightsNews({ ...runtime, onDeployment: (name) => tryAgain(name, gate, wake) }),
    bundles,
    deployments,
    events: createEventRecorder({ ...runtime, component: 'longshore' }),
    engine: createApplyEngine({
      ...runtime,
      systemNamespace,
      servingDeadlineMs: healthDeadlineMs,
      onNews: (news) => {
        if (news.owner !== undefined) wake.deployment(news.owner);
        for (const name of gate.release(news)) wake.deployment(name);
        if (news.mayUnblock) dependencies.tell();
      },
    }),
  };
}

/** Starts both controllers; returns at once. */
export function startProvisioners(options: ProvisionerOptions): Provisioners {
  const { kube, clock, log, signal, metrics, workers = defaultWorkers } = options;
  const gate = new InstallGate(clock);
  const { promise: whenAllowed, resolve: allow } = Promise.withResolvers<void>();
  const runtime = { kube, clock, log, signal };
  const context = createContext(options, gate, {
    bundle: (name) => bundles.enqueue(name),
    deployment: (name) => deployments.enqueue(name),
  });
  const bundles = startController({
    name: 'bundle',
    workers: workers * bundlesPerWorker,
    reconcile: (name, run) => reconcileBundle(context, name, run),
    whenAllowed,
    metrics,
    ...runtime,
  });
  const want = (name: string): void => {
    context.wanted.add(name);
    bundles.enqueue(name);
  };
  options.unpacker.onWanted(want);
  const hooks: DeploymentHooks = {
    gate,
    waits: new BundleWaits(clock),
    drift: new DriftPace(clock),
    onContentLost: want,
  };
  const deployments = startController({
    name: 'bundledeployment',
    workers,
    reconcile: (name, run) => reconcileBundleDeployment({ ...context, hooks }, name, run),
    whenAllowed,
    metrics,
    ...runtime,
  });
  const parts = { context, bundles, deployments, allow };
  metrics?.readFrom(() => Promise.resolve(objectFigures(context)));
  const whenResynced = resyncBoth(options, parts);
  const ended = Promise.all([bundles.whenStopped, deployments.whenStopped, whenResynced]);
  return {
    whenReady: start(options, parts),
    whenStopped: ended.then(() => context.fetches.whenIdle()),
    retryImages: () => retry(parts, ({ type }) => type === 'image'),
    retrySources: () => retry(parts, () => true),
  };
}
