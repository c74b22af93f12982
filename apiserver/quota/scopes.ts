import { type JsonObject, remember } from '../../src/base/index.ts';
import { type KubeObject, objectOf, objectsOf, textOf, textsOf } from '../core/index.ts';
import { parseQuantity, resourceList } from '../schema/index.ts';

interface ScopeRule {
  readonly scope: string;
  readonly operator: string;
  readonly values: readonly string[];
}

function rulesOf(quota: KubeObject): ScopeRule[] {
  const spec = objectOf(quota['spec']);
  const { scopes = [], scopeSelector } = spec;
  const plain = textsOf(scopes).map((scope) => ({
    scope,
    operator: 'Exists',
    values: [],
  }));
  const expressions = objectsOf(objectOf(scopeSelector)['matchExpressions']);
  return [...plain, ...expressions.map(ruleOf)];
}

function ruleOf({ scopeName, operator, values }: JsonObject): ScopeRule {
  return { scope: textOf(scopeName), operator: textOf(operator), values: textsOf(values) };
}

/** Whether no container asks for any cpu or memory. */
function isBestEffort(spec: JsonObject): boolean {
  return [...objectsOf(spec['containers']), ...objectsOf(spec['initContainers'])].every(({ resources }) => {
    const { requests, limits } = objectOf(resources);
    const amounts = Object.entries({ ...resourceList(requests), ...resourceList(limits) });
    return amounts.every(([name, amount]) => !['cpu', 'memory'].includes(name) || parseQuantity(amount).nanos === 0n);
  });
}

function hasCrossNamespaceAffinity(spec: JsonObject): boolean {
  const affinity = objectOf(spec['affinity']);
  const terms = ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const part = objectOf(affinity[kind]);
    const preferred = objectsOf(part['preferredDuringSchedulingIgnoredDuringExecution']);
    return [
      ...objectsOf(part['requiredDuringSchedulingIgnoredDuringExecution']),
      ...preferred.map((term) => objectOf(term['podAffinityTerm'])),
    ];
  });
  return terms.some(({ namespaces, namespaceSelector }) => namespaces !== undefined || namespaceSelector !== undefined);
}

function hasDeadline({ activeDeadlineSeconds }: JsonObject): boolean {
  return typeof activeDeadlineSeconds === 'number' && activeDeadlineSeconds >= 0;
}

/** Whether a pod is in the scope `Terminating`; else it is in `NotTerminating`. */
export function isTerminatingPod(pod: KubeObject): boolean {
  return hasDeadline(objectOf(pod['spec']));
}

/** Of a pod both are read once, whatever number of quotas it is compared with. */
const isOfBestEffort = remember(isBestEffort);
const crossesNamespaces = remember(hasCrossNamespaceAffinity);

const scopes: ReadonlyMap<string, (spec: JsonObject) => boolean> = new Map([
  ['Terminating', hasDeadline],
  ['NotTerminating', (spec) => !hasDeadline(spec)],
  ['BestEffort', isOfBestEffort],
  ['NotBestEffort', (spec) => !isOfBestEffort(spec)],
  ['CrossNamespacePodAffinity', crossesNamespaces],
]);

function isClass(value: string, { operator, values }: ScopeRule): boolean {
  if (operator === 'In') return values.includes(value);
  if (operator === 'NotIn') return value !== '' && !values.includes(value);
  return operator === 'Exists' ? value !== '' : value === '';
}

/** Whether the scopes of a quota select an object, for any number of objects. Only pods have scopes. */
export function scopeMatcher(quota: KubeObject): (storageKey: string, object: KubeObject) => boolean {
  const rules = rulesOf(quota);
  const classes = rules.filter(({ scope }) => scope === 'PriorityClass');
  // A scope may be named very often.
  const others = new Set(rules.map(({ scope }) => scope).filter((scope) => scope !== 'PriorityClass'));
  return (storageKey, object) => {
    if (rules.length === 0) return true;
    if (storageKey !== 'pods') return false;
    const spec = objectOf(object['spec']);
    const isOfClasses = classes.every((rule) => isClass(textOf(spec['priorityClassName']), rule));
    return isOfClasses && [...others].every((scope) => scopes.get(scope)?.(spec) ?? false);
  };
}
