import {
  isTrueAt,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1123SubdomainProblems,
  type FieldError,
  immutableText,
  invalidField,
  PatternBudget,
  PlainText,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { asJson, ensureObject, type KindRules, type KubeObject, setDefaults } from '../../core/index.ts';
import { approvalErrors } from './approval.ts';
import { caBundleProblem, conversionErrors } from './conversion-rules.ts';
import { storedVersions } from './crd-status.ts';
import { missingNameErrors, namesErrors } from './names-rules.ts';
import { settleSchema, someSchema } from './schema-form.ts';
import { schemaOf } from './schema-rules.ts';
import { ownVersionErrors, sharedVersionErrors, versionSetErrors } from './version-rules.ts';

function specOf(crd: KubeObject): JsonObject {
  return objectAt(asJson(crd), 'spec') ?? {};
}

function applyDefaults(crd: KubeObject): void {
  const spec = ensureObject(asJson(crd), 'spec');
  const names = ensureObject(spec, 'names');
  const kind = textAt(names, 'kind');
  if (textAt(names, 'singular') === '') names['singular'] = kind.toLowerCase();
  if (textAt(names, 'listKind') === '' && kind !== '') names['listKind'] = `${kind}List`;
  if (names['singular'] === '') delete names['singular'];
  if (objectAt(spec, 'conversion') === undefined) spec['conversion'] = { strategy: 'None' };
  const service = objectAt(spec, 'conversion', 'webhook', 'clientConfig', 'service');
  if (service !== undefined) setDefaults(service, { port: 443 });
  if (valueAt(spec, 'preserveUnknownFields') === false) delete spec['preserveUnknownFields'];
  for (const version of objectsAt(spec, 'versions')) {
    const schema = schemaOf(version);
    if (schema !== undefined) settleSchema(schema);
  }
}

function prepareForCreate(crd: KubeObject): void {
  const names = { kind: '', plural: '' };
  asJson(crd)['status'] = { conditions: null, acceptedNames: names, storedVersions: storedVersions(crd, {}) };
}

function prepareForUpdate(crd: KubeObject): void {
  const status = objectAt(asJson(crd), 'status') ?? {};
  asJson(crd)['status'] = { ...status, storedVersions: storedVersions(crd, status) };
}

function groupErrors(group: string): FieldError[] {
  if (group === '') return [requiredField('spec.group')];
  const problems = dns1123SubdomainProblems(group);
  if (problems.length > 0) return [invalidField('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [invalidField('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string): FieldError[] {
  if (scope === '') return [requiredField('spec.scope')];
  const scopes = ['Cluster', 'Namespaced'];
  return scopes.includes(scope) ? [] : [unsupportedField('spec.scope', scope, scopes)];
}

/** `preserveUnknownFields: true` contradicts defaults and conversion; that it may not be set at all is reported last. */
function preserveErrors(spec: JsonObject): FieldError[] {
  if (!isTrueAt(spec, 'preserveUnknownFields')) return [];
  const hasDefaults = objectsAt(spec, 'versions').some((version) =>
    someSchema(schemaOf(version) ?? {}, (node) => valueAt(node, 'default') !== undefined),
  );
  if (!hasDefaults) return [];
  return [invalidField('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')];
}

function conversionStrategyErrors(spec: JsonObject): FieldError[] {
  const strategy = textAt(objectAt(spec, 'conversion'), 'strategy');
  if (strategy === 'None' || !isTrueAt(spec, 'preserveUnknownFields')) return [];
  return [invalidField('spec.conversion.strategy', strategy, 'must be None if spec.preserveUnknownFields is true')];
}

function specErrors(spec: JsonObject, checksBundle: boolean): FieldError[] {
  const versions = objectsAt(spec, 'versions');
  const names = objectAt(spec, 'names');
  const patterns = new PatternBudget();
  return [
    ...groupErrors(textAt(spec, 'group')),
    ...scopeErrors(textAt(spec, 'scope')),
    ...versions.flatMap((version, index) => {
      const field = `spec.versions[${index}].schema.openAPIV3Schema`;
      return schemaOf(version) === undefined ? [requiredField(field, 'schemas are required')] : [];
    }),
    ...preserveErrors(spec),
    ...ownVersionErrors(versions, patterns),
    ...versionSetErrors(versions),
    ...missingNameErrors(names, 'spec.names'),
    ...namesErrors(names, 'spec.names'),
    ...sharedVersionErrors(versions, patterns),
    ...conversionStrategyErrors(spec),
    ...conversionErrors(spec, checksBundle),
  ];
}

function isEstablished(crd: KubeObject): boolean {
  const conditions = objectsAt(objectAt(asJson(crd), 'status'), 'conditions');
  return conditions.some((condition) => condition['type'] === 'Established' && condition['status'] === 'True');
}

/** Bad certificates are accepted until the definition is established, and where they were bad before. */
function checksBundle(old: KubeObject | undefined): boolean {
  if (old === undefined || !isEstablished(old)) return false;
  const bundle = textAt(objectAt(specOf(old), 'conversion', 'webhook', 'clientConfig'), 'caBundle');
  return bundle === '' || caBundleProblem(bundle) === undefined;
}

function changed(crd: KubeObject, old: KubeObject, path: readonly string[]): FieldError[] {
  const key = path.at(-1) ?? '';
  const at = (object: KubeObject): string => textAt(objectAt(asJson(object), ...path.slice(0, -1)), key);
  return at(crd) === at(old) ? [] : [invalidField(path.join('.'), at(crd), immutableText)];
}

function immutableErrors(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  if (old === undefined) return [];
  const fixed = isEstablished(old)
    ? [...changed(crd, old, ['spec', 'scope']), ...changed(crd, old, ['spec', 'names', 'kind'])]
    : [];
  return [...fixed, ...changed(crd, old, ['spec', 'group']), ...changed(crd, old, ['spec', 'names', 'plural'])];
}

/** Errors of the names in status. */
function statusErrors(crd: KubeObject): FieldError[] {
  return namesErrors(objectAt(asJson(crd), 'status', 'acceptedNames'), 'status.acceptedNames');
}

function storedVersionErrors(crd: KubeObject): FieldError[] {
  const field = 'status.storedVersions';
  const stored = listOfTexts(objectAt(asJson(crd), 'status'), 'storedVersions');
  if (stored.length === 0)
    return [invalidField(field, new PlainText('[]string(nil)'), 'must have at least one stored version')];
  const versions = objectsAt(specOf(crd), 'versions');
  const names = versions.map((version) => textAt(version, 'name'));
  const missing = versions.filter(
    (version) => isTrueAt(version, 'storage') && !stored.includes(textAt(version, 'name')),
  );
  return [
    ...missing.map((version) =>
      invalidField(field, stored, `must have the storage version ${textAt(version, 'name')}`),
    ),
    ...stored.flatMap((version, index) => {
      if (names.includes(version)) return [];
      const rule = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
      return [invalidField(`${field}[${index}]`, version, rule)];
    }),
  ];
}

function nameErrors(crd: KubeObject): FieldError[] {
  const { name = '' } = crd.metadata;
  const spec = specOf(crd);
  if (name === '' || name === `${textAt(objectAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`) return [];
  return [invalidField('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function allErrors(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = specOf(crd);
  const preserveRule =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  const preserves = isTrueAt(spec, 'preserveUnknownFields');
  return [
    ...(old === undefined ? nameErrors(crd) : []),
    ...specErrors(spec, checksBundle(old)),
    ...immutableErrors(crd, old),
    ...statusErrors(crd),
    ...storedVersionErrors(crd),
    ...approvalErrors(crd, old),
    ...(preserves ? [invalidField('spec.preserveUnknownFields', true, preserveRule)] : []),
  ];
}

/** Names and stored versions are never absent from a status. */
function prepareForStatusUpdate(crd: KubeObject): void {
  const status = ensureObject(asJson(crd), 'status');
  setDefaults(ensureObject(status, 'acceptedNames'), { kind: '', plural: '' });
  if (valueAt(status, 'conditions') === undefined) status['conditions'] = null;
  if (listOfTexts(status, 'storedVersions').length === 0) status['storedVersions'] = storedVersions(crd, {});
}

/** CustomResourceDefinitions: names, versions, schemas. What the server does of its own to their status is in `crd-status.ts`.
 *  @see docs/spec/kube-api-types.md#crd-object, docs/spec/kube-api-types.md#crd-validation-rules, docs/spec/kube-api-types.md#schema-rules */
export const crdRules: KindRules = {
  applyDefaults,
  prepareForCreate,
  prepareForUpdate,
  prepareForStatusUpdate,
  validate: (crd) => allErrors(crd, undefined),
  validateChange: (crd, old) => allErrors(crd, old),
  validateStatus: statusErrors,
  generationOf: ['spec'],
};
