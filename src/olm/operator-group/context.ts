import {
  type ClusterServiceVersion,
  type OperatorGroup,
  operatorGroupResource,
  parseClusterServiceVersion,
  parseOperatorGroup,
} from '../../api/index.ts';
import { type Clock, rememberReading } from '../../base/index.ts';
import type { Manager } from '../../controller/index.ts';
import {
  type EventRecorder,
  indexCache,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type ListTarget,
} from '../../kube/index.ts';
import { isCopied, originalVersions } from '../../operators/index.ts';
import { rbacTargets } from '../rbac-objects.ts';

type TargetName = 'groups' | 'versions' | 'namespaces' | 'serviceAccounts' | 'clusterRoles';

/** What the controllers of OperatorGroups list and watch. */
export const groupTargets: Readonly<Record<TargetName, ListTarget>> = {
  groups: operatorGroupResource,
  versions: originalVersions,
  namespaces: { apiVersion: 'v1', kind: 'Namespace', isMetadataOnly: true },
  serviceAccounts: { apiVersion: 'v1', kind: 'ServiceAccount', isMetadataOnly: true },
  clusterRoles: rbacTargets.clusterRoles,
};

/** What the reconciles work with. */
export interface GroupContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly groups: KindCache;
  readonly namespaces: KindCache;
  readonly serviceAccounts: KindCache;
  readonly clusterRoles: KindCache;
  readonly groupsIn: (namespace: string) => readonly KubeObject[];
  /** Undefined where a group cannot be read. */
  readonly readGroup: (object: KubeObject) => OperatorGroup | undefined;
  /** Operators of a namespace, without copies and without what cannot be read. */
  readonly operatorsIn: (namespace: string) => readonly ClusterServiceVersion[];
  /** Names of ClusterRoles of other owners that were reported, by the uid of the group. */
  readonly reported: Map<string, string>;
  /** Ends all work. */
  readonly signal: AbortSignal;
}

function byNamespace({ metadata }: KubeObject): readonly string[] {
  return [metadata.namespace ?? ''];
}

/** Opens the caches. */
export function createGroupContext(manager: Manager): GroupContext {
  const { kube, clock } = manager;
  const groups = manager.cache(groupTargets.groups);
  const versions = manager.cache(groupTargets.versions);
  const groupIndex = indexCache(groups, byNamespace);
  const versionIndex = indexCache(versions, byNamespace);
  const parse = rememberReading(parseClusterServiceVersion);
  return {
    kube,
    clock,
    events: manager.eventRecorder('operator-lifecycle-manager'),
    groups,
    namespaces: manager.cache(groupTargets.namespaces),
    serviceAccounts: manager.cache(groupTargets.serviceAccounts),
    clusterRoles: manager.cache(groupTargets.clusterRoles),
    groupsIn: (namespace) => groupIndex.get(namespace),
    readGroup: rememberReading(parseOperatorGroup),
    operatorsIn: (namespace) =>
      versionIndex
        .get(namespace)
        .flatMap((object) => parse(object) ?? [])
        .filter((csv) => !isCopied(csv)),
    reported: new Map(),
    signal: manager.signal,
  };
}
