import { isValues, type Schema, type Value, type Values } from '../../../ui/schema/schema.ts';
import type { DescribedApi, Descriptor, Head } from '../manifest.ts';

const maxDescriptors = 200;
const maxDepth = 6;
const maxExampleLength = 500_000;
const prefix = 'urn:alm:descriptor:';
/** Names that are no fields. */
const isField = (part: string): boolean => /^[A-Za-z][\w-]{0,100}$/.test(part) && !(part in Object.prototype);

/** By the hints of a descriptor how a field is edited; the first that is known. */
const hints: readonly (readonly [RegExp, (found: RegExpExecArray) => Schema])[] = [
  [/^com\.tectonic\.ui:(?:number|podCount)$/, () => ({ type: 'integer' })],
  [/^com\.tectonic\.ui:(?:booleanSwitch|checkbox)$/, () => ({ type: 'boolean' })],
  [/^com\.tectonic\.ui:(?:text|password|label|endpointList)$/, () => ({ type: 'string' })],
];
const selectHint = /^com\.tectonic\.ui:select:(.+)$/;

function hinted({ 'x-descriptors': list = [] }: Descriptor): Schema | undefined {
  const words = list.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length));
  const choices = words.flatMap((word) => selectHint.exec(word)?.[1] ?? []);
  if (choices.length > 0) return { type: 'string', enum: choices };
  for (const [pattern, schema] of hints) {
    const found = words.map((word) => pattern.exec(word)).find((one) => one !== null);
    if (found) return schema(found);
  }
  return undefined;
}

/** The type of what an example has. */
function exampleSchema(value: Value, depth = 0): Schema {
  if (typeof value === 'string') return { type: 'string' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  if (Array.isArray(value)) {
    const items = exampleSchema(value[0], depth + 1);
    return depth < maxDepth && value.length > 0 ? { type: 'array', items } : {};
  }
  if (!isValues(value) || depth >= maxDepth) return {};
  const entries = Object.entries(value).filter(([key]) => isField(key));
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, one]) => [key, exampleSchema(one, depth + 1)])),
  };
}

function withTexts(schema: Schema, descriptor: Descriptor): Schema {
  const { displayName, description } = descriptor;
  return {
    ...schema,
    ...hinted(descriptor),
    ...(displayName === undefined ? {} : { title: displayName }),
    ...(description === undefined ? {} : { description }),
  };
}

function withDescriptor(schema: Schema, [key = '', ...rest]: readonly string[], descriptor: Descriptor): Schema {
  const before = schema.properties?.[key] ?? (rest.length === 0 ? { type: 'string' } : {});
  const after = rest.length === 0 ? withTexts(before, descriptor) : withDescriptor(before, rest, descriptor);
  return { type: 'object', ...schema, properties: { ...schema.properties, [key]: after } };
}

/** The example that a package has of a kind: `alm-examples`. */
export function exampleOf({ annotations = {} }: Head, { kind }: DescribedApi): Values | undefined {
  const text = annotations['alm-examples'] ?? '';
  if (text === '' || text.length > maxExampleLength) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    const objects = Array.isArray(list) ? list.filter((one: unknown) => isValues(one)) : [];
    return objects.find((one) => one['kind'] === kind);
  } catch {
    return undefined;
  }
}

/** What the definition decides about a field that it is the same in: all but its title, and where fields of an object are described, only those. */
function defined(described: Schema, definition: Schema, depth = 0): Schema {
  if (depth > maxDepth) return described;
  const { properties, items, ...rest } = definition;
  const title = described.title === undefined ? {} : { title: described.title };
  const description = described.description ?? rest.description;
  const own = { ...described, ...rest, ...title, ...(description === undefined ? {} : { description }) };
  if (isValues(rest.additionalProperties)) return { ...own, properties: {} };
  if (items !== undefined) return { ...own, items: defined(described.items ?? {}, items, depth + 1) };
  if (properties === undefined) return own;
  const names = Object.keys(described.properties ?? {}).length === 0 && depth === 0 ? Object.keys(properties) : [];
  const required = (rest.required ?? []).filter(isField);
  const shown = new Set([...Object.keys(described.properties ?? {}), ...required, ...names.filter(isField)]);
  const fields = [...shown].map((name) => {
    const [before = {}, after] = [described.properties?.[name], properties[name]];
    return [name, after === undefined ? before : defined(before, after, depth + 1)] as const;
  });
  return { ...own, properties: Object.fromEntries(fields) };
}

/** What the `spec` of an object can have: by its example, the descriptors of the package, and its definition in the cluster where that is known. */
export function specSchema(api: DescribedApi, example: Values | undefined, definition?: Schema): Schema {
  const first = exampleSchema(example?.['spec'] ?? {});
  const described = (api.specDescriptors ?? []).slice(0, maxDescriptors).reduce((schema, descriptor) => {
    const parts = descriptor.path.split('.');
    const isPlain = parts.length <= maxDepth && parts.every(isField);
    return isPlain ? withDescriptor(schema, parts, descriptor) : schema;
  }, first);
  return definition === undefined ? described : defined(described, definition);
}
