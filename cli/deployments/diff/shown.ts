import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';

/** Fields that the server sets; they are no changes. */
const noise: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'uid',
  'creationTimestamp',
  'selfLink',
]);
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.flatMap(([key, item]) => (item === undefined ? [] : [[key, sorted(item)]])));
}

function withoutNoise(object: KubeObject): JsonObject {
  const { status: _status, metadata, ...content } = object;
  const left = Object.entries(metadata).filter(([key]) => !noise.has(key));
  return sorted({ ...content, metadata: Object.fromEntries(left) } as JsonValue) as JsonObject;
}

function isSecret(object: KubeObject | undefined): boolean {
  return object?.kind === 'Secret' && object.apiVersion === 'v1';
}

/** The same value gives the same mask, a changed one another. */
function mask(value: JsonValue | undefined, other: JsonValue | undefined, side: string): JsonObject {
  const values = isJsonObject(value) ? value : {};
  const others = isJsonObject(other) ? other : {};
  return Object.fromEntries(
    Object.keys(values).map((key) => {
      const isSame = !Object.hasOwn(others, key) || others[key] === values[key];
      return [key, isSame ? '***' : `*** (${side})`];
    }),
  );
}

function maskedSecret(object: JsonObject, other: JsonObject | undefined, side: string): JsonObject {
  const members = ['data', 'stringData'].filter((member) => isJsonObject(object[member]));
  const masked = members.map((member): [string, JsonObject] => [member, mask(object[member], other?.[member], side)]);
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : undefined;
  // kubectl keeps all values of a Secret in there once more.
  const copy =
    annotations?.[lastApplied] === undefined
      ? {}
      : { metadata: { ...metadata, annotations: { ...annotations, [lastApplied]: '***' } } };
  return { ...object, ...copy, ...Object.fromEntries(masked) };
}

/** Both states of an object as they may be shown: without what the server sets by itself, the values of Secrets masked. */
export function shownPair(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): { readonly before: JsonObject | undefined; readonly after: JsonObject | undefined } {
  const [from, to] = [before, after].map((object) => (object === undefined ? undefined : withoutNoise(object)));
  if (!isSecret(before ?? after)) return { before: from, after: to };
  return {
    before: from === undefined ? undefined : maskedSecret(from, to, 'before'),
    after: to === undefined ? undefined : maskedSecret(to, from, 'after'),
  };
}
