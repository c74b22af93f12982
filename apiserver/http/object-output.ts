import { formatBoundedYaml, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { badRequest, type KubeObject, type ResourceType, type TableColumn } from '../core/index.ts';
import { encodeEnveloped, type MessageCodec, messageOfKind } from '../protobuf/index.ts';
import { jsonReply, type Reply } from './exchange.ts';
import { type OutputForm, protobufType } from './negotiation.ts';

/** What `includeObject` asks for in the rows of a Table. */
export type RowObject = 'Metadata' | 'Object' | 'None';

export interface TableOptions {
  readonly nowMs: number;
  readonly rowObject: RowObject;
}

/** @throws StatusError 400 for anything but Metadata, Object, None and nothing */
export function parseRowObject(query: URLSearchParams): RowObject {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'Metadata' || value === 'Object' || value === 'None') return value;
  const problem = `Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: includeObject: ${problem}`);
}

/** Kind, apiVersion and metadata alone. */
export function partialObject(object: KubeObject, metaVersion: string): JsonObject {
  const metadata = object.metadata as unknown as JsonObject;
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${metaVersion}`, metadata };
}

function rowConditions(object: KubeObject): JsonObject {
  const phase = (object['status'] as JsonObject | undefined)?.['phase'];
  if (object.kind !== 'Pod' || (phase !== 'Succeeded' && phase !== 'Failed')) return {};
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.';
  return { conditions: [{ type: 'Completed', status: 'True', reason: phase, message }] };
}

function shownObject(object: KubeObject, metaVersion: string, rowObject: RowObject): JsonValue {
  if (rowObject === 'None') return null;
  return rowObject === 'Object' ? (object as unknown as JsonObject) : partialObject(object, metaVersion);
}

/** For kinds without columns of their own. */
const plainColumns: readonly TableColumn[] = [
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'Name of the object, unique within its namespace.',
    priority: 0,
    cell: (object) => object.metadata.name ?? '',
  },
  {
    name: 'Created At',
    type: 'date',
    format: '',
    description: 'When the server created the object.',
    priority: 0,
    cell: (object) => object.metadata.creationTimestamp ?? null,
  },
];

function columnsOf(type: ResourceType): readonly TableColumn[] {
  return type.columns.length > 0 ? type.columns : plainColumns;
}

/** `columnDefinitions` of a Table of a type. */
export function tableColumns(type: ResourceType): JsonValue[] {
  return columnsOf(type).map(({ name, type: cellType, format, description, priority }) => {
    return { name, type: cellType, format, description, priority };
  });
}

/** Of the texts in a row: many columns may show the same large field. */
const maxRowCharacters = 4 * 1024 * 1024;

function* cellsOf(type: ResourceType, object: KubeObject, nowMs: number): Generator<JsonValue> {
  let left = maxRowCharacters;
  for (const column of columnsOf(type)) {
    const cell = left > 0 ? column.cell(object, nowMs) : null;
    yield typeof cell === 'string' ? cell.slice(0, left) : cell;
    if (typeof cell === 'string') left -= cell.length;
  }
}

/** The row of an object in the type's version. */
export function tableRow(
  type: ResourceType,
  object: KubeObject,
  options: TableOptions & { readonly metaVersion: string },
): JsonObject {
  return {
    cells: [...cellsOf(type, object, options.nowMs)],
    ...rowConditions(object),
    object: shownObject(object, options.metaVersion, options.rowObject),
  };
}

/** A `meta.k8s.io` Table of objects in the type's version. */
export function tableOf(
  type: ResourceType,
  objects: readonly KubeObject[],
  options: TableOptions & { readonly metaVersion: string; readonly metadata: JsonObject },
): JsonObject {
  const { metadata, metaVersion } = options;
  const rows = objects.map((object) => tableRow(type, object, options));
  const apiVersion = `meta.k8s.io/${metaVersion}`;
  return { kind: 'Table', apiVersion, metadata, columnDefinitions: tableColumns(type), rows };
}

/** The message of an object's kind.
 *  @throws Error for a kind that has none */
export function protobufCodec(object: JsonObject): MessageCodec {
  const [apiVersion, kind] = [object['apiVersion'], object['kind']].map((text) =>
    typeof text === 'string' ? text : '',
  );
  // Not all documents of discovery have a version.
  const codec = messageOfKind(apiVersion === undefined || apiVersion === '' ? 'v1' : apiVersion, kind ?? '');
  if (codec === undefined) throw new Error(`${kind} has no protobuf form`);
  return codec;
}

/** An object in its protobuf envelope.
 *  @throws Error for a kind that has no message */
export function encodeProtobuf(value: JsonValue): Buffer {
  const object = isJsonObject(value) ? value : {};
  const bytes = encodeEnveloped(protobufCodec(object), object);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** YAML has the members of objects by name. */
function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return Object.fromEntries(names.sort().map((name) => [name, sortKeys(value[name] ?? null)]));
}

/** A reply with any JSON value in the negotiated syntax. */
export function encodeValue(
  code: number,
  value: JsonValue,
  form: { readonly syntax: OutputForm['syntax']; readonly isPretty: boolean },
): Reply {
  if (form.syntax === 'protobuf') return { code, contentType: protobufType, body: encodeProtobuf(value) };
  if (form.syntax === 'yaml')
    return { code, contentType: 'application/yaml', body: formatBoundedYaml(sortKeys(value)) };
  return jsonReply(code, value, form.isPretty);
}

/** A reply with one object of a type in the negotiated form. */
export function encodeObject(
  reply: { readonly code: number; readonly type: ResourceType; readonly object: KubeObject },
  form: OutputForm,
  table: TableOptions,
): Reply {
  const { code, type, object } = reply;
  if (form.as === 'Table') {
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' };
    return encodeValue(code, tableOf(type, [object], { ...table, metaVersion: form.metaVersion, metadata }), form);
  }
  if (form.as === 'PartialObjectMetadata') return encodeValue(code, partialObject(object, form.metaVersion), form);
  return encodeValue(code, object as unknown as JsonObject, form);
}
