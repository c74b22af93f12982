/** The controllers of Bundle and BundleDeployment. Door: `addProvisioners`. They meet other parts in the cluster only.
 *  @imports src/sources, src/sources/definitions, src/image-policy, src/formats, src/chart-renderer, src/dependencies, src/apply, src/content, src/controller,
 *    src/kube, src/metrics, src/constraints, src/api, src/base */

import {
  type BundleSource,
  bundleDeploymentResource,
  bundleResource,
  type DependencyPolicy,
  ownerNameLabel,
  parseBundle,
} from '../src/api/index.ts';
import { type ApplyEngine, createApplyEngine, executedWithinMs } from '../src/apply/index.ts';
import { type Clock, errorMessage, steadyClock } from '../src/base/index.ts';
import type { Dependency } from '../src/constraints/index.ts';
import type { UploadTarget } from '../src/content/index.ts';
import type { Manager } from '../src/controller/index.ts';
import { provisionerClasses } from '../src/formats/index.ts';
import type { KindCache } from '../src/kube/index.ts';
import { definitionOf } from '../src/sources/definitions/index.ts';
import { createAccountSecrets } from './account-secrets.ts';
import { bundleController } from './bundle.ts';
import { restartBundles } from './bundle-watches.ts';
import type { ProvisionerContext } from './context.ts';
import { DependencyWaits } from './dependency-waits.ts';
import {
  BundleWaits,
  bundleDeploymentController,
  ChartTurns,
  type DeploymentContext,
  type DeploymentHooks,
  DriftPace,
  InstallGate,
} from './deployment/index.ts';
import { createFetches } from './fetches.ts';
import { HandOvers } from './hand-overs.ts';
import { objectMetrics } from './object-metrics.ts';
import { PermissionWaits } from './permission-waits.ts';
import { ServingCertificates } from './serving-certificates.ts';
import { type Shard, Shards } from './shards.ts';
import { sweepShared } from './shared-content.ts';
import type { Unpacker } from './unpacker/index.ts';
import { Unserved } from './unserved-objects.ts';
import { ValuesWatches } from './values-watches.ts';

export { bundleController } from './bundle.ts';
export { withoutDefinitionsOfOthers } from './chart-definitions.ts';
export { createContentAccess } from './content-access.ts';
export { type ContentServiceOptions, startContentService } from './content-service.ts';
export { bundleDeploymentController } from './deployment/index.ts';
export { installOptionsOf, withRecordedNamespace } from './installed-record.ts';
export { type IssuingContext, keepServingSecret, type ServingSecret } from './own-certificates.ts';
export { placeOf, type Rendition, type TermsReading, termsFor } from './rendition.ts';
export { ServingCertificates } from './serving-certificates.ts';
export { generatedFor, type Shard, shardOf } from './shards.ts';
export { readAccountPullSecrets } from './source-inputs.ts';

export { createUnpacker, type Unpacker, type UnpackerOptions } from './unpacker/index.ts';
export { type ForeignUpload, mirrorUploads, type UploadMirrorOptions } from './upload-mirror.ts';

export interface ProvisionerOptions {
  /** Not closed by the provisioners. */
  readonly unpacker: Unpacker;
  /** Where Secrets that bundles name are looked up, and where objects without a namespace go. */
  readonly systemNamespace: string;
  /** Start of `status.contentURL`, such as `https://host`; no such field without it. */
  readonly contentBaseUrl?: string;
  /** BundleDeployments at a time; four times as many Bundles. */
  readonly workers: number;
  /** In which every object is reconciled once although nothing changed. */
  readonly resyncMs: number;
  /** Of this program, noted with what it installs. */
  readonly version?: string;
  /** How long an installation may be unhealthy before the Bundles of earlier templates are removed all the same. */
  readonly healthDeadlineMs: number;
  /** What is done about dependencies that are not met. */
  readonly dependencyPolicy: DependencyPolicy;
  /** Clauses for a message: which bundles of catalogs would meet a dependency. None are known when absent. */
  readonly offersFor?: (dependency: Dependency) => readonly string[];
  /** Runs while another process leads, when all objects are known. */
  readonly whileStandby?: (known: KnownObjects, signal: AbortSignal) => Promise<void>;
  /** Runs once before the first write. */
  readonly beforeWork?: () => Promise<void>;
  /** Which part of all objects is reconciled. Default: all. */
  readonly shard?: Shard | undefined;
  /** For how long the process of another shard may still write for what users have moved here. Default: 0. */
  readonly handOverMs?: number | undefined;
  /** The API server ends with this process: it executes no writes of a former one. */
  readonly hasOwnServer: boolean;
  /** Nothing is done for BundleDeployments that name no service account. */
  readonly isAccountRequired: boolean;
  /** Classes that other provisioners of the cluster serve. */
  readonly foreignClasses: readonly string[];
}

