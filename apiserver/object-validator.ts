import { isJsonObject, type JsonObject } from '../src/base/index.ts';
import type { FieldError } from '../src/schema/index.ts';
import { encodeBuiltIn } from './apply/index.ts';
import { asJson, copyJson, type KubeObject, type ResourceType } from './core/index.ts';
import { resourceTypesOfCrd } from './registry/crd/index.ts';
import { builtinResourceTypes, newObjectErrors } from './registry/index.ts';
import { decodeProblems, dropNulls, pruneUnknown, UnreadableObject } from './schema/index.ts';

/** How the server would validate a new object. */
export interface ValidationResult {
  /** Every violation, after defaulting; empty for kinds that are not known. */
  readonly errors: readonly FieldError[];
  /** Fields that the server does not know, and would drop. */
  readonly unknownFields: readonly string[];
}

/** The server's rules for objects without a server: nothing is stored, no plug-in is asked. */
export interface ObjectValidator {
  /** Validates an object as a CREATE would; does not change it. */
  validate(object: JsonObject): ValidationResult;
  /** Makes the kinds of a CustomResourceDefinition known; false, and nothing changed, when the definition is refused. */
  define(definition: JsonObject): boolean;
}

const definitionKind = 'CustomResourceDefinition';

function unreadable(text: string): ValidationResult {
  return { errors: [{ field: '', reason: 'FieldValueTypeInvalid', message: text }], unknownFields: [] };
}

function decode(type: ResourceType, object: KubeObject): readonly string[] {
  if (type.strategy.decode !== undefined) return type.strategy.decode(object);
  if (type.schema === undefined) return [];
  const [problem] = decodeProblems(asJson(object), type.schema, type.kind);
  if (problem !== undefined) throw new UnreadableObject(problem);
  const unknown = pruneUnknown(asJson(object), type.schema);
  dropNulls(asJson(object), type.schema);
  return unknown;
}

class Validator implements ObjectValidator {
  readonly #types = new Map<string, ResourceType>();

  constructor() {
    this.#add(builtinResourceTypes());
  }

  #add(types: readonly ResourceType[]): void {
    for (const type of types) {
      const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
      this.#types.set(`${apiVersion} ${type.kind}`, type);
    }
  }

  validate(object: JsonObject): ValidationResult {
    return this.#complete(object).result;
  }

  #complete(given: JsonObject): { readonly result: ValidationResult; readonly object: KubeObject } {
    const object = copyJson(given) as unknown as KubeObject;
    const type = this.#types.get(`${object.apiVersion} ${object.kind}`);
    if (type === undefined) return { object, result: { errors: [], unknownFields: [] } };
    if (!isJsonObject(given['metadata'])) object.metadata = {};
    try {
      const unknownFields = decode(type, object);
      type.strategy.applyDefaults(object);
      const complete = encodeBuiltIn(asJson(object), type.schema) as unknown as KubeObject;
      if (type.namespaced) complete.metadata.namespace ??= 'default';
      else delete complete.metadata.namespace;
      type.strategy.prepareForCreate(complete);
      return { object: complete, result: { errors: newObjectErrors(type, complete), unknownFields } };
    } catch (thrown) {
      if (!(thrown instanceof UnreadableObject)) throw thrown;
      return { object, result: unreadable(thrown.message) };
    }
  }

  define(definition: JsonObject): boolean {
    const { result, object } = this.#complete(definition);
    if (object.kind !== definitionKind || result.errors.length > 0) return false;
    this.#add(resourceTypesOfCrd(object));
    return true;
  }
}

/** A validator that knows the built-in kinds. */
export function createObjectValidator(): ObjectValidator {
  return new Validator();
}
