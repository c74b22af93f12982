import type { ClusterVersionView } from './cluster-version.ts';

/** The state of updates, for programs. */
export function documentOf(view: ClusterVersionView): Readonly<Record<string, unknown>> {
  const { channel, upstream, desiredUpdate, desired, conditions, history, availableUpdates, conditionalUpdates } = view;
  return {
    channel,
    upstream,
    desiredUpdate: desiredUpdate ?? null,
    desired,
    conditions: Object.fromEntries(conditions.map((condition) => [condition.type, condition])),
    history,
    availableUpdates,
    conditionalUpdates,
  };
}