/** What is known of the cluster, kept up to date. */
export interface KnownObjects {
  /** The Bundles that were unpacked from uploads. */
  readonly uploadedBundles: () => readonly UploadTarget[];
  /** Whether an upload belongs to a Bundle that exists, unpacked or not. */
  readonly isOwnedUpload: (upload: UploadTarget) => boolean;
}

export interface Provisioners {
  /** Tries images again that could not be fetched: something that is no object of the cluster has changed. */
  readonly retryImages: () => void;
  /** The same for all sources that could not be fetched. */
  readonly retrySources: () => void;
}

/** Reconciles of Bundles are short. */
const bundlesPerWorker = 4;

/** Content of Bundles that were deleted while this was not running. */
async function sweep(context: ProvisionerContext): Promise<void> {
  for (const { name, uid } of await context.unpacker.list()) {
    const bundle = context.bundles.get(name);
    const isOurs = bundle?.metadata.uid === uid && context.shards.hasBundle(bundle) !== false;
    if (!isOurs) await context.unpacker.forgetContent(name);
  }
  await context.unpacker.sweepUploads((upload) => isOwnedUpload(context, upload));
}

/** Whether an upload belongs to a Bundle that exists, in whichever shard that is now: nothing else has the upload. */
function isOwnedUpload({ bundles }: ProvisionerContext, { name, uid }: UploadTarget): boolean {
  const object = bundles.get(name);
  return object?.metadata.uid === uid && definitionOf(parseBundle(object).spec.source).isUploaded === true;
}

/** An upload for a Bundle that users have moved to another shard stays until the Bundle does not exist any more; that shard knows nothing of it. */
function forgetMovedUploads({ bundles, shards, unpacker, log }: ProvisionerContext): void {
  if (shards.isWhole) return;
  bundles.subscribe(({ before, after }) => {
    const { name = '', uid = '' } = before?.metadata ?? {};
    if (uid === '' || after?.metadata.uid === uid) return;
    unpacker.forgetUpload({ name, uid }).catch((thrown: unknown) => {
      log.warn({ object: name, message: errorMessage(thrown) }, 'upload not removed: it is at the next start');
    });
  });
}

function uploadedBundles({ bundles, shards }: ProvisionerContext): readonly UploadTarget[] {
  const uploaded = bundles.values().filter((object) => {
    const { spec, status } = parseBundle(object);
    return (
      definitionOf(spec.source).isUploaded === true && status?.phase === 'Unpacked' && shards.hasBundle(object) === true
    );
  });
  return uploaded.map(({ metadata: { name = '', uid = '' } }) => ({ name, uid }));
}

/** How the parts request a reconcile; called after both controllers are added. */
interface Wake {
  readonly bundle: (name: string) => void;
  readonly deployment: (name: string) => void;
}

function retryInstall(name: string, gate: InstallGate, wake: Wake): void {
  gate.forget(name);
  wake.deployment(name);
}

interface EngineParts {
  readonly gate: InstallGate;
  readonly dependencies: DependencyWaits;
  readonly wake: Wake;
}

function createEngine(
  { kube, clock, log, signal }: Manager,
  { systemNamespace, healthDeadlineMs: servingDeadlineMs }: ProvisionerOptions,
  { gate, dependencies, wake }: EngineParts,
): ApplyEngine {
  return createApplyEngine({
    kube,
    clock,
    log,
    signal,
    systemNamespace,
    servingDeadlineMs,
    onChange: (change) => {
      if (change.owner !== undefined) wake.deployment(change.owner);
      for (const name of gate.release(change)) wake.deployment(name);
      if (change.mayUnblock) for (const { name } of dependencies.requests()) wake.deployment(name);
    },
  });
}

function createHooks(
  clock: Clock,
  { workers }: ProvisionerOptions,
  wake: Wake,
): Pick<DeploymentHooks, 'waits' | 'drift' | 'charts'> {
  const charts = new ChartTurns({ workers, request: (name) => wake.deployment(name) });
  return { waits: new BundleWaits(clock), drift: new DriftPace(clock), charts };
}

