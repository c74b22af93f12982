import { goQuote } from '../../src/schema/index.ts';
import type { PolicyRule } from './authorizer.ts';

/** A rule with one verb on one resource or path, and at most one name. */
type Atom = PolicyRule;

const none: readonly string[] = [];

function resourceAtoms({ verbs = none, apiGroups = none, resources = none, resourceNames = none }: PolicyRule): Atom[] {
  const pairs = apiGroups.flatMap((group) =>
    resources.map((resource) => ({ apiGroups: [group], resources: [resource] })),
  );
  const atoms = pairs.flatMap((pair) => verbs.map((verb) => ({ ...pair, verbs: [verb] })));
  if (resourceNames.length === 0) return atoms;
  return atoms.flatMap((atom) => resourceNames.map((name) => ({ ...atom, resourceNames: [name] })));
}

function atomsOf(rule: PolicyRule): Atom[] {
  const { verbs = none, nonResourceURLs = none } = rule;
  const paths = nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })));
  return [...resourceAtoms(rule), ...paths];
}

function holds(list: readonly string[] = none, wanted: readonly string[] = none): boolean {
  return list.includes('*') || wanted.every((item) => list.includes(item));
}

function holdsResources(list: readonly string[] = none, wanted: readonly string[] = none): boolean {
  if (holds(list, wanted)) return true;
  return wanted.every((path) => {
    const slash = path.indexOf('/');
    return list.includes(path) || (slash >= 0 && list.includes(`*/${path.slice(slash + 1)}`));
  });
}

function holdsPaths(list: readonly string[] = none, wanted: readonly string[] = none): boolean {
  return wanted.every((path) =>
    list.some((own) => own === path || (own.endsWith('*') && path.startsWith(own.replace(/\*+$/, '')))),
  );
}

function holdsNames(list: readonly string[] = none, wanted: readonly string[] = none): boolean {
  return list.length === 0 || (wanted.length > 0 && wanted.every((name) => list.includes(name)));
}

function covers(rule: PolicyRule, atom: Atom): boolean {
  return (
    holds(rule.verbs, atom.verbs) &&
    holds(rule.apiGroups, atom.apiGroups) &&
    holdsResources(rule.resources, atom.resources) &&
    holdsNames(rule.resourceNames, atom.resourceNames) &&
    holdsPaths(rule.nonResourceURLs, atom.nonResourceURLs)
  );
}

function list(name: string, items: readonly string[] = none): string[] {
  return items.length === 0 ? [] : [`${name}:[${items.map((item) => goQuote(item)).join(' ')}]`];
}

function describe(rule: PolicyRule): string {
  const parts = [
    ...list('APIGroups', rule.apiGroups),
    ...list('Resources', rule.resources),
    ...list('NonResourceURLs', rule.nonResourceURLs),
    ...list('ResourceNames', rule.resourceNames),
    ...list('Verbs', rule.verbs),
  ];
  return `{${parts.join(', ')}}`;
}

/** Atoms on the same resource become one rule; those on paths stay apart. */
function joined(atoms: readonly Atom[]): PolicyRule[] {
  const byResource = new Map<string, Atom>();
  const rest: PolicyRule[] = [];
  for (const atom of atoms) {
    if (atom.nonResourceURLs !== undefined) {
      rest.push(atom);
      continue;
    }
    const key = JSON.stringify([atom.apiGroups, atom.resources, atom.resourceNames]);
    const known = byResource.get(key);
    byResource.set(
      key,
      known === undefined ? atom : { ...known, verbs: [...(known.verbs ?? none), ...(atom.verbs ?? none)] },
    );
  }
  return [...rest, ...byResource.values()];
}

/** What of `wanted` the rules in `own` do not allow, printed as one line a resource, sorted; empty when all is covered.
 *  @see kube-apiserver, the escalation check of RBAC */
export function missingRights(own: readonly PolicyRule[], wanted: readonly PolicyRule[]): string[] {
  const missing = wanted.flatMap(atomsOf).filter((atom) => !own.some((rule) => covers(rule, atom)));
  return [...new Set(joined(missing).map(describe))].toSorted((a, b) => (a < b ? -1 : 1));
}
