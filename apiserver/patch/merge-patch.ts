import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { badRequest } from '../core/index.ts';

function merge(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete merged[key];
    else merged[key] = merge(Object.hasOwn(merged, key) ? merged[key] : undefined, value);
  }
  return merged;
}

/** Applies a JSON merge patch (RFC 7396); unchanged parts of the result are shared with the document.
 *  @throws StatusError 400 when the patch is not an object */
export function applyMergePatch(document: JsonObject, patch: JsonValue): JsonObject {
  if (!isJsonObject(patch)) throw badRequest('Invalid JSON Patch');
  return merge(document, patch) as JsonObject;
}
