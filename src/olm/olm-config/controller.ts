import {
  type OperatorGroup,
  olmConfigName,
  olmConfigResource,
  olmFieldManager,
  olmLabels,
  operatorGroupResource,
  parseClusterServiceVersion,
  parseOlmConfig,
  parseOperatorGroup,
} from '../../api/index.ts';
import {
  type Clock,
  isJsonEqual,
  type JsonObject,
  type JsonValue,
  objectAt,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  requeueAfter,
  StatusWriter,
  type Step,
} from '../../controller/index.ts';
import {
  type CacheChange,
  type CacheIndex,
  groupOf,
  indexCache,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type NamespacedName,
} from '../../kube/index.ts';
import { copiedVersions, isGlobalGroup, originalVersions, placementOf } from '../../operators/index.ts';
import { copiesCondition } from './copies.ts';

/** All copies are compared at most this often: they come in by the thousand. */
const pauseMs = 1_000;
const namespaceTarget = { apiVersion: 'v1', kind: 'Namespace', isMetadataOnly: true } as const;

export interface OlmConfigOptions {
  /** Namespaces that keep copies where they are disabled. Default: none. */
  readonly protectedNamespaces?: readonly string[];
}

interface ConfigContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly configs: KindCache;
  readonly groups: KindCache;
  readonly namespaces: KindCache;
  readonly groupsIn: CacheIndex;
  readonly originalsIn: CacheIndex;
  readonly originalsNamed: CacheIndex;
  readonly copiesNamed: CacheIndex;
  readonly copiesOf: CacheIndex;
  readonly protectedNamespaces: ReadonlySet<string>;
  readonly last: { comparedMs: number };
}

interface ConfigRun extends ReconcileRun {
  readonly context: ConfigContext;
  readonly status: StatusWriter;
}

/** Undefined where an object cannot be read: its own controller reports it. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

function groupsOf({ groupsIn }: ConfigContext, namespace: string): readonly OperatorGroup[] {
  return groupsIn.get(namespace).flatMap((object) => readable(() => parseOperatorGroup(object)) ?? []);
}

/** Operators that are active in all namespaces. */
function globalOperators(context: ConfigContext): readonly NamespacedName[] {
  const places = new Set(context.groups.values().map(({ metadata }) => metadata.namespace ?? ''));
  return [...places].flatMap((namespace) => {
    const groups = groupsOf(context, namespace);
    if (!groups.some(isGlobalGroup)) return [];
    return context.originalsIn.get(namespace).flatMap((object) => {
      const csv = readable(() => parseClusterServiceVersion(object));
      const isGlobal = csv !== undefined && placementOf(csv, groups).kind === 'everywhere';
      return isGlobal ? [{ namespace, name: csv.metadata.name }] : [];
    });
  });
}

/** Whether a namespace lacks a copy; one that has an original of the name can have none. */
function lacksCopies(context: ConfigContext, { name }: NamespacedName): boolean {
  const had = [...context.copiesNamed.names(name), ...context.originalsNamed.names(name)];
  const places = new Set(had.map(({ namespace }) => namespace));
  return context.namespaces
    .values()
    .some(({ metadata }) => metadata.deletionTimestamp === undefined && !places.has(metadata.name ?? ''));
}

function hasCopies(context: ConfigContext, { namespace, name }: NamespacedName): boolean {
  const copies = context.copiesOf.names(`${namespace}/${name}`);
  return copies.some((copy) => !context.protectedNamespaces.has(copy.namespace));
}

