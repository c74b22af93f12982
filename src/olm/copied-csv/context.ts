import {
  clusterServiceVersionResource,
  type OperatorGroup,
  olmConfigName,
  olmConfigResource,
  olmLabels,
  operatorGroupResource,
  parseClusterServiceVersion,
  parseOperatorGroup,
} from '../../api/index.ts';
import { type Clock, isTrueAt, type JsonObject, objectAt, remember, rememberReading } from '../../base/index.ts';
import type { Manager } from '../../controller/index.ts';
import {
  type CacheIndex,
  type EventRecorder,
  indexCache,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type ListTarget,
  type NamespacedName,
} from '../../kube/index.ts';
import { copiedVersions, originalVersions, type Placement, placementOf } from '../../operators/index.ts';
import { ownerKeyOf, rbacTargets } from '../rbac-objects.ts';
import { type Access, type Operator, readAccess, versionKey } from './access.ts';
import { type DesiredCopy, desiredCopy } from './desired-copy.ts';

type TargetName =
  | 'originals'
  | 'copies'
  | 'groups'
  | 'namespaces'
  | 'config'
  | 'accounts'
  | 'roles'
  | 'roleBindings'
  | 'clusterRoles'
  | 'clusterRoleBindings';

/** What these controllers list and watch. */
export const copyTargets: Readonly<Record<TargetName, ListTarget>> = {
  originals: originalVersions,
  copies: copiedVersions,
  groups: operatorGroupResource,
  namespaces: { apiVersion: 'v1', kind: 'Namespace', isMetadataOnly: true },
  config: olmConfigResource,
  accounts: { apiVersion: 'v1', kind: 'ServiceAccount', isMetadataOnly: true },
  ...rbacTargets,
};

/** What is known of the content of a copy, whose cache has only metadata: it is that of the hashes as long as the version is the same. */
export interface KnownContent {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly main: string;
  readonly status: string;
}

export interface CopyOptions {
  /** Namespaces that keep copies of global operators where OLMConfig disables these. Default: none. */
  readonly protectedNamespaces?: readonly string[];
  /** Copies that are reconciled at a time. Default: 8. */
  readonly workers?: number;
}

/** What the reconciles work with. */
export interface CopyContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
  readonly caches: Readonly<Record<TargetName, KindCache>>;
  readonly originalsIn: (namespace: string) => readonly Operator[];
  readonly original: (request: NamespacedName) => Operator | undefined;
  /** Names of the copies of an original, by `namespace/name` of it. */
  readonly copiesOf: (original: NamespacedName) => readonly NamespacedName[];
  /** Groups that list a namespace among their targets; `''` for global ones. */
  readonly groupsTargeting: (namespace: string) => readonly KubeObject[];
  readonly rolesOf: (key: string) => readonly KubeObject[];
  readonly bindingsOf: (key: string) => readonly KubeObject[];
  readonly clusterRolesOf: (key: string) => readonly KubeObject[];
  readonly clusterBindingsOf: (key: string) => readonly KubeObject[];
  readonly placementOf: (operator: Operator) => Placement;
  /** What the operator is to be allowed in its target namespaces. */
  readonly accessOf: (operator: Operator) => Access;
  readonly targetsOf: (group: OperatorGroup) => ReadonlySet<string>;
  readonly desired: (original: KubeObject) => DesiredCopy;
  readonly isCopyingDisabled: () => boolean;
  readonly isProtected: (namespace: string) => boolean;
  /** By `namespace/name`. */
  readonly known: Map<string, KnownContent>;
  /** Answers of the API server about originals that the cache lacks. */
  readonly absent: Map<string, Promise<boolean>>;
  /** What was reported about an operator, by `namespace/name`. */
  readonly reported: Map<string, string>;
}

const byNamespace = ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ''];
const byOwner = (object: KubeObject): readonly string[] => {
  const key = ownerKeyOf(object);
  return key === undefined ? [] : [key];
};

/** The key of the original that a copy names. */
function byOriginal({ metadata }: KubeObject): readonly string[] {
  return [`${metadata.labels?.[olmLabels.copiedFrom] ?? ''}/${metadata.name ?? ''}`];
}

function openCaches(manager: Manager): CopyContext['caches'] {
  const entries = Object.entries(copyTargets).map(([name, target]) => [name, manager.cache(target)]);
  return Object.fromEntries(entries) as CopyContext['caches'];
}

type ReadGroup = (object: KubeObject) => OperatorGroup | undefined;

