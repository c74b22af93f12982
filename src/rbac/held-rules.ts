import { eachAtom, maxAtoms, type PolicyRule } from './rules.ts';

/** Of what is required with rules that are held: what takes more counts as not held. A thousand rules with each of two thousand others. */
const maxComparisons = 2_000_000;
/** Steps of {@link HeldRules.missingInSteps} take about a millisecond. */
const stepAtoms = 500;

const none: readonly string[] = [];

interface RuleSets {
  readonly verbs: ReadonlySet<string>;
  readonly apiGroups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly paths: readonly string[];
}

function setsOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs = none }: PolicyRule): RuleSets {
  return {
    verbs: new Set(verbs),
    apiGroups: new Set(apiGroups),
    resources: new Set(resources),
    names: new Set(resourceNames),
    paths: nonResourceURLs,
  };
}

function holds(set: ReadonlySet<string>, required: readonly string[] = none): boolean {
  return set.has('*') || required.every((item) => set.has(item));
}

/** A resource and what covers it: `pods/log`, `*`, `*\/log`. */
function widenedResource(resource: string): readonly string[] {
  const slash = resource.indexOf('/');
  return slash < 0 ? [resource, '*'] : [resource, '*', `*/${resource.slice(slash + 1)}`];
}

function holdsResources(set: ReadonlySet<string>, required: readonly string[] = none): boolean {
  return required.every((resource) => widenedResource(resource).some((wider) => set.has(wider)));
}

function holdsNames(names: ReadonlySet<string>, required: readonly string[] = none): boolean {
  return names.size === 0 || (required.length > 0 && required.every((name) => names.has(name)));
}

/** What the paths of a rule begin with that ends in stars. Not `/\*+$/`, which takes time with the square of a run of stars within the text. */
export function withoutStars(path: string): string {
  let end = path.length;
  while (path[end - 1] === '*') end -= 1;
  return path.slice(0, end);
}

function holdsPaths(paths: readonly string[], required: readonly string[] = none): boolean {
  return required.every((path) =>
    paths.some((own) => own === path || (own.endsWith('*') && path.startsWith(withoutStars(own)))),
  );
}

function covers(rule: RuleSets, required: PolicyRule): boolean {
  return (
    holds(rule.verbs, required.verbs) &&
    holds(rule.apiGroups, required.apiGroups) &&
    holdsResources(rule.resources, required.resources) &&
    holdsNames(rule.names, required.resourceNames) &&
    holdsPaths(rule.paths, required.nonResourceURLs)
  );
}

/** What a comparison with a rule that has `paths` costs. */
function costOf(required: PolicyRule, paths: number): number {
  const { verbs = none, apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = required;
  const items = verbs.length + apiGroups.length + resources.length + resourceNames.length;
  return Math.max(1, items / 4) + nonResourceURLs.length * paths;
}

function put(index: Map<string, RuleSets[]>, key: string, rule: RuleSets): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, [rule]);
  else known.push(rule);
}

/** Joins rules that differ in their verbs only. */
class VerbsByResource {
  readonly #known = new Map<string, { readonly rule: PolicyRule; readonly verbs: Set<string> }>();

  add(rule: PolicyRule): void {
    const { verbs = none, apiGroups, resources, resourceNames } = rule;
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, { rule, verbs: new Set(verbs) });
    else for (const verb of verbs) known.verbs.add(verb);
  }

  rules(): PolicyRule[] {
    return [...this.#known.values()].map(({ rule, verbs }) => ({ ...rule, verbs: [...verbs] }));
  }
}

/** The rules that a user holds, to be asked what they lack: users write thousands of rules, which multiply to millions of permissions. */
export class HeldRules {
  readonly #all: RuleSets[] = [];
  readonly #withPaths: RuleSets[] = [];
  /** Those of all names, by resource. */
  readonly #byResource = new Map<string, RuleSets[]>();
  /** Those of some names, by name. */
  readonly #byName = new Map<string, RuleSets[]>();
  #comparisonsLeft = maxComparisons;

  constructor(rules: readonly PolicyRule[]) {
    const distinct = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
    for (const rule of distinct.values()) this.#add(setsOf(rule));
  }

  #add(rule: RuleSets): void {
    this.#all.push(rule);
    if (rule.paths.length > 0) this.#withPaths.push(rule);
    for (const name of rule.names) put(this.#byName, name, rule);
    if (rule.names.size > 0) return;
    for (const resource of rule.resources) put(this.#byResource, resource, rule);
  }

  /** What of `required` the rules do not allow; one rule a resource or path and name, in the order of `required`. The effort for all questions together
   *  has a limit.
   *  @see kube-apiserver, the escalation check of RBAC */
  missing(required: readonly PolicyRule[]): readonly PolicyRule[] {
    const steps = this.missingInSteps(required);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** The same, in steps between which others may have a turn. */
  *missingInSteps(required: readonly PolicyRule[]): Generator<undefined, readonly PolicyRule[]> {
    const paths: PolicyRule[] = [];
    const resources = new VerbsByResource();
    let count = 0;
    for (const atom of eachAtom(required, Math.min(maxAtoms, this.#comparisonsLeft))) {
      count += 1;
      this.#comparisonsLeft -= 1;
      if (count % stepAtoms === 0) yield;
      if (this.#hold(atom)) continue;
      if (atom.nonResourceURLs === undefined) resources.add(atom);
      else paths.push(atom);
    }
    return [...paths, ...resources.rules()];
  }

  #hold(atom: PolicyRule): boolean {
    return this.#candidates(atom).some((rules) =>
      rules.some((rule) => {
        this.#comparisonsLeft -= costOf(atom, rule.paths.length);
        return this.#comparisonsLeft > 0 && covers(rule, atom);
      }),
    );
  }

  /** Among them are all rules that could hold it. */
  #candidates(atom: PolicyRule): readonly (readonly RuleSets[])[] {
    const { resources: [resource, ...others] = none, resourceNames = none, nonResourceURLs } = atom;
    if (nonResourceURLs?.length === 1 && resource === undefined) return [this.#withPaths];
    // One that multiplies without end may be held by any.
    if (resource === undefined || others.length > 0 || resourceNames.length > 1) return [this.#all];
    const wide = widenedResource(resource).map((wider) => this.#byResource.get(wider) ?? []);
    return [...wide, ...resourceNames.map((name) => this.#byName.get(name) ?? [])];
  }
}
