import { catalogSourceResource, parseCatalogSource } from '../../api/index.ts';
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
import { groupOf, type KubeObject, type ListTarget, parseNamespacedName } from '../../kube/index.ts';
import { CatalogStore } from '../catalog-content/catalog-store.ts';
import { createPin } from '../catalog-content/pin.ts';
import type { UnpackSettings } from '../catalog-content/unpack-job.ts';
import { CatalogThreads } from '../catalog-content/unpack-thread.ts';
import { ClusterVersion } from './cluster-version.ts';
import type { CatalogReaders, CatalogSourceContext, GrpcPlace } from './context.ts';
import { createSourceViews } from './held-sources.ts';
import { showMetrics } from './metrics.ts';
import { forgetSource, steps } from './reconcile.ts';
import { beginSource, type SourceRun } from './run.ts';
import { serviceTarget, sourceCalled } from './service.ts';
import { SourceDirectory } from './source-directory.ts';
import { traitsOf } from './traits.ts';
import type { CatalogSourceViews, ServedSources } from './views.ts';

export interface CatalogSourcesOptions {
  /** No other process uses it. */
  readonly storeDir: string;
  /** Of all indexes together; the catalogs of one namespace have a quarter, all outside of the global namespace a half of it. Default 10 GiB. */
  readonly maxStoreBytes?: number;
  /** The namespace whose CatalogSources are visible in all. */
  readonly globalNamespace: string;
  readonly settings: UnpackSettings;
  /** What registries are asked with; read before every poll of an image. */
  readonly readTerms: CatalogSourceContext['readTerms'];
  /** Where clients of other programs reach the server of `catalogAt`; without it there are no Services for them. */
  readonly grpc?: GrpcPlace;
  /** Default: in worker threads. */
  readonly readers?: Partial<CatalogReaders>;
}

/** The contents of CatalogSources. */
export interface CatalogSources extends CatalogSourceViews, ServedSources {
  /** The catalog that clients call by this name, if its owner requested a Service. */
  catalogAt(authority: string): CatalogIndex | undefined;
  /** Retries failed work: something outside of the cluster has changed. */
  retry(): void;
}

const group = groupOf(catalogSourceResource.apiVersion);
const configMapTarget: ListTarget = { apiVersion: 'v1', kind: 'ConfigMap', isMetadataOnly: true };
const defaultStoreBytes = 10 * 1024 ** 3;
const workers = 4;
/** Namespaces take turns, and slow registries hold up no others. */
const limits = { perGroup: 1, prompt: 2, running: 4, promptMs: 30_000 };
const retry = { firstMs: 1_000, longestMs: 5 * 60_000 };

/** In threads, which end with the controllers. */
function openReaders(signal: AbortSignal): CatalogReaders {
  const threads = new CatalogThreads();
  signal.addEventListener('abort', () => threads[Symbol.dispose](), { once: true });
  return {
    image: async (job, stop) => await threads.unpack(job, stop),
    address: async (job, stop) => await threads.indexRegistry(job, stop),
    configMap: async (job, stop) => await threads.indexConfigMap(job, stop),
  };
}

/** CatalogSources that a ConfigMap is for. */
function sourcesOf(
  { directory }: CatalogSourceContext,
  { metadata }: KubeObject,
): { namespace: string; name: string }[] {
  const namespace = metadata.namespace ?? '';
  return directory.in(namespace).flatMap((source) => {
    const { spec } = source as { spec?: { configMap?: unknown } };
    return spec?.configMap === metadata.name ? [{ namespace, name: source.metadata.name ?? '' }] : [];
  });
}

/** The controller of CatalogSources. Each process reads all contents for itself, so that each can answer from them; the one that leads writes. No Pods: images
 *  are unpacked, and registries are read, in threads of the process. */
