import { firstIndexes, isRepeated, type JsonObject, listOfTexts, valueAt } from '../../../src/base/index.ts';
import { type FieldError, invalidField, requiredField } from '../../../src/schema/index.ts';
import { goTexts, invalidPrinted } from '../../schema/index.ts';
import { choice } from './checks.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

function aloneErrors(texts: readonly string[], field: string, what: string): FieldError[] {
  if (texts.length < 2 || !texts.includes('*')) return [];
  return [invalidPrinted(field, goTexts(texts), `if '*' is present, must not specify other ${what}`)];
}

function emptyErrors(texts: readonly string[], field: string): FieldError[] {
  return texts.flatMap((text, index) => (text === '' ? [requiredField(`${field}[${index}]`)] : []));
}

function operationErrors(texts: readonly string[], field: string): FieldError[] {
  if (texts.length === 0) return [requiredField(field)];
  const why = "if '*' is present, must not specify other operations";
  const printed = goTexts(texts, 'admissionregistration.OperationType');
  const alone = texts.length > 1 && texts.includes('*') ? [invalidPrinted(field, printed, why)] : [];
  return [...alone, ...texts.flatMap((text, index) => choice(`${field}[${index}]`, text, operations))];
}

/** A resource that an earlier, wider one of the list already names. */
function coveredError(text: string, isEarlier: (wide: string) => boolean, field: string): FieldError[] {
  const [resource = '', subresource] = text.split('/');
  if (subresource === undefined) return [];
  const cover = [`${resource}/*`, `*/${subresource}`].find((wide) => wide !== text && isEarlier(wide));
  return cover === undefined ? [] : [invalidField(field, text, `if '${cover}' is present, must not specify ${text}`)];
}

function resourceErrors(texts: readonly string[], field: string): FieldError[] {
  if (texts.length === 0) return [requiredField(field)];
  const first = firstIndexes(texts);
  const each = texts.flatMap((text, index) =>
    text === ''
      ? [requiredField(`${field}[${index}]`)]
      : coveredError(text, (wide) => isRepeated(first, wide, index), `${field}[${index}]`),
  );
  if (texts.length > 1 && texts.includes('*/*')) {
    return [...each, invalidPrinted(field, goTexts(texts), "if '*/*' is present, must not specify other resources")];
  }
  const isMixed = texts.includes('*') && texts.some((text) => text !== '*' && !text.includes('/'));
  const why = "if '*' is present, must not specify other resources without subresources";
  return isMixed ? [...each, invalidPrinted(field, goTexts(texts), why)] : each;
}

/** Errors of one rule of a webhook or of an admission policy. */
export function admissionRuleErrors(rule: JsonObject, path: string): FieldError[] {
  const [groups, versions] = [listOfTexts(rule, 'apiGroups'), listOfTexts(rule, 'apiVersions')];
  return [
    ...operationErrors(listOfTexts(rule, 'operations'), `${path}.operations`),
    ...(groups.length === 0 ? [requiredField(`${path}.apiGroups`)] : []),
    ...aloneErrors(groups, `${path}.apiGroups`, 'API groups'),
    ...(versions.length === 0 ? [requiredField(`${path}.apiVersions`)] : []),
    ...aloneErrors(versions, `${path}.apiVersions`, 'API versions'),
    ...emptyErrors(versions, `${path}.apiVersions`),
    ...resourceErrors(listOfTexts(rule, 'resources'), `${path}.resources`),
    ...choice(`${path}.scope`, valueAt(rule, 'scope'), scopes),
  ];
}
