import { isJsonObject, type JsonObject, objectAt, valueAt } from '../../base/index.ts';
import { isStandardKind } from '../../formats/index.ts';
import type { BundleUnderCheck, ManifestObject } from '../bundle.ts';
import type { Check, Hit, Place } from '../check.ts';
import { csvRules, hasAny, placeIn, type Rule, rulesOf } from './csv-view.ts';

const objects = { suite: 'objects', stage: 'optional', severity: 'error' } as const;
const defaultConstraints = [
  'privileged',
  'restricted',
  'anyuid',
  'hostaccess',
  'hostmount-anyuid',
  'hostnetwork',
  'node-exporter',
  'nonroot',
];

function ofKind({ others }: BundleUnderCheck, ...kinds: readonly string[]): readonly ManifestObject[] {
  return others.filter((object) => kinds.includes(object.kind) && isStandardKind(object));
}

function* budgetAllows(bundle: BundleUnderCheck): Iterable<Hit> {
  for (const budget of ofKind(bundle, 'PodDisruptionBudget')) {
    const value = valueAt(objectAt(budget.object, 'spec'), 'maxUnavailable');
    if (value !== 0 && value !== '0%' && value !== '0') continue;
    yield {
      message: 'maxUnavailable field cannot be set to 0 or 0%',
      place: placeIn(budget, 'spec', 'maxUnavailable'),
    };
  }
}

function* budgetIsNotWhole(bundle: BundleUnderCheck): Iterable<Hit> {
  for (const budget of ofKind(bundle, 'PodDisruptionBudget')) {
    if (valueAt(objectAt(budget.object, 'spec'), 'minAvailable') !== '100%') continue;
    yield { message: 'minAvailable field cannot be set to 100%', place: placeIn(budget, 'spec', 'minAvailable') };
  }
}

function* noGlobalDefault(bundle: BundleUnderCheck): Iterable<Hit> {
  for (const priority of ofKind(bundle, 'PriorityClass')) {
    if (valueAt(priority.object, 'globalDefault') !== true) continue;
    yield { message: 'globalDefault field cannot be set to true', place: placeIn(priority, 'globalDefault') };
  }
}

/** All rules that the bundle brings: of roles, and those that the CSV asks for. */
function rulesIn(bundle: BundleUnderCheck): readonly { readonly rule: Rule; readonly place: Place }[] {
  const shipped = ofKind(bundle, 'Role', 'ClusterRole').map((owner) => ({ owner, rules: rulesOf(owner) }));
  const asked = bundle.csv === undefined ? [] : [{ owner: bundle.csv, rules: csvRules(bundle.csv) }];
  return [...shipped, ...asked].flatMap(({ owner, rules }) =>
    rules.map((rule) => ({ rule, place: placeIn(owner, ...rule.path) })),
  );
}

function isAbout({ apiGroups, resources }: Rule, group: string, resource: string): boolean {
  return hasAny(apiGroups, group, '*') && hasAny(resources, resource, '*');
}

function* budgetsStay(bundle: BundleUnderCheck): Iterable<Hit> {
  for (const { rule, place } of rulesIn(bundle)) {
    if (!isAbout(rule, 'policy', 'poddisruptionbudgets')) continue;
    if (!hasAny(rule.verbs, '*', 'create', 'update', 'patch')) continue;
    yield {
      message: 'RBAC includes permission to create/update poddisruptionbudgets, which could impact cluster stability',
      place,
    };
  }
}

function* constraintsStay(bundle: BundleUnderCheck): Iterable<Hit> {
  for (const { rule, place } of rulesIn(bundle)) {
    if (!isAbout(rule, 'security.openshift.io', 'securitycontextconstraints')) continue;
    if (!hasAny(rule.verbs, '*', 'delete', 'update', 'patch')) continue;
    if (!hasAny(rule.resourceNames, ...defaultConstraints)) continue;
    yield {
      message:
        'RBAC includes permission to modify default securitycontextconstraints, which could impact cluster stability',
      place,
    };
  }
}

type Problem = readonly [path: readonly (string | number)[], expected: string] | undefined;

function budgetProblem(object: JsonObject): Problem {
  const spec = object['spec'] ?? {};
  if (!isJsonObject(spec)) return [['spec'], 'an object'];
  const bad = ['maxUnavailable', 'minAvailable'].find((key) => {
    const value = spec[key] ?? '';
    return typeof value !== 'string' && !Number.isInteger(value);
  });
  return bad === undefined ? undefined : [['spec', bad], 'an integer or a text'];
}

function priorityProblem(object: JsonObject): Problem {
  return typeof (object['globalDefault'] ?? false) === 'boolean' ? undefined : [['globalDefault'], 'true or false'];
}

function ruleProblem(object: JsonObject): Problem {
  const rules = object['rules'] ?? [];
  if (!Array.isArray(rules)) return [['rules'], 'a list'];
  for (const [index, rule] of rules.entries()) {
    if (!isJsonObject(rule)) return [['rules', index], 'an object'];
    const bad = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'].find((key) => {
      const list = rule[key] ?? [];
      return !Array.isArray(list) || !list.every((item) => typeof item === 'string');
    });
    if (bad !== undefined) return [['rules', index, bad], 'a list of texts'];
  }
  return undefined;
}

const problemOf: ReadonlyMap<string, (object: JsonObject) => Problem> = new Map([
  ['PodDisruptionBudget', budgetProblem],
  ['PriorityClass', priorityProblem],
  ['Role', ruleProblem],
  ['ClusterRole', ruleProblem],
]);

function* readable(bundle: BundleUnderCheck): Iterable<Hit> {
  for (const manifest of bundle.others) {
    const problem = isStandardKind(manifest) ? problemOf.get(manifest.kind)?.(manifest.object) : undefined;
    if (problem === undefined) continue;
    const [path, expected] = problem;
    yield {
      message: `error unmarshaling ${manifest.kind.toLowerCase()}: ${path.join('.')}: expected ${expected}`,
      place: placeIn(manifest, ...path),
    };
  }
}

/** Objects that could harm a whole cluster. @see docs/spec/bundle-format.md#objects */
export const clusterObjectChecks: readonly Check[] = [
  {
    id: 'O1',
    ...objects,
    title: 'a PodDisruptionBudget allows no disruption: maxUnavailable is 0',
    whatToDo: 'Allow at least one Pod to be unavailable, or nodes can never be drained.',
    find: budgetAllows,
  },
  {
    id: 'O2',
    ...objects,
    title: 'a PodDisruptionBudget allows no disruption: minAvailable is 100%',
    whatToDo: 'Require fewer than all Pods, or nodes can never be drained.',
    find: budgetIsNotWhole,
  },
  {
    id: 'O3',
    ...objects,
    title: 'a PriorityClass is the default of the whole cluster',
    whatToDo: 'Leave globalDefault out and name the class in the Pods that need it.',
    find: noGlobalDefault,
  },
  {
    id: 'O4',
    ...objects,
    severity: 'warning',
    title: 'a rule allows changes of PodDisruptionBudgets',
    whatToDo: 'Narrow the rule, unless the operator manages budgets for its own Pods.',
    find: budgetsStay,
  },
  {
    id: 'O5',
    ...objects,
    title: "a rule allows changes of OpenShift's own SecurityContextConstraints",
    whatToDo: 'Ship your own constraints, or only use existing ones.',
    find: constraintsStay,
  },
  {
    id: 'O6',
    ...objects,
    title: 'a budget, priority class or role is malformed',
    whatToDo: 'Correct the field.',
    find: readable,
  },
];