export const catalogSourceController: ControllerDefinition<CatalogSourceContext, SourceRun> = defineController({
  name: 'catalogsource',
  for: catalogSourceResource,
  owns: [serviceTarget],
  watches: (context) => [
    {
      target: configMapTarget,
      requestsFor: ({ before, after }) => {
        const changed = after ?? before;
        return changed === undefined ? [] : sourcesOf(context, changed);
      },
    },
  ],
  begin: beginSource,
  steps,
  forget: forgetSource,
  permissions: {
    cluster: [
      { apiGroups: [group], resources: ['catalogsources'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: [group], resources: ['catalogsources/status'], verbs: ['patch'] },
      { apiGroups: [group], resources: ['catalogsources/finalizers'], verbs: ['update'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
    ],
  },
  runsOnEveryReplica: true,
  isOptional: true,
});

interface ContextParts {
  readonly store: CatalogStore;
  readonly directory: SourceDirectory;
  readonly onChange: (key: string) => void;
}

function createContext(manager: Manager, options: CatalogSourcesOptions, parts: ContextParts): CatalogSourceContext {
  const { kube, clock, log, metrics, signal } = manager;
  const { settings, readTerms, maxStoreBytes = defaultStoreBytes, globalNamespace, readers } = options;
  const { store, directory, onChange } = parts;
  const onFailure: BackgroundWorkOptions['onFailure'] = (name, { reason, message }) => {
    log.warn({ object: name, reason, message }, 'catalog not read');
  };
  const isFinal = ({ reason }: { readonly reason: string }): boolean => reason === 'InvalidAddress';
  return {
    kube,
    clock,
    log,
    metrics,
    store,
    directory,
    settings,
    maxStoreBytes,
    globalNamespace,
    readTerms,
    isLeading: () => manager.isLeading(),
    sources: manager.cache(catalogSourceResource),
    configMaps: manager.cache(configMapTarget),
    work: new BackgroundWork({ clock, log, signal, limits, retry, isFinal, onChange, onFailure }),
    pin: createPin(settings, clock),
    readers: { ...openReaders(signal), ...readers },
    version: new ClusterVersion(kube, clock),
    uids: new Map(),
    progress: new Map(),
    connections: new Map(),
    grpc: options.grpc,
    services: manager.cache(serviceTarget),
    serviceProblems: new Map(),
    enqueue: ({ namespace, name }) => onChange(`${namespace}/${name}`),
  };
}

/** A fault in one object is reported when it is reconciled, and keeps no other one from being read. */
function describe({ store, log }: CatalogSourceContext, uid: string, object: KubeObject): void {
  try {
    store.describe(uid, traitsOf(parseCatalogSource(object)));
  } catch (thrown) {
    log.debug({ catalog: object.metadata.name, message: errorMessage(thrown) }, 'priority and labels not known yet');
  }
}

/** Removes the content of objects that were deleted while this was not running; the rest is described by its object before anybody chooses from it. */
async function sweep(context: CatalogSourceContext): Promise<void> {
  const { store, sources, directory } = context;
  directory.follow(sources);
  const objects = new Map(sources.values().map((object) => [object.metadata.uid ?? '', object]));
  for (const uid of store.names()) {
    const object = objects.get(uid);
    if (object === undefined) await store.remove(uid);
    else describe(context, uid, object);
  }
}

async function close(context: CatalogSourceContext): Promise<void> {
  for (const connection of context.connections.values()) connection[Symbol.dispose]();
  await context.work.whenIdle();
  await context.store[Symbol.asyncDispose]();
}

/** Opens what is stored and adds the controller of CatalogSources.
 *  @throws TerminalError DataFolderInUse, DataFolderUnusable */
export async function addCatalogSources(manager: Manager, options: CatalogSourcesOptions): Promise<CatalogSources> {
  const store = await CatalogStore.open(options.storeDir, manager.log);
  const directory = new SourceDirectory();
  const ready = Promise.withResolvers<void>();
  manager.signal.addEventListener('abort', () => ready.resolve(), { once: true });
  const onChange = (key: string): void => {
    const { namespace, name } = parseNamespacedName(key);
    controller.enqueue(name, namespace);
  };
  const context = createContext(manager, options, { store, directory, onChange });
  const controller: AddedController = manager.add(catalogSourceController, {
    context,
    workers,
    beforeWork: () => sweep(context).finally(ready.resolve),
    afterWork: () => close(context),
  });
  // Without the kind there is nothing to wait for.
  context.sources.whenSynced.catch(() => ready.resolve());
  showMetrics(context);
  return {
    ...createSourceViews({ directory, store, globalNamespace: options.globalNamespace }),
    whenReady: ready.promise,
    catalogAt: (authority) => {
      const source = sourceCalled(authority, (namespace) => directory.in(namespace));
      return source === undefined ? undefined : store.index(source.metadata.uid ?? '');
    },
    retry: () => {
      context.work.forgetFailures();
      controller.enqueueAll();
    },
  };
}