/** Computes something about an operator from other objects, again when any of them has changed. */
function computedFrom<V>(
  inputsOf: (operator: Operator) => readonly KubeObject[],
  compute: (operator: Operator, inputs: readonly KubeObject[]) => V,
): (operator: Operator) => V {
  const known = new WeakMap<KubeObject, { readonly inputs: readonly KubeObject[]; readonly value: V }>();
  return (operator) => {
    const inputs = inputsOf(operator);
    const before = known.get(operator.object);
    const isSame =
      before?.inputs.length === inputs.length && inputs.every((one, index) => one === before.inputs[index]);
    if (before !== undefined && isSame) return before.value;
    const value = compute(operator, inputs);
    known.set(operator.object, { inputs, value });
    return value;
  };
}

function placements(groups: CacheIndex, readGroup: ReadGroup): (operator: Operator) => Placement {
  return computedFrom(
    ({ object }) => groups.get(object.metadata.namespace ?? ''),
    ({ csv }, found) => {
      const read = found.flatMap((group) => readGroup(group) ?? []);
      return read.length < found.length ? { kind: 'unknown' } : placementOf(csv, read);
    },
  );
}

function accesses(roles: CacheIndex, bindings: CacheIndex): (operator: Operator) => Access {
  return computedFrom(
    ({ object }) => [roles, bindings].flatMap((index) => index.get(versionKey(object.metadata))),
    (operator, found) => {
      const { true: owned = [], false: others = [] } = Object.groupBy(found, ({ kind }) => `${kind === 'Role'}`);
      return readAccess(operator, { roles: owned, bindings: others });
    },
  );
}

/** Opens the caches and their indexes. */
export function createCopyContext(manager: Manager, { protectedNamespaces = [] }: CopyOptions): CopyContext {
  const caches = openCaches(manager);
  const parse = rememberReading(parseClusterServiceVersion);
  const readGroup = rememberReading(parseOperatorGroup);
  const operatorOf = remember((object: KubeObject): Operator | undefined => {
    const csv = parse(object);
    return csv === undefined ? undefined : { object, csv };
  });
  const index = (name: TargetName, keysOf: (object: KubeObject) => Iterable<string>): CacheIndex =>
    indexCache(caches[name], keysOf);
  const placed = index('originals', byNamespace);
  const copies = index('copies', byOriginal);
  const targeting = index('groups', (object) => readGroup(object)?.status?.namespaces ?? []);
  const [roles, bindings] = [index('roles', byOwner), index('roleBindings', byOwner)];
  const [clusterRoles, clusterBindings] = [index('clusterRoles', byOwner), index('clusterRoleBindings', byOwner)];
  const protectedSet = new Set(protectedNamespaces);
  return {
    kube: manager.kube,
    clock: manager.clock,
    events: manager.eventRecorder('operator-lifecycle-manager'),
    signal: manager.signal,
    caches,
    originalsIn: (namespace) => placed.get(namespace).flatMap((object) => operatorOf(object) ?? []),
    original: ({ namespace, name }) => {
      const object = caches.originals.get(name, namespace);
      return object === undefined ? undefined : operatorOf(object);
    },
    copiesOf: ({ namespace, name }) => copies.names(`${namespace}/${name}`),
    groupsTargeting: (namespace) => targeting.get(namespace),
    rolesOf: (key) => roles.get(key),
    bindingsOf: (key) => bindings.get(key),
    clusterRolesOf: (key) => clusterRoles.get(key),
    clusterBindingsOf: (key) => clusterBindings.get(key),
    placementOf: placements(index('groups', byNamespace), readGroup),
    accessOf: accesses(roles, bindings),
    targetsOf: remember(({ status }: OperatorGroup) => new Set(status?.namespaces)),
    desired: remember(desiredCopy),
    isCopyingDisabled: () => {
      const config = caches.config.get(olmConfigName) as JsonObject | undefined;
      return isTrueAt(objectAt(config, 'spec', 'features'), 'disableCopiedCSVs');
    },
    isProtected: (namespace) => protectedSet.has(namespace),
    known: new Map(),
    absent: new Map(),
    reported: new Map(),
  };
}

/** The reference to a ClusterServiceVersion. */
export function versionRef({ namespace, name }: NamespacedName): KubeObject & { namespace: string; name: string } {
  const { apiVersion, kind } = clusterServiceVersionResource;
  return { apiVersion, kind, namespace, name, metadata: { namespace, name } };
}
