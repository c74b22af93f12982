import {
  isJsonEqual,
  isJsonObject,
  isTrueAt,
  type JsonObject,
  type JsonValue,
  objectAt,
  valueAt,
} from '../../../src/base/index.ts';
import { compileSchema, type FieldError, invalidField, type Schema, UntypedValue } from '../../../src/schema/index.ts';
import { pruneCustom } from '../../schema/index.ts';
import { compileEmbeddedWalk, embeddedObjectErrors, embeddedTypeError } from './embedded-objects.ts';

const embedded = 'x-kubernetes-embedded-resource';
const metadataNames = new Set(['metadata', 'kind', 'apiVersion']);

interface Place {
  readonly path: string;
  /** The steps from the object around, a name or `[]` for an item. */
  readonly steps: readonly string[];
  /** Within the kind, version or metadata of the object around. */
  readonly isInMetadata: boolean;
}

/** The object around a default, as far as one can be made up. */
function objectAround(value: JsonValue, steps: readonly string[]): JsonObject {
  const inner = steps.reduceRight<JsonValue>((part, step) => (step === '[]' ? [part] : { [step]: part }), value);
  return { apiVersion: 'validation/v1', kind: 'Validation', ...(isJsonObject(inner) ? inner : {}) };
}

function valueErrors(value: JsonValue, node: JsonObject, field: string): FieldError[] {
  return compileSchema(node as Schema, { isDefault: true }).validate(value, { root: field });
}

function metadataDefaultErrors(value: JsonValue, node: JsonObject, { path, steps }: Place): FieldError[] {
  const field = `${path}.default`;
  const object = objectAround(value, steps);
  const typeError = embeddedTypeError(object, '');
  const problems = (typeError === undefined ? embeddedObjectErrors(object, '') : [typeError]).map(
    (error) => `${error.field}: ${error.message}`,
  );
  if (problems.length === 0) return valueErrors(value, node, field);
  const list = problems.length === 1 ? problems.join('') : `[${problems.join(', ')}]`;
  return [invalidField(field, new UntypedValue(value), `must result in valid metadata: ${list}`)];
}

function ownErrors(value: JsonValue, node: JsonObject, path: string): FieldError[] {
  const field = `${path}.default`;
  const errors: FieldError[] = [];
  const pruned = structuredClone(value);
  pruneCustom(pruned, node as Schema, { isObject: isTrueAt(node, embedded) });
  if (!isJsonEqual(pruned, value)) {
    errors.push(invalidField(field, new UntypedValue(value), 'must not have unknown fields'));
  }
  const walk = compileEmbeddedWalk(node as Schema);
  const typeErrors: FieldError[] = [];
  const metadataErrors: FieldError[] = [];
  walk?.(value, field, (object, at) => {
    const error = embeddedTypeError(object, at);
    if (error !== undefined) typeErrors.push(error);
    metadataErrors.push(...embeddedObjectErrors(object, at));
  });
  if (typeErrors.length > 0) return [...errors, ...typeErrors.slice(0, 1)];
  return [...errors, ...(metadataErrors.length > 0 ? metadataErrors : valueErrors(value, node, field))];
}

function nodeErrors(node: JsonObject, place: Place): FieldError[] {
  const isObject = isTrueAt(node, embedded);
  const at = isObject ? { path: place.path, steps: [], isInMetadata: false } : place;
  const value = valueAt(node, 'default');
  const errors: FieldError[] = [];
  if (value !== undefined) {
    errors.push(...(at.isInMetadata ? metadataDefaultErrors(value, node, at) : ownErrors(value, node, at.path)));
  }
  const items = objectAt(node, 'items');
  if (items !== undefined)
    errors.push(...nodeErrors(items, { ...at, path: `${at.path}.items`, steps: [...at.steps, '[]'] }));
  for (const [name, property] of Object.entries(objectAt(node, 'properties') ?? {})) {
    if (!isJsonObject(property)) continue;
    const path = `${at.path}.properties[${name}]`;
    const isInMetadata = at.isInMetadata || (isObject && metadataNames.has(name));
    errors.push(...nodeErrors(property, { path, steps: [...at.steps, name], isInMetadata }));
  }
  return errors;
}

/** Errors of the defaults in a structural schema: each must be pruned, valid by its own schema, and leave valid metadata. Below
 *  `additionalProperties` kube-apiserver does not look. */
export function defaultErrors(root: JsonObject, path: string): FieldError[] {
  return nodeErrors({ ...root, [embedded]: true }, { path, steps: [], isInMetadata: false });
}
