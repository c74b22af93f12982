import { countValues, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Schema } from '../../../src/schema/index.ts';

/** A place in the objects of a kind that takes as many values as its writer likes. */
export interface Place {
  /** `spec.template.spec.containers[].env` of a list, `metadata.labels{}` of a map. */
  readonly path: string;
  /** An object with that many values in this place, over what `object` has elsewhere. */
  fill(object: JsonObject, values: Values): JsonObject;
}

export interface Values {
  readonly count: number;
  /** Every field has a value; otherwise required and well-known ones alone. */
  readonly isFull: boolean;
  /** All values are equal; otherwise each one is different, as far as it can be. */
  readonly isRepeated: boolean;
}

const maxDepth = 9;
const itemDepth = 3;
/** Of several places together, below the limit of the server. */
const maxFields = 30_000;

type Sample = JsonValue | ((index: number) => JsonValue);

/** Values of fields by name, without which a validation would end before it costs much. */
const samples: Readonly<Record<string, Sample>> = {
  addressType: 'IPv4',
  apiGroups: ['a'],
  apiVersion: 'v1',
  cidr: '10.0.0.0/8',
  conditionType: (index) => `c${index}`,
  containerPort: (index) => index + 1,
  devicePath: (index) => `/d/${index}`,
  effect: 'NoExecute',
  image: 'registry.example/c:1',
  ip: (index) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  key: (index) => `k${index}`,
  kind: 'Pod',
  maxSkew: 1,
  mountPath: (index) => `/m/${index}`,
  name: (index) => `n${index}`,
  operator: 'Exists',
  path: (index) => `p/${index}`,
  pathType: 'Prefix',
  port: (index) => index + 1,
  protocol: 'TCP',
  resources: (index) => [`r${index}`],
  scopeName: 'BestEffort',
  serviceAccountName: (index) => `a-${index % 50}`,
  status: 'True',
  topologyKey: (index) => `k${index}`,
  uid: (index) => `u${index}`,
  verbs: ['get'],
  weight: 1,
  whenUnsatisfiable: 'DoNotSchedule',
};

function sampleText({ format, enum: choices }: Schema, index: number): JsonValue {
  if (choices !== undefined) return choices[index % choices.length] ?? '';
  return format === 'date-time' ? '2026-01-01T00:00:00Z' : `a-${index}`;
}

interface Item {
  readonly index: number;
  readonly isFull: boolean;
  readonly depth: number;
}

function sample(schema: Schema, item: Item): JsonValue {
  switch (schema.type) {
    case 'array':
      return item.depth > 0 && schema.items ? [sample(schema.items, { ...item, depth: item.depth - 1 })] : [];
    case 'integer':
    case 'number':
      return (schema.minimum ?? 1) + (item.index % 30_000);
    case 'boolean':
      return true;
    case 'object':
      return sampleObject(schema, item);
    default:
      return sampleText(schema, item.index);
  }
}

/** The well-known value of a field, where it has the type that the field has. */
function wellKnown(name: string, schema: Schema, index: number): JsonValue | undefined {
  const known = samples[name];
  const value = typeof known === 'function' ? known(index) : known;
  if (value === undefined || schema.enum?.includes(value) === false) return undefined;
  const type = Array.isArray(value) ? 'array' : typeof value === 'number' ? 'integer' : typeof value;
  return type === (schema.type ?? 'string') ? value : undefined;
}

function sampleObject({ properties = {}, required = [] }: Schema, item: Item): JsonObject {
  const { index, isFull, depth } = item;
  const made: Record<string, JsonValue> = {};
  for (const [name, of] of Object.entries(properties)) {
    const known = wellKnown(name, of, index);
    const hasValue = required.includes(name) || (isFull && depth > 0 && of.type !== 'object');
    if (known !== undefined) made[name] = known;
    else if (hasValue) made[name] = sample(of, { ...item, depth: depth - 1 });
  }
  return made;
}

/** The name of a field, or the schema of the items of a list, of which the first is meant. */
type Step = string | Schema;

function withValue(object: JsonValue | undefined, steps: readonly Step[], value: JsonValue): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (typeof step === 'string') {
    const former = isJsonObject(object) ? object : {};
    return { ...former, [step]: withValue(former[step], rest, value) };
  }
  const [first = sample(step, { index: 0, isFull: false, depth: itemDepth }), ...others] = Array.isArray(object)
    ? object
    : [];
  return [withValue(first, rest, value), ...others];
}

const isAmount = /(?:limits|requests|hard|capacity|max|min|default|Request)$/u;

function keyOf(name: string, index: number): string {
  return isAmount.test(name) ? `example.com/r${index}` : `k${index}`;
}

function placeAt(steps: readonly Step[], made: (values: Values) => JsonValue, mark: string): Place {
  const names = steps.map((step) => (typeof step === 'string' ? `.${step}` : '[]'));
  return {
    path: `${names.join('').slice(1)}${mark}`,
    fill: (object, values) => withValue(object, steps, made(values)) as JsonObject,
  };
}

function mapPlace(steps: readonly Step[], of: Schema): Place {
  const last = steps.at(-1);
  const name = typeof last === 'string' ? last : '';
  const value = of.type === 'object' ? {} : of.type === 'array' ? ['a'] : '1';
  const entries = (count: number): [string, JsonValue][] =>
    Array.from({ length: count }, (_, index) => [keyOf(name, index), value]);
  return placeAt(steps, ({ count }) => Object.fromEntries(entries(count)), '{}');
}

function listPlace(steps: readonly Step[], items: Schema): Place {
  const made = ({ count, isFull, isRepeated }: Values): JsonValue =>
    Array.from({ length: count }, (_, index) =>
      sample(items, { index: isRepeated ? 0 : index, isFull, depth: itemDepth }),
    );
  return placeAt(steps, made, '');
}

function* placesBelow(schema: Schema, steps: readonly Step[], seen: readonly string[]): Generator<Place> {
  const { definition = '', additionalProperties, properties = {} } = schema;
  if (steps.length > maxDepth || (definition !== '' && seen.includes(definition))) return;
  if (typeof additionalProperties === 'object') yield mapPlace(steps, additionalProperties);
  for (const [name, of] of Object.entries(properties)) {
    const inner = [...steps, name];
    if (of.type !== 'array' || of.items === undefined) yield* placesBelow(of, inner, [...seen, definition]);
    else {
      yield listPlace(inner, of.items);
      yield* placesBelow(of.items, [...inner, of.items], [...seen, definition]);
    }
  }
}

/** Every list and map of a schema, those of metadata included, without what the server writes there. */
export function placesOf(schema: Schema): readonly Place[] {
  return [...placesBelow(schema, [], [])].filter(({ path }) => !path.startsWith('metadata.managedFields'));
}

/** How many values have so many bytes, and no more fields and items than an object may have. */
export function countFor(place: Place, bytes: number, values: Omit<Values, 'count'>): number {
  const probed = 500;
  const text = JSON.stringify(place.fill({}, { ...values, count: probed }));
  const fields = countValues(text, text.length);
  return Math.max(1, Math.floor(probed * Math.min(bytes / text.length, maxFields / fields)));
}
