import { TerminalError } from '../base/index.ts';
import type { Check } from './check.ts';
import type { Suite } from './finding.ts';

/** Suites that are only run when they are asked for: those for one catalogue, and those that read images. */
const onRequest: ReadonlySet<Suite> = new Set<Suite>(['operatorhub', 'community', 'multiarch']);

/** Which checks are selected, by id or suite. */
export interface Selection {
  /** Empty: all suites but those that must be asked for. */
  readonly select: readonly string[];
  readonly ignore: readonly string[];
}

function isNamed({ id, suite }: Check, names: ReadonlySet<string>): boolean {
  return names.has(id) || names.has(suite);
}

const operatorframework: readonly Suite[] = [
  'operatorhub',
  'capabilities',
  'categories',
  'deprecated-apis',
  'good-practices',
];

/** The labels by which operator-sdk selects validators. */
const selectors: ReadonlyMap<string, readonly Suite[]> = new Map<string, readonly Suite[]>([
  ['suite=operatorframework', operatorframework],
  ['name=operatorhubv2', ['operatorhub']],
  ['name=operatorhub', ['operatorhub', 'capabilities', 'categories']],
  ['name=capabilities', ['capabilities']],
  ['name=categories', ['categories']],
  ['name=alpha-deprecated-apis', ['deprecated-apis']],
  ['name=good-practices', ['good-practices']],
  ['name=community', ['community']],
  ['name=multiarch', ['multiarch']],
]);

function expand(word: string): readonly string[] {
  const suites = selectors.get(word);
  if (suites !== undefined) return suites;
  if (!word.includes('=')) return [word];
  throw new TerminalError('UnknownSelector', `selector "${word}" does not match any validator labels`);
}

/** The selected checks. What is named by its id is run although its suite is not.
 *  @throws TerminalError UnknownCheck for a word that is neither an id nor a suite · UnknownSelector for `name=nope` · EmptySelection */
export function selectChecks(checks: readonly Check[], selection: Selection): readonly Check[] {
  const [select, ignore] = [selection.select.flatMap(expand), selection.ignore.flatMap(expand)];
  const known = new Set(checks.flatMap(({ id, suite }) => [id, suite]));
  const unknown = [...select, ...ignore].find((word) => !known.has(word));
  if (unknown !== undefined) {
    const suites = [...new Set(checks.map(({ suite }) => suite))].join(', ');
    throw new TerminalError('UnknownCheck', `"${unknown}": expected the id of a check, or a suite: ${suites}`);
  }
  const [selected, ignored] = [new Set(select), new Set(ignore)];
  const chosen = checks.filter((check) => {
    if (isNamed(check, ignored)) return selected.has(check.id);
    return select.length === 0 ? !onRequest.has(check.suite) : isNamed(check, selected);
  });
  if (chosen.length > 0) return chosen;
  const words = [...selection.select, ...selection.ignore.map((word) => `not ${word}`)].join(', ');
  throw new TerminalError('EmptySelection', `no check is left of the selection: ${words}`);
}
