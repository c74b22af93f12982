import { clusterCatalogResource, parseClusterCatalog } from '../../api/index.ts';
import { type Clock, errorMessage, type Logger } from '../../base/index.ts';
import type { CatalogIndex } from '../../catalog/index.ts';
import { type Controller, startController } from '../../controller/index.ts';
import { createEventRecorder, createKindCache, type KubeClient, type KubeObject } from '../../kube/index.ts';
import type { Metrics } from '../../metrics/index.ts';
import { createHttpClient, parsePlatform, pinImage, RateLimits } from '../../sources/index.ts';
import { Attempts } from './attempts.ts';
import { CatalogStore, traitsOf } from './catalog-store.ts';
import type { CatalogContext } from './context.ts';
import { blocked } from './plan.ts';
import { reconcileCatalog } from './reconcile.ts';
import type { RegistryTerms, UnpackSettings } from './unpack-job.ts';
import { unpackInThread } from './unpack-thread.ts';
import { type CatalogViews, viewsOf } from './views.ts';

export interface ClusterCatalogsOptions {
  readonly kube: KubeClient;
  /** Nobody else's. */
  readonly storeDir: string;
  /** Start of `status.urls.base`: `https://host`. */
  readonly baseUrl: string;
  readonly settings: UnpackSettings;
  /** What registries are asked with; asked before every look at an image. */
  readonly readTerms: (signal: AbortSignal) => Promise<RegistryTerms>;
  /** Whether this process decides what is served, and writes it; others take what is decided. Always when absent. */
  readonly leadership?: { readonly isLeading: () => boolean; readonly whenLeading: Promise<unknown> };
  /** Default: in a thread of its own. */
  readonly unpack?: CatalogContext['unpack'];
  readonly metrics?: Metrics | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** ClusterCatalogs, looked after. */
export interface ClusterCatalogs {
  readonly views: CatalogViews;
  /** What is served under a name; good until the catalog changes, unless it is kept by its `use`. */
  index(name: string): CatalogIndex | undefined;
  names(): readonly string[];
  /** Resolves when the objects are known and the workers run.
   *  @throws NoKindMatch when the cluster has no such kind */
  readonly whenReady: Promise<void>;
  /** Resolves when everything that is served somewhere is stored here, or could not be had. */
  readonly whenCaughtUp: Promise<void>;
  /** Tries again what failed: something that is no object of the cluster has changed. */
  retry(): void;
  /** Resolves after the signal has fired and all work has ended. */
  readonly whenStopped: Promise<void>;
}

const workers = 4;
const unpacksAtATime = 2;

function createPin(settings: UnpackSettings, clock: Clock): CatalogContext['pin'] {
  const { registryCaPem: caPem, proxies, answerDeadlineMs, insecureRegistries } = settings;
  const deps = {
    http: createHttpClient({ caPem, proxies, answerDeadlineMs }),
    clock,
    limits: new RateLimits(clock),
    insecureRegistries,
    platform: parsePlatform(settings.platform),
  };
  return (ref, terms, signal) => pinImage(deps, { ...terms, ref }, { signal });
}

function createContext(
  options: ClusterCatalogsOptions,
  store: CatalogStore,
  onEnd: (name: string) => void,
): CatalogContext {
  const { kube, clock, log, metrics, signal, settings, baseUrl, readTerms, leadership } = options;
  const runtime = { kube, clock, log, signal };
  const isFinal = ({ reason }: { readonly reason: string }): boolean => reason === blocked;
  return {
    kube,
    clock,
    log,
    metrics,
    store,
    settings,
    baseUrl,
    readTerms,
    unpack: options.unpack ?? unpackInThread,
    isLeading: () => leadership?.isLeading() ?? true,
    catalogs: createKindCache({ ...runtime, target: clusterCatalogResource }),
    attempts: new Attempts({ clock, log, signal, limit: unpacksAtATime, isFinal, onEnd }),
    events: createEventRecorder({ ...runtime, component: 'longshore' }),
    pin: createPin(settings, clock),
    looks: new Map(),
    faulty: new Map(),
  };
}

/** What is wrong with one catalog is told when it is reconciled, and keeps no other one from being served. */
function describe({ store, log }: CatalogContext, name: string, object: KubeObject): void {
  try {
    store.describe(name, traitsOf(parseClusterCatalog(object)));
  } catch (thrown) {
    log.debug({ catalog: name, message: errorMessage(thrown) }, 'priority and labels not known yet');
  }
}

/** Removes the content of catalogs that went, or were made anew, while this was not running; what is left is what its object says before
 *  anybody chooses from it. */
async function sweep(context: CatalogContext): Promise<void> {
  const { store, catalogs } = context;
  for (const name of store.names()) {
    const object = catalogs.get(name);
    if (object === undefined || object.metadata.uid !== store.find(name)?.uid) await store.remove(name);
    else describe(context, name, object);
  }
}

function enqueueAll({ catalogs }: CatalogContext, controller: Controller): void {
  for (const { metadata } of catalogs.values()) controller.enqueue(metadata.name ?? '');
}

/** Whether nothing that is served elsewhere is still on its way. */
function isCaughtUp({ catalogs, store, attempts }: CatalogContext): boolean {
  return catalogs.values().every((object) => {
    const { name = '', uid } = object.metadata;
    const served = (object['status'] as { resolvedSource?: unknown } | undefined)?.resolvedSource;
    return served === undefined || store.find(name)?.uid === uid || attempts.hasFailed(name);
  });
}

/** Opens what is stored and starts the controller of ClusterCatalogs. A process that does not lead has the same content as the one that does, so
 *  that all can serve it.
 *  @throws TerminalError DataFolderInUse, DataFolderUnusable */
export async function startClusterCatalogs(options: ClusterCatalogsOptions): Promise<ClusterCatalogs> {
  const { clock, log, metrics, signal, leadership } = options;
  const store = await CatalogStore.open(options.storeDir, log);
  const allowed = Promise.withResolvers<void>();
  const caughtUp = Promise.withResolvers<void>();
  const context = createContext(options, store, (name) => controller.enqueue(name));
  const controller: Controller = startController({
    name: 'clustercatalog',
    workers,
    reconcile: async (name, run) => {
      await reconcileCatalog(context, name, run).finally(() => {
        if (isCaughtUp(context)) caughtUp.resolve();
      });
    },
    whenAllowed: allowed.promise,
    metrics,
    clock,
    log,
    signal,
  });
  const begin = async (): Promise<void> => {
    await context.catalogs.whenSynced;
    await sweep(context);
    context.catalogs.subscribe(({ before, after }) => controller.enqueue((after ?? before)?.metadata.name ?? ''));
    enqueueAll(context, controller);
    allowed.resolve();
    if (isCaughtUp(context)) caughtUp.resolve();
    void leadership?.whenLeading.then(() => enqueueAll(context, controller));
  };
  metrics?.readFrom(async () => ({
    longshore_catalogs: store.names().length,
    longshore_catalog_index_bytes: await store.sizeBytes(),
  }));
  const ended = controller.whenStopped.then(() => context.attempts.whenIdle());
  return {
    views: viewsOf(store),
    index: (name) => store.index(name),
    names: () => store.names(),
    whenReady: begin(),
    whenCaughtUp: caughtUp.promise,
    retry: () => {
      context.attempts.forgetAll();
      enqueueAll(context, controller);
    },
    whenStopped: ended.then(() => store[Symbol.asyncDispose]()),
  };
}
