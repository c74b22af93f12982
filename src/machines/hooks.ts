import type { LifecycleHook, LifecycleHooks } from '../api/index.ts';

/** `[{Name:a Owner:b} {Name:c Owner:d}]`: as conditions and refusals list hooks.
 *  @see docs/spec/machine-lifecycle.md#42-states-and-conditions */
export function formatHooks(hooks: readonly LifecycleHook[]): string {
  return `[${hooks.map(({ name, owner }) => `{Name:${name} Owner:${owner}}`).join(' ')}]`;
}

const stages = [
  { field: 'preDrain', text: 'pre-drain' },
  { field: 'preTerminate', text: 'pre-terminate' },
] as const;

/** Why the hooks of a machine that is being deleted may not change so: hooks may only go. Empty when they may.
 *  @see docs/spec/machine-lifecycle.md#3-admission-rules-for-hooks */
export function hookChangeProblems(before: LifecycleHooks = {}, after: LifecycleHooks = {}): readonly string[] {
  return stages.flatMap(({ field, text }) => {
    const known = new Set((before[field] ?? []).map(({ name, owner }) => JSON.stringify([name, owner])));
    const added = (after[field] ?? []).filter(({ name, owner }) => !known.has(JSON.stringify([name, owner])));
    if (added.length === 0) return [];
    const rule = `${text} hooks are immutable when machine is marked for deletion`;
    return [
      `spec.lifecycleHooks.${field}: Forbidden: ${rule}: the following hooks are new or changed: ${formatHooks(added)}`,
    ];
  });
}
