import { type OperatorGroup, olmAnnotations } from '../api/index.ts';
import { remember } from '../base/index.ts';
import { type ApiSet, parseApis } from './apis.ts';

/** What of an OperatorGroup counts against other groups. */
export interface GroupSurface {
  readonly namespace: string;
  readonly name: string;
  /** Resolved, with its own namespace; `['']` for all namespaces. */
  readonly targets: readonly string[];
  /** Of its annotation. */
  readonly apis: ApiSet;
}

/** Whether the group targets all namespaces, once its targets are resolved. */
export function isGlobalGroup({ status }: OperatorGroup): boolean {
  return status?.namespaces?.length === 1 && status.namespaces[0] === '';
}

/** The namespaces of a group as far as they count against other groups. */
function targetsOf(group: OperatorGroup): readonly string[] {
  if (isGlobalGroup(group)) return [''];
  return [...new Set([...(group.status?.namespaces ?? []), group.metadata.namespace ?? ''])];
}

/** Read once for each group: its annotation may name thousands of APIs.
 *  @see docs/spec/olm-v0.md#intersection-algorithm */
export const surfaceOf: (group: OperatorGroup) => GroupSurface = remember((group) => {
  const { namespace = '', name, annotations } = group.metadata;
  return { namespace, name, targets: targetsOf(group), apis: parseApis(annotations?.[olmAnnotations.providedApis]) };
});

/** Whether two groups have a target namespace in common. */
export function areIntersecting(a: GroupSurface, b: GroupSurface): boolean {
  if (a.targets[0] === '' || b.targets[0] === '') return true;
  const namespaces = new Set(b.targets);
  return a.targets.some((namespace) => namespaces.has(namespace));
}

/** What the APIs of an operator mean for its group. */
export type TenancyResult = 'NoAPIConflict' | 'AddAPIs' | 'APIConflict' | 'RemoveAPIs';

/** Compares the APIs that an operator provides with those of its own group and of all groups that intersect it.
 *  @see docs/spec/olm-v0.md#intersection-algorithm */
export function tenancyOf(provided: ApiSet, own: GroupSurface, all: Iterable<GroupSurface>): TenancyResult {
  const isClash = [...all].some(
    (other) =>
      !(other.namespace === own.namespace && other.name === own.name) &&
      areIntersecting(own, other) &&
      provided.intersection(other.apis).size > 0,
  );
  const isSubset = provided.isSubsetOf(own.apis);
  if (isClash) return isSubset ? 'RemoveAPIs' : 'APIConflict';
  return isSubset ? 'NoAPIConflict' : 'AddAPIs';
}
