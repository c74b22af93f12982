import { type ClusterServiceVersion, olmFieldManager } from '../../../api/index.ts';
import { isJsonEqual, type JsonValue, TerminalError } from '../../../base/index.ts';
import { describeRef, type KindCache, type KubeObject, refOf } from '../../../kube/index.ts';
import { covers, ensureOwned } from '../../owned-objects.ts';
import type { ServingContext } from './context.ts';
import type { SharedBinding } from './objects.ts';
import { isLabelledFor, labelledOwner } from './ownership.ts';

function hasSameRole(live: KubeObject, desired: KubeObject): boolean {
  return isJsonEqual((live['roleRef'] ?? null) as JsonValue, (desired['roleRef'] ?? null) as JsonValue);
}

/** Whether a binding of the cluster that no operator owns grants the same already. */
function grants(live: KubeObject, desired: KubeObject): boolean {
  if (labelledOwner(live) !== undefined || !hasSameRole(live, desired)) return false;
  const subjects = Array.isArray(live['subjects']) ? live['subjects'] : [];
  const requested = Array.isArray(desired['subjects']) ? desired['subjects'] : [];
  return requested.every((subject) => subjects.some((one) => covers(one, subject)));
}

/** The binding in place, by either name; undefined where there is none.
 *  @see delegationBindings */
export function findBinding(
  cache: Pick<KindCache, 'get'>,
  csv: ClusterServiceVersion,
  binding: SharedBinding,
): KubeObject | undefined {
  for (const name of binding.names) {
    const desired = binding.named(name);
    const live = cache.get(name, desired.metadata.namespace);
    if (live === undefined || !hasSameRole(live, desired)) continue;
    if (isLabelledFor(live, csv) || grants(live, desired)) return live;
  }
  return undefined;
}

/** Ensures a binding under the name that OLM gives it, or, where another owner has that, under one of its namespace.
 *  @throws TerminalError OwnerConflict when others have both names */
export async function ensureBinding(
  context: ServingContext,
  csv: ClusterServiceVersion,
  {
    binding,
    mayOwn,
    signal,
  }: {
    readonly binding: SharedBinding;
    /** Whether the labels of a binding name `csv` or one that it replaces. */
    readonly mayOwn: (live: KubeObject) => boolean;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { kube, caches } = context;
  let taken: KubeObject | undefined;
  for (const name of binding.names) {
    const desired = binding.named(name);
    const cache = desired.kind === 'RoleBinding' ? caches.roleBindings : caches.clusterRoleBindings;
    const isOwn = (live: KubeObject): boolean => mayOwn(live) && hasSameRole(live, desired);
    const live = cache.get(name, desired.metadata.namespace);
    if (live !== undefined && grants(live, desired)) return;
    if (live !== undefined && !isOwn(live)) {
      taken = live;
      continue;
    }
    await ensureOwned(desired, { kube, cache, fieldManager: olmFieldManager, isOwn, signal });
    return;
  }
  const text = `${taken === undefined ? 'a binding' : describeRef(refOf(taken))} exists and belongs to another owner`;
  throw new TerminalError('OwnerConflict', text);
}
