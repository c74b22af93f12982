import { isJsonEqual, type JsonObject } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import { forbiddenField, requiredField } from '../../schema/field-errors.ts';
import type { KubeObject } from '../kube-object.ts';
import { asJson, listAt, listOfTexts, objectAt, textAt, valueAt } from './reading.ts';

function specOf(object: KubeObject): JsonObject | undefined {
  return objectAt(asJson(object), 'spec');
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
