/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const none: readonly string[] = [];
/** Rules that multiply to more than that are held against others as they are. */
const maxAtoms = 100_000;
/** Of the rules that others are held against. */
const maxHeldAtoms = 500_000;
/** Of rules with each other. A thousand rules with what each of ten thousand others allows. */
const maxComparisons = 10_000_000;

function resourceAtoms({ verbs = none, apiGroups = none, resources = none, resourceNames = none }: PolicyRule) {
  const pairs = apiGroups.flatMap((group) =>
    resources.map((resource) => ({ apiGroups: [group], resources: [resource] })),
  );
  const atoms: PolicyRule[] = pairs.flatMap((pair) => verbs.map((verb) => ({ ...pair, verbs: [verb] })));
  if (resourceNames.length === 0) return atoms;
  return atoms.flatMap((atom) => resourceNames.map((name) => ({ ...atom, resourceNames: [name] })));
}

function atomCount(rule: PolicyRule): number {
  const { verbs = none, apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
  const perVerb = apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length;
  return verbs.length * perVerb;
}

/** Rules with one verb on one resource or path, and at most one name. */
function atomsOf(rule: PolicyRule): PolicyRule[] {
  const { verbs = none, nonResourceURLs = none } = rule;
  const paths = nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })));
  return [...resourceAtoms(rule), ...paths];
}

function atomsOfAll(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  let left = maxAtoms;
  return rules.flatMap((rule) => {
    left -= atomCount(rule);
    return left >= 0 ? atomsOf(rule) : [rule];
  });
}

function holds(list: readonly string[] = none, required: readonly string[] = none): boolean {
  return list.includes('*') || required.every((item) => list.includes(item));
}

function holdsResources(list: readonly string[] = none, required: readonly string[] = none): boolean {
  if (holds(list, required)) return true;
  return required.every((path) => {
    const slash = path.indexOf('/');
    return list.includes(path) || (slash >= 0 && list.includes(`*/${path.slice(slash + 1)}`));
  });
}

/** Not `/\*+$/`, which takes time with the square of a run of stars within the text. */
function withoutStars(path: string): string {
  let end = path.length;
  while (path[end - 1] === '*') end -= 1;
  return path.slice(0, end);
}

function holdsPaths(list: readonly string[] = none, required: readonly string[] = none): boolean {
  return required.every((path) =>
    list.some((own) => own === path || (own.endsWith('*') && path.startsWith(withoutStars(own)))),
  );
}

function holdsNames(list: readonly string[] = none, required: readonly string[] = none): boolean {
  return list.length === 0 || (required.length > 0 && required.every((name) => list.includes(name)));
}

function covers(rule: PolicyRule, atom: PolicyRule): boolean {
  return (
    holds(rule.verbs, atom.verbs) &&
    holds(rule.apiGroups, atom.apiGroups) &&
    holdsResources(rule.resources, atom.resources) &&
    holdsNames(rule.resourceNames, atom.resourceNames) &&
    holdsPaths(rule.nonResourceURLs, atom.nonResourceURLs)
  );
}

function united(lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => list ?? none))];
}

/** Joins rules that differ in one member only. */
function joinedBy(rules: readonly PolicyRule[], member: keyof PolicyRule): PolicyRule[] {
  const groups = Map.groupBy(rules, ({ [member]: differing, ...rest }) => {
    // No names are all names, and not the same as some.
    return JSON.stringify([
      differing === undefined || differing.length === 0,
      Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)),
    ]);
  });
  return [...groups.values()].map((group) => {
    const [first = {}] = group;
    return first[member] === undefined ? first : { ...first, [member]: united(group.map((rule) => rule[member])) };
  });
}

/** Rules that are asked for many atoms: most by a look into a set, for users write thousands of rules. */
class HeldRules {
  readonly #keys = new Set<string>();
  /** Those that are not in the set: paths, and what multiplies without end. */
  readonly #others: PolicyRule[] = [];
  readonly #all: readonly PolicyRule[];
  #comparisonsLeft = maxComparisons;

  constructor(rules: readonly PolicyRule[]) {
    this.#all = rules;
    let left = maxHeldAtoms;
    const byCount = rules.map((rule) => ({ rule, count: atomCount(rule) })).sort((a, b) => a.count - b.count);
    for (const { rule, count } of byCount) {
      left -= count;
      if (left < 0 || (rule.nonResourceURLs ?? none).length > 0) this.#others.push(rule);
      else for (const atom of resourceAtoms(rule)) this.#keys.add(keyOf(atom));
    }
  }

  /** What takes too many comparisons counts as not held. */
  hold(atom: PolicyRule): boolean {
    if (wideningsOf(atom).some((wider) => this.#keys.has(keyOf(wider)))) return true;
    // A rule that multiplies without end is held by one rule, which may be any.
    const rules = isAtom(atom) || atom.nonResourceURLs?.length === 1 ? this.#others : this.#all;
    return rules.some((rule) => this.#comparisonsLeft-- > 0 && covers(rule, atom));
  }
}

function keyOf({ verbs = none, apiGroups = none, resources = none, resourceNames = none }: PolicyRule): string {
  return JSON.stringify([verbs[0], apiGroups[0], resources[0], resourceNames[0]]);
}

function isAtom({ verbs = none, apiGroups = none, resources = none, resourceNames = none }: PolicyRule): boolean {
  return verbs.length === 1 && apiGroups.length === 1 && resources.length === 1 && resourceNames.length <= 1;
}

/** The atoms that cover this one, itself included; none of what is not an atom of a resource. */
function wideningsOf(atom: PolicyRule): PolicyRule[] {
  if (!isAtom(atom)) return [];
  const { verbs = none, apiGroups = none, resources = none, resourceNames = none } = atom;
  const [resource = ''] = resources;
  const slash = resource.indexOf('/');
  const wide = slash < 0 ? [resource, '*'] : [resource, '*', `*/${resource.slice(slash + 1)}`];
  const every: PolicyRule = { verbs: [...verbs, '*'], apiGroups: [...apiGroups, '*'], resources: wide };
  const named = resourceNames.length === 0 ? [] : resourceAtoms({ ...every, resourceNames });
  return [...resourceAtoms(every), ...named];
}

/** What of `required` the rules in `own` do not allow; one rule a resource or path and name, in the order of `required`.
 *  @see kube-apiserver, the escalation check of RBAC */
export function missingRules(own: readonly PolicyRule[], required: readonly PolicyRule[]): readonly PolicyRule[] {
  const held = new HeldRules(own);
  const missing = atomsOfAll(required).filter((atom) => !held.hold(atom));
  const [paths, resources] = [
    missing.filter((atom) => atom.nonResourceURLs !== undefined),
    missing.filter((atom) => atom.nonResourceURLs === undefined),
  ];
  return [...paths, ...joinedBy(resources, 'verbs')];
}

/** The same permissions in fewer rules: verbs on one resource together, then names, resources and paths that have the same verbs. */
export function combineRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  let combined: readonly PolicyRule[] = atomsOfAll(rules);
  for (const member of ['verbs', 'resourceNames', 'resources', 'nonResourceURLs'] as const) {
    combined = joinedBy(combined, member);
  }
  return combined;
}
