import { isJsonEqual, type JsonValue, objectAt, valueAt } from '../../src/base/index.ts';
import { dns1123SubdomainProblems, type FieldError } from '../../src/schema/index.ts';
import { asJson, copyJson, type KindRules, type KubeObject, type RegistryView, type Strategy } from '../core/index.ts';
import { keepMetadata } from './endpoint-fields.ts';
import { kindFacts } from './kind-facts.ts';

interface StrategyFacts {
  readonly rules: KindRules;
  readonly view: RegistryView;
  readonly hasStatus: boolean;
  readonly storageKey: string;
}

function copyField(name: string, from: KubeObject, to: KubeObject): void {
  const value = valueAt(asJson(from), name);
  if (value === undefined) delete asJson(to)[name];
  else asJson(to)[name] = copyJson(value);
}

function partOf(object: KubeObject, part: string): JsonValue | undefined {
  const [first = '', second] = part.split('.');
  return second === undefined ? valueAt(asJson(object), first) : valueAt(objectAt(asJson(object), first), second);
}

/** Everything but status comes from `old`; labels, annotations, finalizers and managedFields may change with it. */
function keepAllButStatus(object: KubeObject, old: KubeObject): void {
  const names = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const name of ['apiVersion', 'kind', 'metadata', 'status']) names.delete(name);
  for (const name of names) copyField(name, old, object);
}

function changeErrors(change: {
  readonly rules: KindRules;
  readonly view: RegistryView;
  readonly object: KubeObject;
  readonly old: KubeObject;
}): FieldError[] {
  const { rules, view, object, old } = change;
  if (rules.validateChange !== undefined) return rules.validateChange(object, old, view);
  return [...(rules.validate?.(object, view) ?? []), ...(rules.validateUpdate?.(object, old, view) ?? [])];
}

/** The strategy of a built-in kind. Without rules of its own: `status` belongs to the status subresource, nothing is defaulted or refused,
 *  no generations, any DNS subdomain is a name, PUT needs no resourceVersion. */
export function createBuiltinStrategy({ rules, view, hasStatus, storageKey }: StrategyFacts): Strategy {
  const parts = rules.generationOf ?? [];
  return {
    prepareForCreate: (object) => {
      if (hasStatus && rules.keepsSentStatus !== true) delete asJson(object)['status'];
      rules.prepareForCreate?.(object, view);
    },
    prepareForUpdate: (object, old) => {
      if (hasStatus) copyField('status', old, object);
      rules.prepareForUpdate?.(object, old, view);
    },
    prepareForStatusUpdate: (object, old) => {
      keepAllButStatus(object, old);
      keepMetadata(`${storageKey}/status`, object, old);
      rules.prepareForStatusUpdate?.(object, old, view);
    },
    prepareForSubresource: (name, object, old) => {
      const part = rules.subresources?.get(name);
      part?.prepare(object, old, view);
      keepMetadata(`${storageKey}/${name}`, object, old);
      return part !== undefined;
    },
    applyDefaults: (object) => rules.applyDefaults?.(object),
    validate: (object, old, subresource) => {
      if (old === undefined) return rules.validate?.(object, view) ?? [];
      if (subresource === 'status') return rules.validateStatus?.(object, old) ?? [];
      const part = subresource === undefined ? undefined : rules.subresources?.get(subresource);
      return part === undefined ? changeErrors({ rules, view, object, old }) : part.validate(object, old);
    },
    warnings: (object, old, subresource) =>
      (subresource === 'status' && old !== undefined
        ? rules.statusWarnings?.(object, old)
        : rules.warnings?.(object, old)) ?? [],
    hasGeneration: rules.generationOf !== undefined && rules.keepsSentGeneration !== true,
    isNewGeneration: (object, old) => parts.some((part) => !isJsonEqual(partOf(object, part), partOf(old, part))),
    ...kindFacts(storageKey),
    defaultPropagation: rules.defaultPropagation ?? 'Background',
    graceSeconds: (object, requested) => rules.graceSeconds?.(object, requested),
    selectableFields: new Map(Object.entries(rules.selectableFields ?? {})),
    nameProblems: rules.nameProblems ?? dns1123SubdomainProblems,
  };
}
