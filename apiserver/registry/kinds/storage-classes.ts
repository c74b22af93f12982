import {
  firstIndexes,
  goQuote,
  isJsonEqual,
  isRepeated,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1123SubdomainProblems,
  duplicateField,
  type FieldError,
  forbiddenField,
  immutableText,
  invalidField,
  qualifiedNameProblems,
  requiredField,
  tooLongField,
} from '../../../src/schema/index.ts';
import { asJson, type KindRules, type KubeObject, numberAt, setDefaults, specOf, textsAt } from '../../core/index.ts';
import { goTexts, invalidPrinted } from '../../schema/index.ts';
import { choice, eachErrors, immutableErrors, invalids, negativeErrors } from './checks.ts';
import { csiDriverNameErrors } from './pod/storage-volumes.ts';
import { selectorErrors } from './selectors.ts';

/** StorageClasses and the kinds by which storage drivers make themselves known. @see docs/spec/kube-api-types.md#validation-rules, docs/spec/kube-api-types.md#immutable-fields */

const modes = ['Immediate', 'WaitForFirstConsumer'];
const maxParameters = 512;
const maxParameterBytes = 262_144;

function parameterErrors(parameters: Readonly<Record<string, string>>): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > maxParameters) return [tooLongField('parameters', maxParameters)];
  const errors = entries
    .filter(([key]) => key === '')
    .map(() => invalidField('parameters', '', 'field can not be empty.'));
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return bytes > maxParameterBytes ? [...errors, tooLongField('parameters', maxParameterBytes)] : errors;
}

function topologyTermErrors(term: JsonObject, path: string): FieldError[] {
  const field = `${path}.matchLabelExpressions`;
  const requirements = objectsAt(term, 'matchLabelExpressions');
  const keys = requirements.map((requirement) => textAt(requirement, 'key'));
  const firstKeys = firstIndexes(keys);
  return eachErrors(requirements, field, (requirement, at, index) => {
    const values = listOfTexts(requirement, 'values');
    const firstValues = firstIndexes(values);
    const key = keys[index] ?? '';
    return [
      ...(values.length === 0 ? [requiredField(`${at}.values`)] : []),
      ...values.flatMap((value, number) =>
        isRepeated(firstValues, value, number) ? [duplicateField(`${at}.values[${number}]`, value)] : [],
      ),
      ...invalids(`${at}.key`, key, qualifiedNameProblems(key)),
      ...(isRepeated(firstKeys, key, index) ? [duplicateField(`${at}.key`, key)] : []),
    ];
  });
}

/** What a term asks for, without order: equal for terms that mean the same. */
function meaningOf(term: JsonObject): string {
  const parts = objectsAt(term, 'matchLabelExpressions').map((requirement) => [
    textAt(requirement, 'key'),
    [...new Set(listOfTexts(requirement, 'values'))].sort(),
  ]);
  return JSON.stringify(parts.map((part) => JSON.stringify(part)).sort());
}

/** That many times the server reports the same problem of one term; with more terms it would be the square of their number. */
const mostRepeated = 20;

function topologyErrors(terms: readonly JsonObject[]): FieldError[] {
  // The server sets each term against its list of terms, which begins with empty ones.
  const seen = new Set(['[]']);
  return eachErrors(terms, 'allowedTopologies', (term, path) => {
    const meaning = meaningOf(term);
    const isDoubled = seen.has(meaning);
    const times = meaning === '[]' ? Math.min(terms.length, mostRepeated) : 1;
    seen.add(meaning);
    const doubled = duplicateField(`${path}.matchLabelExpressions`, '');
    const errors = topologyTermErrors(term, path);
    return isDoubled ? [...errors, ...Array.from({ length: times }, () => doubled)] : errors;
  });
}

function classErrors(object: KubeObject): FieldError[] {
  const storageClass = asJson(object);
  const provisioner = textAt(storageClass, 'provisioner');
  const named = invalids('provisioner', provisioner.toLowerCase(), qualifiedNameProblems(provisioner.toLowerCase()));
  return [
    ...(provisioner === '' ? [requiredField('provisioner')] : named),
    ...parameterErrors(textsAt(storageClass, 'parameters')),
    ...choice('reclaimPolicy', textAt(storageClass, 'reclaimPolicy'), ['Delete', 'Retain']),
    ...choice('volumeBindingMode', textAt(storageClass, 'volumeBindingMode'), modes),
    ...topologyErrors(objectsAt(storageClass, 'allowedTopologies')),
  ];
}

function classChangeErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const [now, before] = [asJson(object), asJson(old)];
  const isKept = (key: string): boolean => isJsonEqual(valueAt(now, key), valueAt(before, key));
  const fixed = ['parameters', 'provisioner', 'reclaimPolicy'].filter((key) => !isKept(key));
  return [
    ...fixed.map((key) => forbiddenField(key, `updates to ${key} are forbidden.`)),
    ...immutableErrors('volumeBindingMode', valueAt(now, 'volumeBindingMode'), isKept('volumeBindingMode')),
  ];
}

/** Rules of StorageClasses. */
export const storageClassRules: KindRules = {
  applyDefaults: (object) => {
    setDefaults(asJson(object), { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
  },
  validate: classErrors,
  validateUpdate: classChangeErrors,
};

const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];

function tokenErrors(requests: readonly JsonObject[]): FieldError[] {
  const audiences = requests.map((request) => textAt(request, 'audience'));
  const first = firstIndexes(audiences);
  return eachErrors(requests, 'spec.tokenRequests', (request, path, index) => {
    const audience = audiences[index] ?? '';
    if (isRepeated(first, audience, index)) return [duplicateField(`${path}.audience`, audience)];
    const seconds = numberAt(request, 'expirationSeconds');
    if (seconds === undefined) return [];
    const field = `${path}.expirationSeconds`;
    if (seconds < 600) return [invalidField(field, seconds, 'may not specify a duration less than 10 minutes')];
    if (seconds > 2 ** 32) return [invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
    return [];
  });
}

function driverErrors(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  return [
    ...choice('spec.fsGroupPolicy', valueAt(spec, 'fsGroupPolicy'), groupPolicies),
    ...tokenErrors(objectsAt(spec, 'tokenRequests')),
    ...listOfTexts(spec, 'volumeLifecycleModes').flatMap((mode) =>
      choice('spec.volumeLifecycleModes', mode, ['Persistent', 'Ephemeral']),
    ),
  ];
}

function driverChangeErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const [now, before] = [specOf(object), specOf(old)];
  const isKept = (key: string): boolean => isJsonEqual(valueAt(now, key), valueAt(before, key));
  const lifecycle = goTexts(listOfTexts(now, 'volumeLifecycleModes'), 'storage.VolumeLifecycleMode');
  return [
    ...immutableErrors('spec.attachedRequired', valueAt(now, 'attachRequired'), isKept('attachRequired')),
    ...(isKept('volumeLifecycleModes') ? [] : [invalidPrinted('spec.volumeLifecycleModes', lifecycle, immutableText)]),
  ];
}

function dropLaterFields(object: KubeObject): void {
  delete specOf(object)['nodeAllocatableUpdatePeriodSeconds'];
}

/** Rules of CSIDrivers. */
export const storageDriverRules: KindRules = {
  generationOf: ['spec'],
  keepsSentGeneration: true,
  applyDefaults: (object) => {
    const spec = specOf(object);
    const defaults = { attachRequired: true, podInfoOnMount: false, storageCapacity: false, requiresRepublish: false };
    setDefaults(spec, { ...defaults, seLinuxMount: false, fsGroupPolicy: 'ReadWriteOnceWithFSType' });
    if (listOfTexts(spec, 'volumeLifecycleModes').length === 0) spec['volumeLifecycleModes'] = ['Persistent'];
  },
  prepareForCreate: dropLaterFields,
  prepareForUpdate: dropLaterFields,
  validate: driverErrors,
  validateUpdate: driverChangeErrors,
};

function nodeDriverErrors(drivers: readonly JsonObject[]): FieldError[] {
  const names = drivers.map((driver) => textAt(driver, 'name'));
  const first = firstIndexes(names);
  return eachErrors(drivers, 'spec.drivers', (driver, path, index) => {
    const [name, id] = [names[index] ?? '', textAt(driver, 'nodeID')];
    const errors = csiDriverNameErrors(`${path}.name`, name);
    if (id === '') errors.push(requiredField(`${path}.nodeID`));
    if (id.length > 256) errors.push(invalidField(`${path}.nodeID`, id, 'must be 256 characters or less'));
    errors.push(...negativeErrors(`${path}.allocatable.count`, valueAt(objectAt(driver, 'allocatable'), 'count')));
    if (isRepeated(first, name, index)) errors.push(duplicateField(`${path}.name`, name));
    const keys = listOfTexts(driver, 'topologyKeys');
    const firstKeys = firstIndexes(keys);
    const ofKeys = keys.flatMap((key, number) => [
      ...(key === '' ? [requiredField(path)] : []),
      ...(isRepeated(firstKeys, key, number) ? [duplicateField(path, key)] : []),
      ...invalids(path, key, qualifiedNameProblems(key)),
    ]);
    return [...errors, ...ofKeys];
  });
}

function nodeErrors(object: KubeObject): FieldError[] {
  return nodeDriverErrors(objectsAt(specOf(object), 'drivers'));
}

/** Rules of CSINodes: drivers come and go, but none changes. */
export const storageNodeRules: KindRules = {
  validate: nodeErrors,
  validateChange: (object, old) => {
    const before = new Map(objectsAt(specOf(old), 'drivers').map((driver) => [textAt(driver, 'name'), driver]));
    const changed = objectsAt(specOf(object), 'drivers').filter((driver) => {
      const other = before.get(textAt(driver, 'name'));
      return other !== undefined && !isJsonEqual(other, driver);
    });
    const errors = changed.map((driver) =>
      invalidPrinted('spec.drivers', `storage.CSINodeDriver{Name:${goQuote(textAt(driver, 'name'))}}`, immutableText),
    );
    return [...nodeErrors(object), ...nodeErrors(object), ...errors];
  },
};

function attachmentErrors(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const [attacher, source] = [textAt(spec, 'attacher'), objectAt(spec, 'source') ?? {}];
  const [inline, name] = [objectAt(source, 'inlineVolumeSpec'), valueAt(source, 'persistentVolumeName')];
  const errors = attacher === '' ? [requiredField('spec.attacher')] : [];
  const why = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inline === undefined && name === undefined) errors.push(requiredField('spec.source', why));
  else if (inline !== undefined && name !== undefined) errors.push(forbiddenField('spec.source', why));
  else if (name === '') {
    errors.push(requiredField('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName'));
  }
  const node = textAt(spec, 'nodeName');
  return [...errors, ...invalids('spec.nodeName', node, dns1123SubdomainProblems(node))];
}

