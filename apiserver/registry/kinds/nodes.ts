import {
  firstIndexes,
  isJsonEqual,
  isRepeated,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  sortedKeys,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  type FieldError,
  forbiddenField,
  invalidField,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../../src/schema/index.ts';
import {
  asJson,
  countAt,
  type KindRules,
  type KubeObject,
  labelErrors,
  setDefaults,
  specOf,
  textsAt,
} from '../../core/index.ts';
import { goStruct, goTexts, invalidPrinted } from '../../schema/index.ts';
import { networkErrors, networkWarnings, parseNetwork } from './addresses.ts';
import { choice, eachErrors, forbiddenWhen, immutableErrors, invalids, requiredChoice } from './checks.ts';
import { amountErrors, containerNameErrors } from './quotas.ts';

/** Nodes, and the classes by which pods choose how they run. @see docs/spec/kube-api-types.md#validation-rules */

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function taintErrors(taint: JsonObject, path: string, isDoubled: boolean): FieldError[] {
  const [key, value, effect] = ['key', 'value', 'effect'].map((name) => textAt(taint, name)) as [
    string,
    string,
    string,
  ];
  const problems = labelValueProblems(value);
  const added = valueAt(taint, 'timeAdded') ?? null;
  const shown = goStruct('core.Taint', { Key: key, Value: value, Effect: effect, TimeAdded: added });
  const why = 'taints must be unique by key and effect pair';
  const doubled = { field: path, reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown}: ${why}` } as const;
  return [
    ...invalids(`${path}.key`, key, qualifiedNameProblems(key)),
    ...(problems.length === 0 ? [] : [invalidField(`${path}.value`, value, problems.join(';'))]),
    ...requiredChoice(`${path}.effect`, effect, effects),
    ...(isDoubled ? [doubled] : []),
  ];
}

function taintsErrors(spec: JsonObject): FieldError[] {
  const taints = objectsAt(spec, 'taints');
  const marks = taints.map((taint) => `${textAt(taint, 'effect')} ${textAt(taint, 'key')}`);
  const first = firstIndexes(marks);
  return eachErrors(taints, 'metadata.taints', (taint, path, index) =>
    taintErrors(taint, path, isRepeated(first, marks[index] ?? '', index)),
  );
}

function capacityErrors(object: KubeObject): FieldError[] {
  const status = objectAt(asJson(object), 'status');
  return ['capacity', 'allocatable'].flatMap((key) =>
    Object.entries(textsAt(status, key)).flatMap(([name, amount]) =>
      amountErrors(name, amount, `status.${key}.${name}`),
    ),
  );
}

function podRanges(spec: JsonObject): string[] {
  return listOfTexts(spec, 'podCIDRs');
}

function rangeErrors(spec: JsonObject): FieldError[] {
  const ranges = podRanges(spec);
  const errors = ranges.flatMap((range, index) => networkErrors(range, `spec.podCIDRs[${index}]`));
  if (ranges.length < 2) return errors;
  const families = new Set(ranges.map((range) => parseNetwork(range)?.address.family));
  const isFine = ranges.length === 2 && families.size === 2;
  const why = 'may specify no more than one CIDR for each IP family';
  return isFine ? errors : [...errors, invalidPrinted('spec.podCIDRs', goTexts(ranges), why)];
}

function nodeErrors(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  return [...taintsErrors(spec), ...capacityErrors(object), ...rangeErrors(spec)];
}

function onceErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [specOf(object), specOf(old)];
  const [ranges, known] = [podRanges(spec), podRanges(before)];
  const isMoved = known.length !== ranges.length;
  const changed = isMoved ? known.slice(0, 1) : known.filter((range, index) => range !== ranges[index]);
  const provider = textAt(before, 'providerID');
  const isOther = provider !== '' && provider !== textAt(spec, 'providerID');
  const once = (what: string): string => `node updates may not change ${what} except from "" to valid`;
  return [
    ...changed.map(() => forbiddenField('spec.podCIDRs', once('podCIDR'))),
    ...forbiddenWhen(isOther, 'spec.providerID', once('providerID')),
  ];
}

function changeErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [specOf(object), specOf(old)];
  const addresses = objectsAt(objectAt(asJson(object), 'status'), 'addresses');
  const seen = new Set<string>();
  const doubled = addresses.flatMap((address, index) => {
    const text = JSON.stringify(sortedKeys(address));
    const isFirst = !seen.has(text);
    seen.add(text);
    const shown = goStruct('core.NodeAddress', { Type: textAt(address, 'type'), Address: textAt(address, 'address') });
    const field = `status.addresses[${index}]`;
    return isFirst ? [] : [{ field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown}` } as const];
  });
  const isRenamed = textAt(spec, 'externalID') !== textAt(before, 'externalID');
  return [
    ...capacityErrors(object),
    ...doubled,
    ...onceErrors(object, old),
    ...taintsErrors(spec),
    ...forbiddenWhen(isRenamed, 'spec.externalID', 'may not be updated'),
  ];
}

