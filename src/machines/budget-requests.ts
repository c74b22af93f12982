import type { CacheChange, CacheIndex, KubeObject } from '../kube/index.ts';

/** Of those that are drained, the ones whose nodes have pods of the namespace of the budget that changed: users change budgets as often as they like. */
export function concerned<T>(
  drained: readonly T[],
  nodeOf: (one: T) => string,
  { podsOn, change }: { readonly podsOn: Pick<CacheIndex, 'get'>; readonly change: CacheChange<KubeObject> },
): readonly T[] {
  const { namespace } = (change.after ?? change.before)?.metadata ?? {};
  return drained.filter((one) => podsOn.get(nodeOf(one)).some(({ metadata }) => metadata.namespace === namespace));
}