function newAttachmentErrors(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const name = valueAt(objectAt(spec, 'source'), 'persistentVolumeName');
  return [
    ...attachmentErrors(object),
    ...csiDriverNameErrors('spec.attacher', textAt(spec, 'attacher')),
    ...(typeof name === 'string'
      ? invalids('spec.source.persistentVolumeName', name, dns1123SubdomainProblems(name))
      : []),
  ];
}

/** Rules of VolumeAttachments. */
export const volumeAttachmentRules: KindRules = {
  prepareForCreate: (object) => {
    asJson(object)['status'] = { attached: false };
  },
  validate: newAttachmentErrors,
  validateChange: (object, old) => [
    ...attachmentErrors(object),
    ...attachmentErrors(object),
    ...immutableErrors('spec', valueAt(asJson(object), 'spec'), isJsonEqual(specOf(object), specOf(old))),
  ],
};

function capacityErrors(object: KubeObject): FieldError[] {
  const capacity = asJson(object);
  const [name, size] = [textAt(capacity, 'storageClassName'), textAt(capacity, 'capacity')];
  const errors = selectorErrors(objectAt(capacity, 'nodeTopology'), 'nodeTopology');
  errors.push(...invalids('storageClassName', name, dns1123SubdomainProblems(name)));
  const isNegative = size.startsWith('-') && /[1-9]/.test(size);
  return isNegative ? [...errors, invalidField('capacity', size, 'must be greater than or equal to 0')] : errors;
}

/** Rules of CSIStorageCapacities. */
export const storageCapacityRules: KindRules = {
  validate: capacityErrors,
  validateUpdate: (object, old) =>
    ['nodeTopology', 'storageClassName'].flatMap((key) => {
      const [now, before] = [valueAt(asJson(object), key), valueAt(asJson(old), key)];
      return immutableErrors(key, now, isJsonEqual(now, before));
    }),
};
