import { formatPrettyJson, type JsonObject, type JsonValue, jsonAsYaml } from '../../src/base/index.ts';
import { groupVersionOf, type ResourceType } from '../core/index.ts';
import { ListEncoder } from '../protobuf/index.ts';
import type { StoredEntry } from '../storage/index.ts';
import type { ResourceCall } from './api-parts.ts';
import type { Reply } from './exchange.ts';
import { type OutputForm, protobufType } from './negotiation.ts';
import { encodeValue, parseRowObject, partialObject, protobufCodec, tableColumns, tableRow } from './object-output.ts';
import type { Page, Served } from './page.ts';
import { wholeBody } from './reply-body.ts';

/** Of the objects of a list in block style. YAML takes twenty times as long to write as JSON, while nothing else is answered; clients ask for it by hand. */
const maxYamlCharacters = 512 * 1024;
/** Encoded items that are not made a second time. */
const keptBytes = 16 * 1024 * 1024;
/** Of a list that is sent as JSON while it is made. */
const maxGatheredBytes = 2 * 1024 * 1024;

/** A list without its items, and each of these. */
interface ListParts {
  readonly list: JsonObject;
  /** Where the items are. */
  readonly member: 'items' | 'rows';
  readonly entries: readonly StoredEntry[];
  readonly value: (entry: StoredEntry) => JsonObject;
  /** The same as JSON. */
  readonly text: (entry: StoredEntry) => string;
}

/** The part of an object's text that items of built-in lists do not have. */
function itemPrefix(type: ResourceType): string {
  return `{"kind":${JSON.stringify(type.kind)},"apiVersion":${JSON.stringify(groupVersionOf(type))},`;
}

/** The object itself, or its text where it is served as it is stored; that is not even parsed. */
function itemText(type: ResourceType, served: Served, entry: StoredEntry): string {
  if (type.isStoredAsServed === true) return entry.text;
  const object = served(entry);
  return object === entry.object ? entry.text : JSON.stringify(object);
}

function withoutType({ kind: _kind, apiVersion: _apiVersion, ...rest }: JsonObject): JsonObject {
  return rest;
}

function objectParts({ type }: ResourceCall, { entries, served, metadata }: Page): ListParts {
  const prefix = itemPrefix(type);
  const text = (entry: StoredEntry): string => {
    const own = itemText(type, served, entry);
    return !type.isCustom && own.startsWith(prefix) ? `{${own.slice(prefix.length)}` : own;
  };
  const value = (entry: StoredEntry): JsonObject => {
    // Parsed beside the store, which would forget what is used more often.
    const object = (type.isStoredAsServed === true ? JSON.parse(entry.text) : served(entry)) as JsonObject;
    return type.isCustom ? object : withoutType(object);
  };
  const list = { kind: type.listKind, apiVersion: groupVersionOf(type), metadata };
  return { list, member: 'items', entries, value, text };
}

