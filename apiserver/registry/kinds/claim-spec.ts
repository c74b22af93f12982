import { type JsonObject, listOfTexts, objectAt, textAt, valueAt } from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  goLiteral,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { textsAt } from '../../core/index.ts';
import { compareQuantities, isWhole } from '../../schema/index.ts';
import { choice, invalids, requiredTexts } from './checks.ts';
import { selectorErrors } from './selectors.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

function accessModeErrors(spec: JsonObject, path: string): FieldError[] {
  const modes = listOfTexts(spec, 'accessModes');
  const field = `${path}.accessModes`;
  if (modes.length === 0) return [requiredField(field, 'at least 1 access mode is required')];
  return modes.filter((mode) => !accessModes.includes(mode)).map((mode) => unsupportedField(field, mode, accessModes));
}

function singlePodErrors(spec: JsonObject, path: string): FieldError[] {
  const modes = listOfTexts(spec, 'accessModes').filter((mode) => accessModes.includes(mode));
  const isMixed = modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod');
  const text = 'may not use ReadWriteOncePod with other access modes';
  return isMixed ? [forbiddenField(`${path}.accessModes`, text)] : [];
}

function sizeErrors(spec: JsonObject, path: string): FieldError[] {
  const field = `${path}.resources[storage]`;
  const size = valueAt(objectAt(spec, 'resources', 'requests'), 'storage');
  if (typeof size !== 'string') return [requiredField(field)];
  return compareQuantities(size, '0') > 0 ? [] : [invalidField(field, size, 'must be greater than zero')];
}

function sourceErrors(spec: JsonObject, path: string, key: string): FieldError[] {
  const source = objectAt(spec, key);
  if (source === undefined) return [];
  const [group, kind, namespace] = [textAt(source, 'apiGroup'), textAt(source, 'kind'), textAt(source, 'namespace')];
  const text = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  const field = `${path}.${key}`;
  return [
    ...requiredTexts(source, field, ['name', 'kind']),
    ...(group === '' && kind !== 'PersistentVolumeClaim' ? [invalidField(field, kind, text)] : []),
    ...(group === '' ? [] : invalids(`${field}.apiGroup`, group, dns1123SubdomainProblems(group))),
    ...(namespace === '' ? [] : invalids(`${field}.namespace`, namespace, dns1123LabelProblems(namespace))),
  ];
}

function twoSourcesErrors(spec: JsonObject, path: string): FieldError[] {
  const [source, reference] = [objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef')];
  if (source === undefined || reference === undefined) return [];
  const refuse = (text: string): FieldError[] => [invalidField(path, goLiteral(`${path}.dataSource`), text)];
  if (textAt(reference, 'namespace') !== '') {
    return refuse('may not be specified when dataSourceRef.namespace is specified');
  }
  const isSame = ['apiGroup', 'kind', 'name'].every((key) => textAt(source, key) === textAt(reference, key));
  return isSame ? [] : refuse('must match dataSourceRef');
}

/** Errors of the spec of a claim, or of a template of one. */
export function claimSpecErrors(spec: JsonObject, path: string): FieldError[] {
  const storageClass = textAt(spec, 'storageClassName');
  return [
    ...accessModeErrors(spec, path),
    ...selectorErrors(objectAt(spec, 'selector'), `${path}.selector`),
    ...singlePodErrors(spec, path),
    ...sizeErrors(spec, path),
    ...(storageClass === ''
      ? []
      : invalids(`${path}.storageClassName`, storageClass, dns1123SubdomainProblems(storageClass))),
    ...choice(`${path}.volumeMode`, valueAt(spec, 'volumeMode'), ['Block', 'Filesystem']),
    ...sourceErrors(spec, path, 'dataSource'),
    ...sourceErrors(spec, path, 'dataSourceRef'),
    ...twoSourcesErrors(spec, path),
  ];
}

/** What the spec of a claim, or of a template of one, should not have but may. */
export function claimSpecWarnings(spec: JsonObject, path: string): string[] {
  return ['requests', 'limits'].flatMap((kind) => {
    const { storage } = textsAt(spec, 'resources', kind);
    if (storage === undefined || isWhole(storage)) return [];
    const shown = JSON.stringify(storage);
    return [`${path}.resources.${kind}[storage]: fractional byte value ${shown} is invalid, must be an integer`];
  });
}
