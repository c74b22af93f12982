import { clusterCatalogResource, parseClusterCatalog } from '../../api/index.ts';
import { errorMessage } from '../../base/index.ts';
import type { CatalogIndex } from '../../catalog/index.ts';
import {
  type AddedController,
  BackgroundWork,
  type BackgroundWorkOptions,
  type ControllerDefinition,
  defineController,
  type Manager,
} from '../../controller/index.ts';
import { groupOf, type KubeObject } from '../../kube/index.ts';
import { CatalogStore } from '../catalog-content/catalog-store.ts';
import { createPin } from '../catalog-content/pin.ts';
import type { RegistryTerms, UnpackSettings } from '../catalog-content/unpack-job.ts';
import { CatalogThreads } from '../catalog-content/unpack-thread.ts';
import type { CatalogContext } from './context.ts';
import { blocked } from './plan.ts';
import { beginCatalog, type CatalogRun, discard, steps } from './reconcile.ts';
import { traitsOf } from './traits.ts';
import { type CatalogViews, viewsOf } from './views.ts';

export interface ClusterCatalogsOptions {
  /** No other process uses it. */
  readonly storeDir: string;
  /** Start of `status.urls.base`: `https://host`. */
  readonly baseUrl: string;
  readonly settings: UnpackSettings;
  /** What registries are asked with; read before every poll of an image. */
  readonly readTerms: (signal: AbortSignal) => Promise<RegistryTerms>;
  /** Default: in a worker thread. */
  readonly unpack?: CatalogContext['unpack'];
}

/** The contents of ClusterCatalogs. */
export interface ClusterCatalogs {
  readonly views: CatalogViews;
  /** What is served under a name; good until the catalog changes, unless it is kept by its `use`. */
  index(name: string): CatalogIndex | undefined;
  names(): readonly string[];
  /** Resolves when everything that is served somewhere is stored here, or could not be had. */
  readonly whenCaughtUp: Promise<void>;
  /** Retries failed work: something outside of the cluster has changed. */
  retry(): void;
}

const group = groupOf(clusterCatalogResource.apiVersion);
const workers = 4;
/** By registry: slow ones hold up no others. */
const limits = { perGroup: 2, prompt: 2, running: 4, promptMs: 30_000 };
const retry = { firstMs: 1_000, longestMs: 5 * 60_000 };

/** The controller of ClusterCatalogs. A process that does not lead stores the same content as the one that does, so that all can serve it. */
export const clusterCatalogController: ControllerDefinition<CatalogContext, CatalogRun> = defineController({
  name: 'clustercatalog',
  for: clusterCatalogResource,
  begin: beginCatalog,
  steps,
  forget: (context, { name }) => discard(context, name),
  permissions: {
    cluster: [
      { apiGroups: [group], resources: ['clustercatalogs'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: [group], resources: ['clustercatalogs/status'], verbs: ['patch'] },
      { apiGroups: [group], resources: ['clustercatalogs/finalizers'], verbs: ['update'] },
    ],
  },
  runsOnEveryReplica: true,
  isOptional: true,
});

/** Unpacks in threads, which end with the controllers. */
function inThreads(signal: AbortSignal): CatalogContext['unpack'] {
  const threads = new CatalogThreads();
  signal.addEventListener('abort', () => threads[Symbol.dispose](), { once: true });
  return async (job, stop) => await threads.unpack(job, stop);
}

function createContext(
  manager: Manager,
  options: ClusterCatalogsOptions,
  { store, onChange }: { readonly store: CatalogStore; readonly onChange: (name: string) => void },
): CatalogContext {
  const { kube, clock, log, metrics, signal } = manager;
  const { settings, baseUrl, readTerms, unpack = inThreads(signal) } = options;
  const onFailure: BackgroundWorkOptions['onFailure'] = (name, { reason, message }) => {
    log.warn({ object: name, reason, message }, 'catalog not unpacked');
  };
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
    unpack,
    isLeading: () => manager.isLeading(),
    catalogs: manager.cache(clusterCatalogResource),
    unpacks: new BackgroundWork({ clock, log, signal, limits, retry, isFinal, onChange, onFailure }),
    events: manager.eventRecorder('longshore'),
    pin: createPin(settings, clock),
    polls: new Map(),
    faulty: new Map(),
  };
}

/** A fault in one catalog is reported when it is reconciled, and keeps no other one from being served. */
function describe({ store, log }: CatalogContext, name: string, object: KubeObject): void {
  try {
    store.describe(name, traitsOf(parseClusterCatalog(object)));
  } catch (thrown) {
    log.debug({ catalog: name, message: errorMessage(thrown) }, 'priority and labels not known yet');
  }
}

/** Removes the content of catalogs that were deleted, or created again, while this was not running; the rest is described by its object before
 *  anybody chooses from it. */
async function sweep(context: CatalogContext): Promise<void> {
  const { store, catalogs } = context;
  for (const name of store.names()) {
    const object = catalogs.get(name);
    if (object === undefined || object.metadata.uid !== store.find(name)?.uid) await store.remove(name);
    else describe(context, name, object);
  }
}

/** Whether nothing that is served elsewhere is still on its way. */
function isCaughtUp({ catalogs, store, unpacks }: CatalogContext): boolean {
  return catalogs.values().every((object) => {
    const { name = '', uid } = object.metadata;
    const served = (object['status'] as { resolvedSource?: unknown } | undefined)?.resolvedSource;
    return served === undefined || store.find(name)?.uid === uid || unpacks.hasFailed(name);
  });
}

/** Opens what is stored and adds the controller of ClusterCatalogs.
 *  @throws TerminalError DataFolderInUse, DataFolderUnusable */
export async function addClusterCatalogs(manager: Manager, options: ClusterCatalogsOptions): Promise<ClusterCatalogs> {
  const store = await CatalogStore.open(options.storeDir, manager.log);
  const caughtUp = Promise.withResolvers<void>();
  const checkCaughtUp = (): void => {
    if (isCaughtUp(context)) caughtUp.resolve();
  };
  const onChange = (name: string): void => {
    controller.enqueue(name);
    checkCaughtUp();
  };
  const context = createContext(manager, options, { store, onChange });
  const controller: AddedController = manager.add(clusterCatalogController, {
    context,
    workers,
    beforeWork: async () => {
      await sweep(context);
      context.catalogs.subscribe(checkCaughtUp);
      checkCaughtUp();
    },
    afterWork: async () => {
      await context.unpacks.whenIdle();
      await store[Symbol.asyncDispose]();
    },
  });
  manager.metrics?.readFrom(async () => ({
    longshore_catalogs: store.names().length,
    longshore_catalog_index_bytes: await store.sizeBytes(),
  }));
  return {
    views: viewsOf(store),
    index: (name) => store.index(name),
    names: () => store.names(),
    whenCaughtUp: caughtUp.promise,
    retry: () => {
      context.unpacks.forgetFailures();
      controller.enqueueAll();
    },
  };
}
