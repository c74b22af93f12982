import type { LifecycleHook } from '../api/index.ts';

/** `[{Name:a Owner:b} {Name:c Owner:d}]`: as conditions and refusals list hooks.
 *  @see docs/spec/machine-lifecycle.md#42-states-and-conditions */
export function formatHooks(hooks: readonly LifecycleHook[]): string {
  return `[${hooks.map(({ name, owner }) => `{Name:${name} Owner:${owner}}`).join(' ')}]`;
}
