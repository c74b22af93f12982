import type { LifecycleHook } from './generated/machine.ts';

const mostShown = 100;

/** `[{Name:a Owner:b} {Name:c Owner:d}]`: as conditions and refusals list hooks, a hundred of them at most.
 *  @see docs/spec/machine-lifecycle.md#42-states-and-conditions */
export function formatHooks(hooks: readonly LifecycleHook[]): string {
  const shown = hooks.slice(0, mostShown).map(({ name, owner }) => `{Name:${name} Owner:${owner}}`);
  const others = hooks.length - shown.length;
  return `[${shown.join(' ')}]${others === 0 ? '' : ` and ${others} others`}`;
}
