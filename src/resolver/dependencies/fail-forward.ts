import { TerminalError } from '../../base/index.ts';

/** How far the installation of something that is installed has come. */
export interface InstallationState {
  readonly name: string;
  /** `Succeeded`, `Replacing`, `Failed` … */
  readonly phase: string;
  /** Name of the installation that it replaces. */
  readonly replaces?: string;
}

function refuse(text: string): never {
  throw new TerminalError('InvalidReplacement', text);
}

/** Names of installations that a failed one replaces, so that an update may start from the failed one: the chain of replacements ends
 *  in a failure. Where that is not requested, all stay in view, and no update starts before the failure is fixed.
 *  @throws TerminalError InvalidReplacement for a chain that goes in a circle, or on from what is not being replaced
 *  @see docs/spec/catalogs.md#fail-forward */
export function givenUp(installed: readonly InstallationState[], namespace: string): ReadonlySet<string> {
  const successors = new Map(installed.flatMap((one) => (one.replaces === undefined ? [] : [[one.replaces, one]])));
  const endsInFailure = (first: InstallationState): boolean => {
    const seen = new Set<string>();
    for (let one = first; ; ) {
      if (seen.has(one.name)) return refuse(`csv ${namespace}/${one.name} has already been seen`);
      seen.add(one.name);
      const next = successors.get(one.name);
      if (next === undefined) return one.phase === 'Failed';
      if (one.phase !== 'Replacing') {
        return refuse(`csv ${namespace}/${one.name} in phase ${one.phase} instead of Replacing`);
      }
      one = next;
    }
  };
  const leaving = installed.filter((one) => one.phase === 'Replacing' && endsInFailure(one));
  return new Set(leaving.map(({ name }) => name));
}
