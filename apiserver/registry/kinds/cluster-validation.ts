import { isJsonEqual, type JsonObject } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import {
  forbiddenField,
  immutableText,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../schema/field-errors.ts';
import type { KubeObject } from '../kube-object.ts';
import { asJson, isTrueAt, listAt, listOfTexts, numberAt, objectAt, textAt, valueAt } from './reading.ts';

function specOf(object: KubeObject): JsonObject | undefined {
  return objectAt(asJson(object), 'spec');
}

/** Top-level fields that keep what they had. */
export function immutableFields(
  keys: readonly string[],
  text: string = immutableText,
): (object: KubeObject, old: KubeObject) => FieldError[] {
  return (object, old) =>
    keys.flatMap((key) => {
      const [now, before] = [valueAt(asJson(object), key), valueAt(asJson(old), key)];
      return isJsonEqual(now, before) ? [] : [invalidField(key, now, text)];
    });
}

export function validateClaim(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const errors: FieldError[] = [];
  if (listAt(spec, 'accessModes').length === 0) {
    errors.push(requiredField('spec.accessModes', 'at least 1 access mode is required'));
  }
  const modes = listOfTexts(spec, 'accessModes');
  if (modes.includes('ReadWriteOncePod') && modes.length > 1) {
    errors.push(forbiddenField('spec.accessModes', 'may not use ReadWriteOncePod with other access modes'));
  }
  if (valueAt(objectAt(spec, 'resources', 'requests'), 'storage') === undefined)
    errors.push(requiredField('spec.resources[storage]'));
  return errors;
}

const claimText =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

export function validateClaimUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const fixed = (claim: KubeObject): JsonObject => {
    const {
      resources: _resources,
      volumeAttributesClassName: _class,
      volumeName: _name,
      ...spec
    } = specOf(claim) ?? {};
    return spec;
  };
  const before = textAt(specOf(old), 'volumeName');
  const isMoved = before !== '' && before !== textAt(specOf(object), 'volumeName');
  return isMoved || !isJsonEqual(fixed(object), fixed(old)) ? [forbiddenField('spec', claimText)] : [];
}

const volumeFields = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);

export function validateVolume(object: KubeObject): FieldError[] {
  const spec = specOf(object) ?? {};
  const errors = listAt(spec, 'accessModes').length === 0 ? [requiredField('spec.accessModes')] : [];
  if (Object.keys(objectAt(spec, 'capacity') ?? {}).length === 0) errors.push(requiredField('spec.capacity'));
  if (Object.keys(spec).every((key) => volumeFields.has(key)))
    errors.push(requiredField('spec', 'must specify a volume type'));
  return errors;
}

export function validateStorageClass(object: KubeObject): FieldError[] {
  const [provisioner, mode] = [textAt(asJson(object), 'provisioner'), textAt(asJson(object), 'volumeBindingMode')];
  const modes = ['Immediate', 'WaitForFirstConsumer'];
  const errors = provisioner === '' ? [requiredField('provisioner')] : [];
  return modes.includes(mode) ? errors : [...errors, unsupportedField('volumeBindingMode', mode, modes)];
}

export function validateStorageClassUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors = ['parameters', 'provisioner', 'reclaimPolicy'].flatMap((key) => {
    const isSame = isJsonEqual(valueAt(asJson(object), key), valueAt(asJson(old), key));
    return isSame ? [] : [forbiddenField(key, `updates to ${key} are forbidden.`)];
  });
  return [...errors, ...immutableFields(['volumeBindingMode'])(object, old)];
}

export function validatePriorityClass(object: KubeObject): FieldError[] {
  const { name = '' } = object.metadata;
  if (name === 'system-cluster-critical' || name === 'system-node-critical') return [];
  const errors: FieldError[] = [];
  if (name.startsWith('system-')) {
    errors.push(
      forbiddenField(
        'metadata.name',
        `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
      ),
    );
  }
  const rule = 'maximum allowed value of a user defined priority is 1000000000';
  return (numberAt(asJson(object), 'value') ?? 0) > 1_000_000_000 ? [...errors, forbiddenField('value', rule)] : errors;
}

export function validateApiService(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const expected = `${textAt(spec, 'version')}.${textAt(spec, 'group')}`;
  const { name = '' } = object.metadata;
  const errors: FieldError[] = [];
  if (name !== expected)
    errors.push(invalidField('metadata.name', name, `must be \`spec.version+"."+spec.group\`: "${expected}"`));
  const [group, version] = [numberAt(spec, 'groupPriorityMinimum') ?? 0, numberAt(spec, 'versionPriority') ?? 0];
  if (group <= 0 || group > 20_000)
    errors.push(invalidField('spec.groupPriorityMinimum', group, 'must be positive and less than 20000'));
  if (version <= 0 || version > 1000)
    errors.push(invalidField('spec.versionPriority', version, 'must be positive and less than 1000'));
  return [...errors, ...apiServiceBackendErrors(spec)];
}

function apiServiceBackendErrors(spec: JsonObject | undefined): FieldError[] {
  const service = objectAt(spec, 'service');
  const needed = service === undefined ? [] : ['namespace', 'name'];
  const errors = needed.filter((key) => textAt(service, key) === '').map((key) => requiredField(`spec.service.${key}`));
  if (isTrueAt(spec, 'insecureSkipTLSVerify') && textAt(spec, 'caBundle') !== '') {
    errors.push(invalidField('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  }
  return errors;
}

export function validateLease(object: KubeObject): FieldError[] {
  const [duration, transitions] = [
    numberAt(specOf(object), 'leaseDurationSeconds'),
    numberAt(specOf(object), 'leaseTransitions'),
  ];
  const errors: FieldError[] = [];
  if (duration !== undefined && duration <= 0)
    errors.push(invalidField('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  if (transitions !== undefined && transitions < 0) {
    errors.push(invalidField('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  }
  return errors;
}