function createHandOvers(
  { handOverMs = 0, hasOwnServer }: ProvisionerOptions,
  shards: Shards,
  deployments: KindCache,
): HandOvers {
  const lateMs = hasOwnServer ? 0 : executedWithinMs;
  return new HandOvers({ shards, deployments, handOverMs, executedWithinMs: lateMs, steady: steadyClock });
}

function createContext(manager: Manager, options: ProvisionerOptions, wake: Wake): DeploymentContext {
  const { kube, clock, log, metrics, signal } = manager;
  const { systemNamespace, healthDeadlineMs } = options;
  const runtime = { kube, clock, log, metrics, signal };
  const gate = new InstallGate(clock);
  const bundles = manager.cache(bundleResource);
  const deployments = manager.cache(bundleDeploymentResource);
  const shards = new Shards(options.shard, { deployments, clock });
  const onChange = (name: string): void => {
    wake.bundle(name);
    const owner = bundles.get(name)?.metadata.labels?.[ownerNameLabel];
    if (owner !== undefined) wake.deployment(owner);
  };
  const request = (name: string): void => {
    context.requested.add(name);
    wake.bundle(name);
  };
  const dependencies = new DependencyWaits(options.dependencyPolicy);
  const context: DeploymentContext = {
    ...runtime,
    dependencies,
    hooks: { gate, ...createHooks(clock, options, wake), onContentLost: request },
    offersFor: options.offersFor ?? (() => []),
    shards,
    handOvers: createHandOvers(options, shards, deployments),
    unpacker: options.unpacker,
    tool: `longshore/v${options.version ?? '0.0.0'}`,
    healthDeadlineMs,
    requested: new Set(),
    fetches: createFetches({ ...runtime, onChange }),
    systemNamespace,
    accountSecrets: createAccountSecrets(manager, systemNamespace),
    contentBaseUrl: options.contentBaseUrl,
    classes: new Set(provisionerClasses),
    foreignClasses: new Set(options.foreignClasses),
    unserved: new Unserved(),
    servingCertificates: new ServingCertificates(runtime),
    isAccountRequired: options.isAccountRequired,
    valuesWatches: new ValuesWatches({ ...runtime, onDeployment: (name) => retryInstall(name, gate, wake) }),
    permissions: new PermissionWaits({ manager, onDeployment: (name) => retryInstall(name, gate, wake) }),
    bundles,
    deployments,
    events: manager.eventRecorder('longshore'),
    engine: createEngine(manager, options, { gate, dependencies, wake }),
  };
  options.unpacker.onRequested(request);
  forgetMovedUploads(context);
  return context;
}

/** Adds the controllers of Bundles and BundleDeployments. */
export function addProvisioners(manager: Manager, options: ProvisionerOptions): Provisioners {
  const { workers, resyncMs, whileStandby } = options;
  const context = createContext(manager, options, {
    bundle: (name) => bundles.enqueue(name),
    deployment: (name) => deployments.enqueue(name),
  });
  const prepare = async (): Promise<void> => {
    await options.beforeWork?.();
    await context.deployments.whenSynced;
    context.handOvers.start();
    await sweep(context);
    void sweepShared({ ...context, signal: manager.signal });
    context.bundles.values().some((bundle) => context.dependencies.isFirstUse(bundle));
  };
  let preparing: Promise<void> | undefined;
  const shared = { context, resyncMs, beforeWork: () => (preparing ??= prepare()) };
  const known: KnownObjects = {
    uploadedBundles: () => uploadedBundles(context),
    isOwnedUpload: (upload) => isOwnedUpload(context, upload),
  };
  const bundles = manager.add(bundleController, {
    ...shared,
    workers: workers * bundlesPerWorker,
    afterWork: () => context.fetches.whenIdle(),
    ...(whileStandby === undefined ? {} : { whileStandby: (signal) => whileStandby(known, signal) }),
  });
  const deployments = manager.add(bundleDeploymentController, { ...shared, workers });
  manager.metrics?.readFrom(() => Promise.resolve(objectMetrics(context)));
  const retry = (isConcerned: (source: BundleSource) => boolean): void => {
    for (const { name } of restartBundles(context, isConcerned)) bundles.enqueue(name);
  };
  return {
    retryImages: () => retry((source) => definitionOf(source).isImage === true),
    retrySources: () => retry(() => true),
  };
}