function partialParts({ entries, served, metadata }: Page, { metaVersion }: OutputForm): ListParts {
  const value = (entry: StoredEntry): JsonObject => partialObject(served(entry), metaVersion);
  const list = { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${metaVersion}`, metadata };
  return { list, member: 'items', entries, value, text: (entry) => JSON.stringify(value(entry)) };
}

function tableParts(call: ResourceCall, { entries, served, metadata }: Page, { metaVersion }: OutputForm): ListParts {
  const { type, parts, exchange } = call;
  const options = { nowMs: parts.clock.now(), rowObject: parseRowObject(exchange.query), metaVersion };
  const value = (entry: StoredEntry): JsonObject => tableRow(type, served(entry), options);
  const list = {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata,
    columnDefinitions: tableColumns(type),
  };
  return { list, member: 'rows', entries, value, text: (entry) => JSON.stringify(value(entry)) };
}

function partsOf(call: ResourceCall, page: Page, form: OutputForm): ListParts {
  if (form.as === 'Table') return tableParts(call, page, form);
  return form.as === 'PartialObjectMetadataList' ? partialParts(page, form) : objectParts(call, page);
}

/** Counts what is sent as long as it is. */
function* held<T>(call: ResourceCall, entries: readonly StoredEntry[], pieces: Iterable<T>): Generator<T> {
  using _counted = call.parts.heldStates.begin(entries, () => call.exchange.response.destroy());
  yield* pieces;
}

function* jsonPieces({ list, member, entries, text }: ListParts): Generator<string> {
  const ending = ']}';
  yield JSON.stringify({ ...list, [member]: [] }).slice(0, -ending.length);
  let separator = '';
  for (const entry of entries) {
    yield separator + text(entry);
    separator = ',';
  }
  yield `${ending}\n`;
}

function* prettyPieces({ list, member, entries, value }: ListParts): Generator<string> {
  const ending = ']\n}';
  yield JSON.stringify({ ...list, [member]: [] }, undefined, 2).slice(0, -ending.length);
  let separator = '\n    ';
  for (const entry of entries) {
    yield separator + formatPrettyJson(value(entry)).replaceAll('\n', '\n    ');
    separator = ',\n    ';
  }
  yield `${entries.length === 0 ? '' : '\n  '}${ending}\n`;
}

/** The length of all items together comes before the first of them: they are encoded twice where there are many. */
async function protobufPieces(call: ResourceCall, { list, entries, value }: ListParts): Promise<Iterable<Uint8Array>> {
  const encoder = new ListEncoder(protobufCodec(list), list);
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const item = encoder.item(value(entry));
    if (bytes < keptBytes) kept.push(item);
    bytes += item.length;
    await call.exchange.nextTurn();
  }
  return (function* (): Generator<Uint8Array> {
    using held = call.parts.transfers.begin(() => call.exchange.response.destroy());
    held.grow(Math.min(bytes, keptBytes));
    yield encoder.head(bytes);
    for (const [index, entry] of entries.entries()) yield kept[index] ?? encoder.item(value(entry));
    yield encoder.tail();
  })();
}

function isShortYaml(entries: readonly StoredEntry[]): boolean {
  return entries.reduce((sum, { text }) => sum + text.length, 0) <= maxYamlCharacters;
}

function* yamlPieces(parts: ListParts): Generator<string> {
  for (const piece of jsonPieces(parts)) yield jsonAsYaml(piece);
}

/** What is in memory of a list before it is sent. */
function gatheredBytes(entries: readonly StoredEntry[], { syntax }: OutputForm): number {
  const most = syntax === 'protobuf' ? keptBytes : maxGatheredBytes;
  return Math.min(
    entries.reduce((sum, { text }) => sum + text.length, 0),
    most,
  );
}

/** The answer with a page in the negotiated form, made while it is sent: no list is in memory as a whole. Large ones are YAML in flow style. */
export async function listReply(call: ResourceCall, page: Page, form: OutputForm): Promise<Reply> {
  const { entries } = page;
  await call.exchange.haveRoom(gatheredBytes(entries, form));
  // Others that wait for room have it at the same time.
  await call.exchange.nextTurn();
  const parts = partsOf(call, page, form);
  if (form.syntax === 'yaml' && isShortYaml(entries)) {
    const whole = JSON.parse(wholeBody({ pieces: jsonPieces(parts) }).toString()) as JsonValue;
    return encodeValue(200, whole, form);
  }
  if (form.syntax === 'protobuf') {
    const pieces = held(call, entries, await protobufPieces(call, parts));
    return { code: 200, contentType: protobufType, body: { pieces } };
  }
  if (form.syntax === 'yaml') {
    return { code: 200, contentType: 'application/yaml', body: { pieces: held(call, entries, yamlPieces(parts)) } };
  }
  const pieces = held(call, entries, form.isPretty ? prettyPieces(parts) : jsonPieces(parts));
  return { code: 200, contentType: 'application/json', body: { pieces } };
}
