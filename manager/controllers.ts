import { bundleResource } from '../src/api/index.ts';
import type { Clock, Logger } from '../src/base/index.ts';
import type { Dependency } from '../src/constraints/index.ts';
import { type ControllerHealth, createManager, type Election, type Manager } from '../src/controller/index.ts';
import type { KindCache, KubeClient } from '../src/kube/index.ts';
import {
  addClusterExtensions,
  addPlatformOperators,
  type CatalogViews,
  type ClusterCatalogs,
  describeOffers,
  ResolverThread,
} from '../src/olm/index.ts';
import { type CatalogsContext, openCatalogs, unpackSettings } from './catalogs.ts';
import type { AddedOlm, OlmContext } from './olm.ts';
import { openProvisioners, type ProvisionersContext } from './provisioners.ts';
import type {
  ClusterVersionSettings,
  ControllerSettings,
  MachinesSettings,
  OlmSettings,
  RegistrySettings,
} from './settings.ts';

/** What the controllers of one process run with. */
export interface ControllersContext extends Omit<ProvisionersContext, 'offersFor'> {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Default: this process is the only one. */
  readonly election?: Election;
  /** Where and how catalogs are served; undefined: ClusterCatalogs and PlatformOperators are left to another program. */
  readonly catalogs: Pick<CatalogsContext, 'catalogsDir' | 'openCatalogServer'> | undefined;
  /** Operator Lifecycle Manager, and the folder of its catalogs and bundles; undefined: its kinds are left alone. */
  readonly olm?:
    | (Pick<OlmContext, 'olmDir' | 'packages' | 'registry' | 'reviewKube'> & { readonly settings: OlmSettings })
    | undefined;
  /** Cluster updates, and the folder of their releases; undefined: the ClusterVersion is left alone. */
  readonly clusterVersion?: { readonly settings: ClusterVersionSettings; readonly releaseDir: string } | undefined;
  /** Machines and their provider; undefined: the kinds of machines are left alone. */
  readonly machines?: MachinesSettings | undefined;
  /** Called when all objects are known; `whenCaughtUp` resolves when the catalogs that are served are stored here. */
  readonly onSynced?: (whenCaughtUp: Promise<void> | undefined) => void;
  /** Resolves when the process gets a signal to stop: nothing is waited for then. Default: never. */
  readonly whenStopped?: Promise<void>;
}

/** All controllers of one process. Disposing it ends them, then the servers. */
export interface RunningControllers extends AsyncDisposable {
  readonly contentUrl: string;
  readonly catalogsUrl: string | undefined;
  readonly views: CatalogViews | undefined;
  /** Resolves when another Operator Lifecycle Manager was started on the cluster: the process must end. */
  readonly whenOtherOlm: Promise<void>;
  /** All Bundles, while the controllers run. */
  bundles(): KindCache | undefined;
  health(): readonly ControllerHealth[];
}

/** Clauses that name bundles of catalogs which would meet a dependency. */
export function offersOf(views: CatalogViews | undefined, dependency: Dependency): readonly string[] {
  return views === undefined ? [] : describeOffers(views, dependency);
}

/** Resolves when the controllers work, never will, or the process gets a signal to stop. */
async function start(manager: Manager, { onSynced, whenStopped }: ControllersContext, catalogs?: ClusterCatalogs) {
  void manager.whenSynced.then(
    () => onSynced?.(catalogs?.whenCaughtUp),
    // The process stops before that.
    () => undefined,
  );
  const starting = manager.start();
  await Promise.race([starting, whenStopped ?? starting]);
}

function managerFor({ kube, clock, log, metrics, election }: ControllersContext, signal: AbortSignal): Manager {
  return createManager({ kube, clock, log, metrics, signal, ...(election === undefined ? {} : { election }) });
}

