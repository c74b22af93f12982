import { isJsonEqual, type JsonObject } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import {
  forbiddenField,
  immutableText,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../schema/field-errors.ts';
import { isKnownFormat } from '../../schema/formats.ts';
import type { KindRules } from '../kind-rules.ts';
import {
  asJson,
  ensureObject,
  isTrueAt,
  listOfTexts,
  objectAt,
  objectsAt,
  setDefaults,
  textAt,
  valueAt,
} from '../kinds/reading.ts';
import type { KubeObject } from '../kube-object.ts';
import { dns1035LabelProblems, dns1123SubdomainProblems } from '../names.ts';
import { storedVersions } from './crd-status.ts';
import { structuralErrors } from './structural.ts';

function specOf(crd: KubeObject): JsonObject {
  return objectAt(asJson(crd), 'spec') ?? {};
}

function applyDefaults(crd: KubeObject): void {
  const spec = ensureObject(asJson(crd), 'spec');
  const names = ensureObject(spec, 'names');
  const kind = textAt(names, 'kind');
  if (kind !== '') setDefaults(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
  setDefaults(ensureObject(spec, 'conversion'), { strategy: 'None' });
  const service = objectAt(spec, 'conversion', 'webhook', 'clientConfig', 'service');
  if (service !== undefined) setDefaults(service, { port: 443 });
  if (valueAt(spec, 'preserveUnknownFields') === false) delete spec['preserveUnknownFields'];
}

function prepareForCreate(crd: KubeObject): void {
  const names = { kind: '', plural: '' };
  asJson(crd)['status'] = { conditions: [], acceptedNames: names, storedVersions: storedVersions(crd, {}) };
}

function prepareForUpdate(crd: KubeObject): void {
  const status = objectAt(asJson(crd), 'status') ?? {};
  asJson(crd)['status'] = { ...status, storedVersions: storedVersions(crd, status) };
}

function labelField(value: string, field: string): FieldError[] {
  return dns1035LabelProblems(value).map((problem) => invalidField(field, value, problem));
}

function kindField(value: string, field: string): FieldError[] {
  const problems = dns1035LabelProblems(value.toLowerCase());
  return problems.map((text) => invalidField(field, value, `may have mixed case, but should otherwise match: ${text}`));
}

function namesErrors(names: JsonObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['plural', 'singular', 'kind', 'listKind']) {
    const [value, field] = [textAt(names, key), `spec.names.${key}`];
    if (value === '') errors.push(requiredField(field));
    else errors.push(...(key === 'plural' || key === 'singular' ? labelField(value, field) : kindField(value, field)));
  }
  for (const key of ['shortNames', 'categories']) {
    listOfTexts(names, key).forEach((name, index) => errors.push(...labelField(name, `spec.names.${key}[${index}]`)));
  }
  const kind = textAt(names, 'kind');
  if (kind !== '' && kind === textAt(names, 'listKind')) {
    errors.push(invalidField('spec.names.listKind', kind, 'kind and listKind may not be the same'));
  }
  return errors;
}

function groupErrors(group: string): FieldError[] {
  if (group === '') return [requiredField('spec.group')];
  const errors = dns1123SubdomainProblems(group).map((problem) => invalidField('spec.group', group, problem));
  if (!group.includes('.')) errors.push(invalidField('spec.group', group, 'should be a domain with at least one dot'));
  return errors;
}

function scopeErrors(scope: string): FieldError[] {
  if (scope === '') return [requiredField('spec.scope')];
  const scopes = ['Cluster', 'Namespaced'];
  return scopes.includes(scope) ? [] : [unsupportedField('spec.scope', scope, scopes)];
}

function isSamePart(versions: readonly JsonObject[], key: string): boolean {
  return versions.every((version) => isJsonEqual(valueAt(version, key), valueAt(versions[0], key)));
}

/** What all versions have alike is named as if it stood at the top. */
function schemaErrors(versions: readonly JsonObject[]): FieldError[] {
  const isSame = isSamePart(versions, 'schema');
  return versions.flatMap((version, index) => {
    const schema = objectAt(version, 'schema', 'openAPIV3Schema');
    const ownPath = `spec.versions[${index}].schema.openAPIV3Schema`;
    if (schema === undefined) return [requiredField(ownPath, 'schemas are required')];
    if (isSame && index > 0) return [];
    return structuralErrors(schema, isSame ? 'spec.validation.openAPIV3Schema' : ownPath);
  });
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

function columnErrors(column: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const [type, path] = [textAt(column, 'type'), textAt(column, 'jsonPath')];
  if (textAt(column, 'name') === '') errors.push(requiredField(`${field}.name`));
  if (type === '') errors.push(requiredField(`${field}.type`, `must be one of ${columnTypes.join()}`));
  else if (!columnTypes.includes(type))
    errors.push(invalidField(`${field}.type`, type, `must be one of ${columnTypes.join()}`));
  if (path === '') errors.push(requiredField(`${field}.JSONPath`));
  else if (!path.startsWith('.'))
    errors.push(invalidField(`${field}.JSONPath`, path, 'must be a simple json path starting with .'));
  return errors;
}

function scaleErrors(scale: JsonObject | undefined, field: string): FieldError[] {
  if (scale === undefined) return [];
  const errors: FieldError[] = [];
  for (const [key, below] of [
    ['specReplicasPath', '.spec'],
    ['statusReplicasPath', '.status'],
  ] as const) {
    const path = textAt(scale, key);
    if (path === '') errors.push(requiredField(`${field}.${key}`));
    else if (!path.startsWith(`${below}.`))
      errors.push(invalidField(`${field}.${key}`, path, `should be a json path under ${below}`));
  }
  return errors;
}

function partErrors(versions: readonly JsonObject[]): FieldError[] {
  const prefix = (key: string, index: number): string =>
    isSamePart(versions, key) ? 'spec' : `spec.versions[${index}]`;
  return versions.flatMap((version, index) => {
    const columns =
      isSamePart(versions, 'additionalPrinterColumns') && index > 0
        ? []
        : objectsAt(version, 'additionalPrinterColumns');
    const columnsAt = `${prefix('additionalPrinterColumns', index)}.additionalPrinterColumns`;
    const scale =
      isSamePart(versions, 'subresources') && index > 0 ? undefined : objectAt(version, 'subresources', 'scale');
    return [
      ...labelField(textAt(version, 'name'), `spec.versions[${index}].name`),
      ...columns.flatMap((column, at) => columnErrors(column, `${columnsAt}[${at}]`)),
      ...scaleErrors(scale, `${prefix('subresources', index)}.subresources.scale`),
      ...selectableErrors(version, `${prefix('selectableFields', index)}.selectableFields`),
    ];
  });
}

function selectableErrors(version: JsonObject, field: string): FieldError[] {
  return objectsAt(version, 'selectableFields').flatMap((selectable, index) => {
    const path = textAt(selectable, 'jsonPath');
    const at = `${field}[${index}].jsonPath`;
    if (path === '') return [requiredField(at)];
    return path.startsWith('.metadata') ? [invalidField(at, path, 'must not point to fields in metadata')] : [];
  });
}

function versionErrors(versions: readonly JsonObject[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = versions.map((version) => textAt(version, 'name'));
  if (new Set(names).size < names.length) {
    errors.push(invalidField('spec.versions', [...versions], 'must contain unique version names'));
  }
  if (versions.filter((version) => isTrueAt(version, 'storage')).length !== 1) {
    errors.push(
      invalidField('spec.versions', [...versions], 'must have exactly one version marked as storage version'),
    );
  }
  return errors;
}

function conversionErrors(spec: JsonObject): FieldError[] {
  const conversion = objectAt(spec, 'conversion');
  const strategy = textAt(conversion, 'strategy');
  const webhook = objectAt(conversion, 'webhook');
  if (strategy !== 'None' && strategy !== 'Webhook') {
    return [unsupportedField('spec.conversion.strategy', strategy, ['None', 'Webhook'])];
  }
  const at = 'spec.conversion.webhookClientConfig';
  if (strategy === 'None') {
    return webhook === undefined ? [] : [forbiddenField(at, 'should not be set when strategy is not set to Webhook')];
  }
  const errors =
    listOfTexts(webhook, 'conversionReviewVersions').length > 0
      ? []
      : [requiredField('spec.conversion.conversionReviewVersions')];
  return objectAt(webhook, 'clientConfig') === undefined
    ? [requiredField(at, 'required when strategy is set to Webhook'), ...errors]
    : errors;
}

const approval = 'api-approved.kubernetes.io';
const approvalHelp = 'see https://github.com/kubernetes/enhancements/pull/1111';

function approvalErrors(crd: KubeObject): FieldError[] {
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(textAt(specOf(crd), 'group'))) return [];
  const field = `metadata.annotations[${approval}]`;
  const text = textAt(crd.metadata.annotations, approval);
  const rule = `protected groups must have approval annotation "${approval}"`;
  if (text === '') return [requiredField(field, `${rule}, ${approvalHelp}`)];
  if (text.startsWith('unapproved') || URL.canParse(text)) return [];
  return [
    invalidField(field, text, `${rule} with either a URL or a reason starting with "unapproved", ${approvalHelp}`),
  ];
}

function validate(crd: KubeObject): FieldError[] {
  const spec = specOf(crd);
  const versions = objectsAt(spec, 'versions');
  const { name = '' } = crd.metadata;
  const errors: FieldError[] = [];
  if (name !== `${textAt(objectAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`) {
    errors.push(invalidField('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (isTrueAt(spec, 'preserveUnknownFields')) {
    const rule =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalidField('spec.preserveUnknownFields', true, rule));
  }
  return [
    ...errors,
    ...groupErrors(textAt(spec, 'group')),
    ...scopeErrors(textAt(spec, 'scope')),
    ...versionErrors(versions),
    ...namesErrors(objectAt(spec, 'names')),
    ...partErrors(versions),
    ...schemaErrors(versions),
    ...conversionErrors(spec),
    ...approvalErrors(crd),
  ];
}

function isEstablished(crd: KubeObject): boolean {
  const conditions = objectsAt(objectAt(asJson(crd), 'status'), 'conditions');
  return conditions.some((condition) => condition['type'] === 'Established' && condition['status'] === 'True');
}

function changed(crd: KubeObject, old: KubeObject, path: readonly string[]): FieldError[] {
  const key = path.at(-1) ?? '';
  const at = (object: KubeObject): string => textAt(objectAt(asJson(object), ...path.slice(0, -1)), key);
  return at(crd) === at(old) ? [] : [invalidField(path.join('.'), at(crd), immutableText)];
}

function validateUpdate(crd: KubeObject, old: KubeObject): FieldError[] {
  const errors = [...changed(crd, old, ['spec', 'group']), ...changed(crd, old, ['spec', 'names', 'plural'])];
  if (isEstablished(old))
    errors.push(...changed(crd, old, ['spec', 'scope']), ...changed(crd, old, ['spec', 'names', 'kind']));
  const names = objectsAt(specOf(crd), 'versions').map((version) => textAt(version, 'name'));
  listOfTexts(objectAt(asJson(crd), 'status'), 'storedVersions').forEach((version, index) => {
    if (names.includes(version)) return;
    const rule = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    errors.push(invalidField(`status.storedVersions[${index}]`, version, rule));
  });
  return errors;
}

function unknownFormats(node: JsonObject): string[] {
  const format = textAt(node, 'format');
  const own = format === '' || isKnownFormat(format) ? [] : [format];
  const below = [
    ...Object.values(objectAt(node, 'properties') ?? {}),
    valueAt(node, 'items'),
    valueAt(node, 'additionalProperties'),
  ];
  const children = below.filter(
    (child): child is JsonObject => typeof child === 'object' && child !== null && !Array.isArray(child),
  );
  return [...own, ...children.flatMap(unknownFormats)];
}

function warnings(crd: KubeObject, old: KubeObject | undefined): string[] {
  const formats = (object: KubeObject): string[] =>
    objectsAt(specOf(object), 'versions').flatMap((version) =>
      unknownFormats(objectAt(version, 'schema', 'openAPIV3Schema') ?? {}),
    );
  const before = new Set(old === undefined ? [] : formats(old));
  return [...new Set(formats(crd))]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format "${format}"`);
}

/** CustomResourceDefinitions: names, versions, schemas. What the server does of its own to their status is in `crd-status.ts`.
 *  @see reference "types" 1.1 to 1.3 */
export const crdRules: KindRules = {
  applyDefaults,
  prepareForCreate,
  prepareForUpdate,
  validate,
  validateUpdate,
  warnings,
  generationOf: ['spec'],
};
