import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';

/** The key that distinguishes the items of a list; undefined for lists by position. */
function nameOf(item: JsonValue): JsonValue | undefined {
  return isJsonObject(item) ? (item['name'] ?? item['containerPort'] ?? item['port']) : undefined;
}

function partner(item: JsonValue, index: number, list: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(list)) return undefined;
  const name = nameOf(item);
  return name === undefined ? list[index] : list.find((other) => nameOf(other) === name);
}

function ofObject(after: JsonObject, before: JsonObject, manifest: JsonValue | undefined): JsonObject {
  const written = isJsonObject(manifest) ? manifest : {};
  const entries = Object.entries(after).map(([key, value]): [string, JsonValue | undefined] => {
    if (value === undefined) return [key, value];
    return [key, withoutDefaults(value, before[key], written[key])];
  });
  return Object.fromEntries(entries);
}

/** `after` as the server answered, but what is new in it as the manifest has it: defaults that the server adds, to a new container for example, are no change of
 *  the bundle. What is new and in no manifest stays: a webhook may have added it. */
export function withoutDefaults(
  after: JsonValue,
  before: JsonValue | undefined,
  manifest: JsonValue | undefined,
): JsonValue {
  if (before === undefined) return manifest ?? after;
  if (isJsonObject(after) && isJsonObject(before)) return ofObject(after, before, manifest);
  if (!Array.isArray(after) || !Array.isArray(before)) return after;
  return after.map((item, index) =>
    withoutDefaults(item, partner(item, index, before), partner(item, index, manifest)),
  );
}
