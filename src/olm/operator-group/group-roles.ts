import { createHash } from 'node:crypto';
import { olmLabelPrefixes, operatorGroupResource } from '../../api/index.ts';
import { base62, type JsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { type ApiSet, apiLabelHash, ownerLabels } from '../../operators/index.ts';
import { rbacTargets } from '../rbac-objects.ts';

const suffixes = ['admin', 'edit', 'view'] as const;
const maxNameLength = 253;

interface GroupName {
  readonly namespace: string;
  readonly name: string;
}

/** Ends with a hash, so that neither groups of one name in two namespaces share a ClusterRole nor one called `cluster` gets that of the system. */
function roleName({ namespace, name }: GroupName, suffix: string): string {
  const hash = base62(createHash('sha224').update(`${namespace}/${name}/${suffix}`).digest());
  const length = maxNameLength - `olm.og..-${suffix}${hash}`.length;
  return `olm.og.${name.length < length ? name : name.slice(0, length)}.${suffix}-${hash}`;
}

/** The names of the ClusterRoles of a group. */
export function groupRoleNames(group: GroupName): readonly string[] {
  return suffixes.map((suffix) => roleName(group, suffix));
}

/** The labels by which a ClusterRole belongs to a group. */
function groupRoleLabels({ namespace, name }: GroupName): Record<string, string> {
  return { ...ownerLabels({ kind: operatorGroupResource.kind, namespace, name }) };
}

/** Whether a ClusterRole has the owner labels of the group. */
export function isRoleOfGroup({ metadata }: KubeObject, group: GroupName): boolean {
  return Object.entries(groupRoleLabels(group)).every(([key, value]) => metadata.labels?.[key] === value);
}

function aggregationOf(apis: ApiSet, suffix: string): JsonObject {
  const labels = apis.values().map((api) => `${olmLabelPrefixes.aggregateTo}${apiLabelHash(api)}-${suffix}`);
  const clusterRoleSelectors = labels.toSorted().map((label) => ({ matchLabels: { [label]: 'true' } }));
  return { aggregationRule: { clusterRoleSelectors } };
}

/** The ClusterRoles of a group for administrators, editors and viewers of what its operators provide. They aggregate the ClusterRoles of the APIs;
 *  without APIs they allow nothing.
 *  @see docs/spec/olm-v0.md#for-users */
export function groupRoles(group: GroupName, apis: ApiSet): readonly KubeObject[] {
  return suffixes.map((suffix) => ({
    ...rbacTargets.clusterRoles,
    metadata: { name: roleName(group, suffix), labels: groupRoleLabels(group) },
    ...(apis.size === 0 ? { aggregationRule: null, rules: null } : aggregationOf(apis, suffix)),
  }));
}
