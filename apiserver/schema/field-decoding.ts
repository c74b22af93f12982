import type { JsonObject } from '../../src/base/index.ts';
import { badRequest, type KubeObject, type ResourceType } from '../core/index.ts';
import { decodeProblems, dropNulls, UnreadableObject } from './decode.ts';
import { pruneUnknown } from './prune.ts';

/** Checks types against the schema, drops unknown fields from the object and gives their paths.
 *  @throws StatusError 400 for a value of the wrong type in a built-in kind or in metadata */
export function checkFields(type: ResourceType, object: KubeObject): string[] {
  const { schema, kind, version, isCustom } = type;
  if (schema !== undefined && !isCustom) {
    const [problem] = decodeProblems(object as unknown as JsonObject, schema, kind);
    const what = `${kind} in version "${version}" cannot be handled as a ${kind}`;
    if (problem !== undefined) throw badRequest(`${what}: ${problem}`);
  }
  try {
    return dropUnknownFields(type, object);
  } catch (thrown) {
    if (!(thrown instanceof UnreadableObject)) throw thrown;
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${thrown.message}`, thrown);
  }
}

/** Drops nulls and unknown fields from an object whose values are of the right types, and gives the paths of the unknown ones.
 *  @throws UnreadableObject for metadata of a custom resource of the wrong type */
export function dropUnknownFields({ schema, strategy }: ResourceType, object: KubeObject): string[] {
  if (strategy.decode !== undefined) return strategy.decode(object);
  if (schema === undefined) return [];
  const value = object as unknown as JsonObject;
  dropNulls(value, schema);
  return pruneUnknown(value, schema);
}