/** `podCIDR` is the first of `podCIDRs`. */
function alignRanges(object: KubeObject): void {
  const spec = objectAt(asJson(object), 'spec');
  if (spec === undefined) return;
  const [single, [first = '']] = [textAt(spec, 'podCIDR'), podRanges(spec)];
  if (single !== '' && first !== single) spec['podCIDRs'] = [single];
  if (single === '' && first !== '') spec['podCIDR'] = first;
}

/** Rules of Nodes; unlike others they may be made with a status. */
export const nodeRules: KindRules = {
  applyDefaults: (object) => {
    alignRanges(object);
    const status = objectAt(asJson(object), 'status');
    const capacity = objectAt(status, 'capacity');
    if (status !== undefined && capacity !== undefined) setDefaults(status, { allocatable: capacity });
  },
  keepsSentStatus: true,
  prepareForCreate: (object) => {
    delete specOf(object)['configSource'];
  },
  prepareForUpdate: (object) => {
    delete specOf(object)['configSource'];
  },
  validate: nodeErrors,
  validateChange: (object, old) => [...nodeErrors(object), ...changeErrors(object, old)],
  validateStatus: changeErrors,
  warnings: (object) => {
    const spec = specOf(object);
    const isOld = textAt(spec, 'externalID') !== '';
    const old = 'spec.externalID: this field is deprecated, and is unused by Kubernetes';
    return [
      ...(isOld ? [old] : []),
      ...podRanges(spec).flatMap((range, index) => networkWarnings(range, `spec.podCIDRs[${index}]`)),
    ];
  },
  selectableFields: {
    'spec.unschedulable': (object) => String(valueAt(specOf(object), 'unschedulable') === true),
  },
};

function overheadErrors(object: KubeObject): FieldError[] {
  const amounts = textsAt(objectAt(asJson(object), 'overhead'), 'podFixed');
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const field = `overhead.limits[${name}]`;
    return [...containerNameErrors(name, field), ...amountErrors(name, amount, field)];
  });
}

function runtimeErrors(object: KubeObject): FieldError[] {
  const handler = textAt(asJson(object), 'handler');
  const selector = textsAt(objectAt(asJson(object), 'scheduling'), 'nodeSelector');
  return [
    ...invalids('handler', handler, dns1123LabelProblems(handler)),
    ...overheadErrors(object),
    ...labelErrors(selector, 'scheduling.nodeSelector'),
  ];
}

/** Rules of RuntimeClasses. */
export const runtimeClassRules: KindRules = {
  validate: runtimeErrors,
  validateChange: (object, old) => {
    const [now, before] = [textAt(asJson(object), 'handler'), textAt(asJson(old), 'handler')];
    return immutableErrors('handler', now, now === before);
  },
};

const systemClasses: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

function systemProblem(name: string, object: KubeObject): string | undefined {
  const value = Object.hasOwn(systemClasses, name) ? systemClasses[name] : undefined;
  if (value === undefined) return `${name} is not a known system priority class`;
  if (countAt(asJson(object), 'value') !== value) return `value of ${name} PriorityClass must be ${value}`;
  const isDefault = valueAt(asJson(object), 'globalDefault') === true;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function priorityErrors(object: KubeObject): FieldError[] {
  const { name = '' } = object.metadata;
  const policy = textAt(asJson(object), 'preemptionPolicy');
  const errors = choice('preemptionPolicy', policy, ['PreemptLowerPriority', 'Never']);
  if (!name.startsWith('system-')) {
    const isOver = countAt(asJson(object), 'value') > 1_000_000_000;
    const why = 'maximum allowed value of a user defined priority is 1000000000';
    return [...forbiddenWhen(isOver, 'value', why), ...errors];
  }
  const problem = systemProblem(name, object);
  const why = `priority class names with 'system-' prefix are reserved for system use only. error: ${problem ?? ''}`;
  return [...forbiddenWhen(problem !== undefined, 'metadata.name', why), ...errors];
}

/** Rules of PriorityClasses. */
export const priorityClassRules: KindRules = {
  generationOf: [],
  applyDefaults: (object) => {
    setDefaults(asJson(object), { preemptionPolicy: 'PreemptLowerPriority' });
  },
  validate: priorityErrors,
  validateChange: (object, old) => {
    const isSame = (key: string): boolean => isJsonEqual(valueAt(asJson(object), key), valueAt(asJson(old), key));
    return [
      ...forbiddenWhen(!isSame('value'), 'value', 'may not be changed in an update.'),
      ...immutableErrors('preemptionPolicy', valueAt(asJson(object), 'preemptionPolicy'), isSame('preemptionPolicy')),
    ];
  },
};
