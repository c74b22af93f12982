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
export const maxAtoms = 100_000;

/** Without repetitions, which multiply as well. */
function unique(list: readonly string[] = none): readonly string[] {
  return list.length < 2 ? list : [...new Set(list)];
}

function* resourceAtoms({ verbs, apiGroups, resources, resourceNames }: PolicyRule): Generator<PolicyRule> {
  const names = unique(resourceNames);
  const pairs = unique(apiGroups).flatMap((group) =>
    unique(resources).map((resource) => ({ apiGroups: [group], resources: [resource] })),
  );
  for (const pair of pairs) {
    for (const verb of unique(verbs)) {
      if (names.length === 0) yield { ...pair, verbs: [verb] };
      for (const name of names) yield { ...pair, verbs: [verb], resourceNames: [name] };
    }
  }
}

function atomCount({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const ofResources = unique(apiGroups).length * unique(resources).length * Math.max(1, unique(resourceNames).length);
  return unique(verbs).length * (ofResources + unique(nonResourceURLs).length);
}

/** Rules with one verb on one resource or path, and at most one name. */
function* atomsOf(rule: PolicyRule): Generator<PolicyRule> {
  yield* resourceAtoms(rule);
  const verbs = unique(rule.verbs);
  for (const url of unique(rule.nonResourceURLs)) {
    for (const verb of verbs) yield { nonResourceURLs: [url], verbs: [verb] };
  }
}

/** The atoms of all rules, in their order; a rule with which they are more than `most` is left as it is. */
export function* eachAtom(rules: readonly PolicyRule[], most: number = maxAtoms): Generator<PolicyRule> {
  let left = most;
  for (const rule of rules) {
    const count = atomCount(rule);
    left -= count;
    if (left >= 0) yield* atomsOf(rule);
    else yield rule;
  }
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

/** The same permissions in fewer rules: verbs on one resource together, then names, resources and paths that have the same verbs. */
export function combineRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  let combined: readonly PolicyRule[] = [...eachAtom(rules)];
  for (const member of ['verbs', 'resourceNames', 'resources', 'nonResourceURLs'] as const) {
    combined = joinedBy(combined, member);
  }
  return combined;
}
