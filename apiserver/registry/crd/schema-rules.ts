import { isJsonObject, isTrueAt, type JsonObject, textAt } from '../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidField,
  type PatternBudget,
  PlainText,
  patternSizeErrors,
} from '../../../src/schema/index.ts';
import { validationRuleErrors } from '../../cel/index.ts';
import { defaultErrors } from './default-rules.ts';
import { keywordErrors } from './keyword-rules.ts';
import { structuralErrors, structureProblem } from './structural.ts';

/** A schema of a CustomResourceDefinition and what its rules depend on. */
export interface SchemaFacts {
  /** Of the schema: `spec.validation.openAPIV3Schema`. */
  readonly path: string;
  readonly hasStatus: boolean;
  /** Of the whole definition. */
  readonly patterns: PatternBudget;
}

/** Keywords in the order and with the names of Go's struct; those with `true` may stand at a root that has a status apart. */
const rootKeywords: readonly (readonly [keyword: string, name: string, mayStand: boolean])[] = [
  ['id', 'ID', false],
  ['$schema', 'Schema', false],
  ['$ref', 'Ref', false],
  ['description', 'Description', true],
  ['type', 'Type', true],
  ['nullable', 'Nullable', false],
  ['format', 'Format', true],
  ['title', 'Title', true],
  ['default', 'Default', false],
  ['maximum', 'Maximum', true],
  ['exclusiveMaximum', 'ExclusiveMaximum', true],
  ['minimum', 'Minimum', true],
  ['exclusiveMinimum', 'ExclusiveMinimum', true],
  ['maxLength', 'MaxLength', true],
  ['minLength', 'MinLength', true],
  ['pattern', 'Pattern', true],
  ['maxItems', 'MaxItems', true],
  ['minItems', 'MinItems', true],
  ['uniqueItems', 'UniqueItems', true],
  ['multipleOf', 'MultipleOf', true],
  ['enum', 'Enum', false],
  ['maxProperties', 'MaxProperties', false],
  ['minProperties', 'MinProperties', false],
  ['required', 'Required', true],
  ['items', 'Items', true],
  ['allOf', 'AllOf', false],
  ['oneOf', 'OneOf', false],
  ['anyOf', 'AnyOf', false],
  ['not', 'Not', false],
  ['properties', 'Properties', true],
  ['additionalProperties', 'AdditionalProperties', false],
  ['patternProperties', 'PatternProperties', false],
  ['dependencies', 'Dependencies', false],
  ['additionalItems', 'AdditionalItems', false],
  ['definitions', 'Definitions', false],
  ['externalDocs', 'ExternalDocs', true],
  ['example', 'Example', true],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields', true],
  ['x-kubernetes-embedded-resource', 'XEmbeddedResource', false],
  ['x-kubernetes-int-or-string', 'XIntOrString', false],
  ['x-kubernetes-list-map-keys', 'XListMapKeys', false],
  ['x-kubernetes-list-type', 'XListType', false],
  ['x-kubernetes-map-type', 'XMapType', false],
  ['x-kubernetes-validations', 'XValidations', true],
];

/** With a status subresource the root may only have keys that apply to its parts as well. The first offence is reported. */
function statusErrors(root: JsonObject, path: string): FieldError[] {
  const allowed = rootKeywords.filter(([, , mayStand]) => mayStand).map(([, name]) => name);
  for (const [keyword, , mayStand] of rootKeywords) {
    if (!Object.hasOwn(root, keyword)) continue;
    if (keyword === 'type' && root['type'] !== 'object') {
      const rule =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalidField(`${path}.type`, textAt(root, 'type'), rule)];
    }
    if (mayStand) continue;
    const rule = `only [${allowed.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalidField(path, new PlainText('apiextensions.JSONSchemaProps{}'), rule)];
  }
  return [];
}

/** All errors of a settled schema (see `settleSchema`), in the order of kube-apiserver.
 *  @see docs/spec/kube-api-types.md#schema-rules */
export function schemaErrors(root: JsonObject, { path, hasStatus, patterns }: SchemaFacts): FieldError[] {
  const tooLarge = patternSizeErrors(root, path, patterns);
  if (tooLarge.length > 0) return tooLarge;
  const errors = hasStatus ? statusErrors(root, path) : [];
  if (isTrueAt(root, 'nullable'))
    errors.push(forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root'));
  const problem = structureProblem(root);
  if (problem === undefined) {
    const structural = structuralErrors(root, path);
    errors.push(...(structural.length > 0 ? structural : defaultErrors(root, path)));
  }
  errors.push(...keywordErrors(root, path));
  if (errors.length > 0) return errors;
  return problem === undefined ? validationRuleErrors(root, path, patterns) : [invalidField(path, '', problem)];
}

/** The schema at `schema.openAPIV3Schema` of a version. */
export function schemaOf(version: JsonObject): JsonObject | undefined {
  const { schema } = version;
  const root = isJsonObject(schema) ? schema['openAPIV3Schema'] : undefined;
  return isJsonObject(root) ? root : undefined;
}
