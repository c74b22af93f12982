import { TerminalError } from '../base/index.ts';
import type { Check } from './check.ts';
import type { Suite } from './finding.ts';

/** Suites that are only run when they are asked for: those for one catalogue, and those that read images. */
const onRequest: ReadonlySet<Suite> = new Set<Suite>(['operatorhub', 'community', 'multiarch']);

/** Which checks are wanted, by id or suite. */
export interface Selection {
  /** Empty: all suites but those that must be asked for. */
  readonly select: readonly string[];
  readonly ignore: readonly string[];
}

function isNamed({ id, suite }: Check, names: ReadonlySet<string>): boolean {
  return names.has(id) || names.has(suite);
}

/** The checks that are wanted. What is named by its id is run although its suite is not.
 *  @throws TerminalError UnknownCheck for a word that is neither an id nor a suite */
export function selectChecks(checks: readonly Check[], { select, ignore }: Selection): readonly Check[] {
  const known = new Set(checks.flatMap(({ id, suite }) => [id, suite]));
  const unknown = [...select, ...ignore].find((word) => !known.has(word));
  if (unknown !== undefined) {
    const suites = [...new Set(checks.map(({ suite }) => suite))].join(', ');
    throw new TerminalError('UnknownCheck', `"${unknown}": expected the id of a check, or a suite: ${suites}`);
  }
  const [wanted, unwanted] = [new Set(select), new Set(ignore)];
  return checks.filter((check) => {
    if (isNamed(check, unwanted)) return wanted.has(check.id);
    return select.length === 0 ? !onRequest.has(check.suite) : isNamed(check, wanted);
  });
}