/** Adds those that read catalogs and stored bundles. */
async function addReaders(
  manager: Manager,
  settings: ControllerSettings,
  context: Omit<ControllersContext, 'catalogs'> & {
    readonly catalogs: ClusterCatalogs | undefined;
    readonly stack: AsyncDisposableStack;
  },
): Promise<AddedOlm | undefined> {
  const { catalogs, olm, clusterVersion, systemNamespace, environment, registries, stack } = context;
  if (catalogs !== undefined) {
    const { views } = catalogs;
    const { isAccountRequired } = settings;
    // Disposed of once the controllers have ended.
    const resolver = stack.use(new ResolverThread());
    const shared = { views, resolver, isAccountRequired };
    addPlatformOperators(manager, { ...shared, systemNamespace, version: environment.version });
    addClusterExtensions(manager, shared);
  }
  const unpacking = unpackSettings(settings, context);
  if (clusterVersion !== undefined) {
    // Few clusters have a release: the engine is loaded only then.
    const { openClusterVersion } = await import('./cluster-version.ts');
    const { version } = environment;
    await openClusterVersion(manager, clusterVersion.settings, { ...clusterVersion, registries, unpacking, version });
  }
  if (olm === undefined) return undefined;
  const { addOlm } = await import('./olm.ts');
  return await addOlm(manager, olm.settings, { ...olm, registries, unpacking, stack });
}

/** What could not be fetched is tried again when a mirror or the policy has changed. */
function retryWithSettings(
  { mirrors, imagePolicy }: RegistrySettings,
  all: readonly ({ retry(): void } | undefined)[],
  stack: AsyncDisposableStack,
): void {
  for (const unpacked of all) {
    if (unpacked === undefined) continue;
    const retry = (): void => unpacked.retry();
    stack.use(mirrors.watch(retry));
    stack.use(imagePolicy.watch(retry));
  }
}

/** Starts the servers of contents and catalogs and all controllers; they work, or never will, when it resolves. A new controller is added here.
 *  @throws TerminalError InvalidOption, DataFolderInUse, DataFolderUnusable, UploadsOfAnotherCluster · Error when a port is taken */
export async function startControllers(
  settings: ControllerSettings,
  context: ControllersContext,
): Promise<RunningControllers> {
  const { registries } = context;
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  const { signal } = stop;
  stack.defer(() => stop.abort());
  const manager = managerFor(context, signal);
  const catalogs =
    context.catalogs && (await openCatalogs(manager, settings, { ...context, ...context.catalogs, stack }));
  // A cluster that does not answer yet is waited for.
  const bundles = manager.cache(bundleResource);
  const { whenSynced } = bundles;
  await Promise.race([whenSynced, context.whenStopped ?? whenSynced]);
  const offersFor = (dependency: Dependency): readonly string[] => offersOf(catalogs?.views, dependency);
  const provisioners = await openProvisioners(manager, settings, { ...context, offersFor, stack });
  // Loaded where it is asked for: most processes have no machines.
  if (context.machines !== undefined) {
    const { addMachineControllers } = await import('./machines.ts');
    const { version } = context.environment;
    const hasClusterVersion = context.clusterVersion !== undefined;
    addMachineControllers(manager, { ...context.machines, version, hasClusterVersion });
  }
  const olm = await addReaders(manager, settings, { ...context, catalogs, stack });
  // The controllers end before what they work with.
  stack.defer(async () => {
    stop.abort();
    await manager.whenStopped();
  });
  await start(manager, context, catalogs);
  stack.use(registries.mirrors.watch(provisioners.retryImages));
  stack.use(registries.imagePolicy.watch(provisioners.retrySources));
  retryWithSettings(registries, [catalogs, olm?.sources], stack);
  const owned = stack.move();
  return {
    contentUrl: provisioners.contentUrl,
    catalogsUrl: catalogs?.url,
    views: catalogs?.views,
    whenOtherOlm: olm?.whenOtherAppeared ?? new Promise(() => undefined),
    bundles: () => (signal.aborted ? undefined : bundles),
    health: () => manager.health(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
