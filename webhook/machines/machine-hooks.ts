import { formatHooks, type LifecycleHook, type LifecycleHooks } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, forbid, mergeResults } from '../review/result.ts';

/** An update of a Machine, and its hooks before and after. */
export interface HooksChange {
  /** The new object has a deletion timestamp. */
  readonly isDeleting: boolean;
  readonly before: LifecycleHooks;
  readonly after: LifecycleHooks;
}

const stages = [
  { list: 'preDrain', word: 'pre-drain' },
  { list: 'preTerminate', word: 'pre-terminate' },
] as const;

function keyOf({ name, owner }: LifecycleHook): string {
  return JSON.stringify([name, owner]);
}

/** Once the deletion of a machine has begun, hooks are removed only: a new one, or one of another owner, comes too late. Their order has no meaning.
 *  @see docs/spec/machine-lifecycle.md#3-admission-rules-for-hooks */
export function machineHooks({ isDeleting, before, after }: HooksChange): AdmissionResult {
  if (!isDeleting) return allowed;
  const results = stages.map(({ list, word }) => {
    const known = new Set((before[list] ?? []).map(keyOf));
    const changed = (after[list] ?? []).filter((hook) => !known.has(keyOf(hook)));
    if (changed.length === 0) return allowed;
    const text = `spec.lifecycleHooks.${list}: Forbidden: ${word} hooks are immutable when machine is marked for deletion`;
    return forbid(`${text}: the following hooks are new or changed: ${formatHooks(changed)}`);
  });
  return mergeResults(results);
}
