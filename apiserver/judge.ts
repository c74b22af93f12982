import { isJsonObject, type JsonObject } from '../src/base/index.ts';
import type { FieldError } from '../src/schema/index.ts';
import { encodeBuiltIn } from './apply/index.ts';
import { asJson, copyJson, type KubeObject, type ResourceType } from './core/index.ts';
import { resourceTypesOfCrd } from './registry/crd/index.ts';
import { builtinResourceTypes, newObjectErrors } from './registry/index.ts';
import { decodeProblems, dropNulls, pruneUnknown, UnreadableObject } from './schema/index.ts';

/** What the server would say of a new object. */
export interface Judgement {
  /** Every violation, after defaulting; empty for kinds that are not known. */
  readonly errors: readonly FieldError[];
  /** Fields that the server does not know, and would drop. */
  readonly unknownFields: readonly string[];
}

/** The server's rules for objects without a server: nothing is stored, no plug-in is asked. */
export interface ObjectJudge {
  /** Judges an object as a CREATE would; the object stays as it is. */
  judge(object: JsonObject): Judgement;
  /** Makes the kinds of a CustomResourceDefinition known; false, and nothing changed, when the definition is refused. */
  define(definition: JsonObject): boolean;
}

const definitionKind = 'CustomResourceDefinition';

function unreadable(text: string): Judgement {
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

class Judge implements ObjectJudge {
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

  judge(object: JsonObject): Judgement {
    return this.#complete(object).judgement;
  }

  #complete(given: JsonObject): { readonly judgement: Judgement; readonly object: KubeObject } {
    const object = copyJson(given) as unknown as KubeObject;
    const type = this.#types.get(`${object.apiVersion} ${object.kind}`);
    if (type === undefined) return { object, judgement: { errors: [], unknownFields: [] } };
    if (!isJsonObject(given['metadata'])) object.metadata = {};
    try {
      const unknownFields = decode(type, object);
      type.strategy.applyDefaults(object);
      const complete = encodeBuiltIn(asJson(object), type.schema) as unknown as KubeObject;
      if (type.namespaced) complete.metadata.namespace ??= 'default';
      else delete complete.metadata.namespace;
      type.strategy.prepareForCreate(complete);
      return { object: complete, judgement: { errors: newObjectErrors(type, complete), unknownFields } };
    } catch (thrown) {
      if (!(thrown instanceof UnreadableObject)) throw thrown;
      return { object, judgement: unreadable(thrown.message) };
    }
  }

  define(definition: JsonObject): boolean {
    const { judgement, object } = this.#complete(definition);
    if (object.kind !== definitionKind || judgement.errors.length > 0) return false;
    this.#add(resourceTypesOfCrd(object));
    return true;
  }
}

/** A judge that knows the built-in kinds. */
export function createObjectJudge(): ObjectJudge {
  return new Judge();
}
