import { TerminalError } from '../../base/index.ts';

/** How far the installation of something that is installed has come. */
export interface InstallationState {
  readonly name: string;
  /** `Succeeded`, `Replacing`, `Failed` … */
  readonly phase: string;
  /** Name of what it takes the place of. */
  readonly replaces?: string;
}

function refuse(text: string): never {
  throw new TerminalError('InvalidReplacement', text);
}

/** Names of what gives way to something that has failed, so that an update may begin at what has failed: the chain of what takes its place ends
 *  in a failure. Where that is not requested, all stay in view, and nothing goes on before the failure is mended.
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