const reportCopies: Step<ConfigRun> = async (run) => {
  await Promise.resolve();
  const { context, object } = run;
  if (object.metadata.name !== olmConfigName) return 'stop';
  const waitMs = context.last.comparedMs + pauseMs - context.clock.now();
  if (waitMs > 0 && waitMs <= pauseMs) {
    requeueAfter(run, waitMs);
    return 'stop';
  }
  context.last.comparedMs = context.clock.now();
  const isDisabled = parseOlmConfig(object).spec?.features?.disableCopiedCSVs === true;
  const operators = globalOperators(context);
  const isMissing = !isDisabled && operators.some((operator) => lacksCopies(context, operator));
  const isLeft = isDisabled && operators.some((operator) => hasCopies(context, operator));
  run.status.set(run, [copiesCondition({ isDisabled, isMissing, isLeft })]);
  return undefined;
};

const only: readonly NamespacedName[] = [{ namespace: '', name: olmConfigName }];

/** What of an operator decides where it is copied to. */
function placing(object: KubeObject | undefined): JsonValue {
  if (object === undefined) return null;
  const status = objectAt(object as JsonObject, 'status');
  return [textAt(status, 'phase') === '', textAt(status, 'reason'), object.metadata.annotations ?? {}];
}

const isPlacementChanged = ({ before, after }: CacheChange<KubeObject>): boolean =>
  !isJsonEqual(placing(before), placing(after));

const isAddedOrRemoved = ({ before, after }: CacheChange<KubeObject>): boolean =>
  before === undefined || after === undefined || before.metadata.uid !== after.metadata.uid;

const olmGroup = groupOf(olmConfigResource.apiVersion);

/** Reports in OLMConfig whether copies of operators are as it requests. The copies themselves are another controller's. */
export const olmConfigController: ControllerDefinition<ConfigContext, ConfigRun> = defineController({
  name: 'olmconfig',
  for: olmConfigResource,
  watches: () => [
    { target: originalVersions, requestsFor: (change) => (isPlacementChanged(change) ? only : []) },
    { target: copiedVersions, requestsFor: (change) => (isAddedOrRemoved(change) ? only : []) },
    { target: operatorGroupResource, requestsFor: () => only },
    { target: namespaceTarget, requestsFor: (change) => (isAddedOrRemoved(change) ? only : []) },
  ],
  begin: (context, object): ConfigRun => {
    const { kube, clock, configs: cache } = context;
    const options = { kube, clock, cache, fieldManager: olmFieldManager, hasGenerations: false };
    return { context, object, status: new StatusWriter(object, options) };
  },
  steps: [reportCopies],
  permissions: {
    cluster: [
      {
        apiGroups: [olmGroup],
        resources: ['olmconfigs', 'operatorgroups', 'clusterserviceversions'],
        verbs: ['get', 'list', 'watch'],
      },
      { apiGroups: [olmGroup], resources: ['olmconfigs/status'], verbs: ['update', 'patch'] },
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
    ],
  },
  isOptional: true,
});

/** Adds the controller of OLMConfig. */
export function addOlmConfig(manager: Manager, { protectedNamespaces = [] }: OlmConfigOptions = {}): void {
  const { kube, clock } = manager;
  const [originals, copies] = [manager.cache(originalVersions), manager.cache(copiedVersions)];
  const groups = manager.cache(operatorGroupResource);
  const byNamespace = ({ metadata }: KubeObject): string[] => [metadata.namespace ?? ''];
  const byName = ({ metadata }: KubeObject): string[] => [metadata.name ?? ''];
  const context: ConfigContext = {
    kube,
    clock,
    groups,
    configs: manager.cache(olmConfigResource),
    namespaces: manager.cache(namespaceTarget),
    groupsIn: indexCache(groups, byNamespace),
    originalsIn: indexCache(originals, byNamespace),
    originalsNamed: indexCache(originals, byName),
    copiesNamed: indexCache(copies, byName),
    copiesOf: indexCache(copies, ({ metadata }) => [
      `${metadata.labels?.[olmLabels.copiedFrom] ?? ''}/${metadata.name}`,
    ]),
    protectedNamespaces: new Set(protectedNamespaces),
    last: { comparedMs: 0 },
  };
  manager.add(olmConfigController, { context, workers: 1 });
}
