import { randomInt } from 'node:crypto';
import type { JsonObject } from '../../src/base/index.ts';
import { encodeWatchFrame } from '../protobuf/index.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { groupVersionOf } from '../registry/type-registry.ts';
import type { StoredEntry, StoreEvent } from '../storage/index.ts';
import type { ResourceCall } from './api-parts.ts';
import { checkWatchOptions, parseListNumbers, parseRevision, tooLargeVersion } from './list-options.ts';
import { negotiateOutput, type OutputForm, protobufType } from './negotiation.ts';
import { encodeProtobuf, parseRowObject, partialObject, type RowObject, tableOf } from './object-output.ts';
import { parameter } from './query-values.ts';
import { isTrue } from './request-info.ts';
import { parseSelectors, type Selection, selectionOf } from './selection.ts';
import { StatusError } from './status-error.ts';

const maxBufferedBytes = 16 * 1024 * 1024;
const bookmarkMs = 60_000;
const lastBookmarkMs = 2000;

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

/** One open watch: turns store events into lines of its form and writes them. */
class WatchStream {
  readonly #call: ResourceCall;
  readonly #form: OutputForm;
  readonly #rowObject: RowObject;
  readonly #selection: Selection;
  readonly #end: () => void;
  readonly #encodingKey: string;
  #hasSentColumns = false;
  #revision = 0;

  constructor(call: ResourceCall, options: { form: OutputForm; selection: Selection; end: () => void }) {
    this.#call = call;
    this.#form = options.form;
    this.#selection = options.selection;
    this.#end = options.end;
    this.#rowObject = parseRowObject(call.exchange.query);
    this.#encodingKey = `${options.form.syntax} ${groupVersionOf(call.type)}`;
  }

  get revision(): number {
    return this.#revision;
  }

  set revision(revision: number) {
    this.#revision = Math.max(this.#revision, revision);
  }

  /** An object as it is at the start of a watch. */
  sendInitial(entry: StoredEntry): void {
    const object = this.#call.type.toServed(entry.object);
    if (!this.#isInside(entry) || !this.#selection.matches(object)) return;
    const isPlain = this.#form.as === 'Object' && this.#form.syntax === 'json' && object === entry.object;
    if (isPlain) this.#write(`{"type":"ADDED","object":${entry.text}}\n`);
    else this.#sendObject('ADDED', object);
  }

  onEvent(event: StoreEvent): void {
    if (event.revision <= this.#revision) return;
    this.#revision = event.revision;
    if (!this.#isInside(event.entry)) return;
    const { type } = this.#call;
    const object = type.toServed(event.entry.object);
    if (this.#selection.isEverything) {
      this.#sendShared(event, event.type, object);
      return;
    }
    this.#sendSelected(event, object);
  }

  /** What a change looks like through the selector: things come into it and leave it. */
  #sendSelected(event: StoreEvent, object: KubeObject): void {
    const isNow = event.type !== 'DELETED' && this.#selection.matches(object);
    const before = event.previous === undefined ? undefined : this.#call.type.toServed(event.previous.object);
    const last = before !== undefined && this.#selection.matches(before) ? before : undefined;
    if (isNow) this.#sendShared(event, last === undefined ? 'ADDED' : 'MODIFIED', object);
    else if (last === undefined) return;
    else if (event.type === 'DELETED') this.#sendShared(event, 'DELETED', object);
    else this.#sendObject('DELETED', withVersion(last, event.revision));
  }

  sendBookmark(isInitialEnd: boolean): void {
    const { type } = this.#call;
    const annotations = isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const metadata = { resourceVersion: String(this.#revision), creationTimestamp: null, ...annotations };
    const object = { kind: type.kind, apiVersion: groupVersionOf(type), metadata } as unknown as KubeObject;
    this.#sendObject('BOOKMARK', object);
  }

  sendError(error: StatusError): void {
    this.#write(this.#encode('ERROR', error.toStatus()));
  }

  #isInside(entry: StoredEntry): boolean {
    const { namespace } = this.#call.request;
    return namespace === '' || entry.key.startsWith(`${namespace}/`);
  }

  /** Writes bytes that are made once for all watches of the same form. */
  #sendShared(event: StoreEvent, type: EventType, object: KubeObject): void {
    if (this.#form.as !== 'Object') {
      this.#sendObject(type, object);
      return;
    }
    const key = `${type} ${this.#encodingKey}`;
    let bytes = event.encoded.get(key);
    if (bytes === undefined) {
      bytes = this.#encodeShared(event, type, object);
      event.encoded.set(key, bytes);
    }
    this.#write(bytes);
  }

  #encodeShared(event: StoreEvent, type: EventType, object: KubeObject): Buffer {
    const isText = this.#form.syntax === 'json' && object === event.entry.object;
    if (isText) return Buffer.from(`{"type":"${type}","object":${event.entry.text}}\n`);
    return Buffer.from(this.#encode(type, object as unknown as JsonObject));
  }

  #sendObject(type: EventType, object: KubeObject): void {
    this.#write(this.#encode(type, this.#shape(object)));
  }

  #encode(type: EventType | 'ERROR', object: JsonObject): string | Uint8Array {
    if (this.#form.syntax === 'protobuf') return encodeWatchFrame(type, encodeProtobuf(object));
    return `{"type":"${type}","object":${JSON.stringify(object)}}\n`;
  }

  #shape(object: KubeObject): JsonObject {
    const { as, metaVersion } = this.#form;
    if (as === 'PartialObjectMetadata') return partialObject(object, metaVersion);
    if (as !== 'Table') return object as unknown as JsonObject;
    const options = {
      nowMs: this.#call.parts.clock.now(),
      rowObject: this.#rowObject,
      metaVersion,
      metadata: { resourceVersion: object.metadata.resourceVersion ?? '' },
    };
    const table = tableOf(this.#call.type, [object], options);
    if (this.#hasSentColumns) table['columnDefinitions'] = null;
    this.#hasSentColumns = true;
    return table;
  }

  #write(data: string | Uint8Array): void {
    const { response } = this.#call.exchange;
    if (response.writableEnded || response.destroyed) return;
    response.write(data);
    // A reader that cannot keep up starts again from a list; it must not cost the server its memory.
    if (response.writableLength > maxBufferedBytes) this.#end();
  }
}

function withVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

interface WatchOptions {
  readonly resourceVersion: number | undefined;
  readonly sendsInitialEvents: boolean;
  readonly hasBookmarks: boolean;
  readonly timeoutMs: number;
}

function parseWatchOptions(query: URLSearchParams): WatchOptions {
  const initial = query.get('sendInitialEvents');
  const revision = parseRevision(parameter(query, 'resourceVersion'));
  const seconds = parseListNumbers(query).timeoutSeconds;
  const isFromStart = revision === 0 && (initial === null || isTrue(initial));
  return {
    resourceVersion: isFromStart || isTrue(initial) ? undefined : revision,
    sendsInitialEvents: isTrue(initial),
    hasBookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutMs: (seconds > 0 ? seconds : randomInt(1800, 3600)) * 1000,
  };
}

function tooOld(wanted: number, oldest: number): StatusError {
  const message = `too old resource version: ${wanted} (${oldest})`;
  return new StatusError({ code: 410, reason: 'Expired', message });
}

/** Sends what a watch begins with; false when it cannot begin and has to end. */
function sendStart(call: ResourceCall, stream: WatchStream, options: WatchOptions): boolean {
  const { store } = call.parts;
  const { storageKey } = call.type;
  if (options.resourceVersion === undefined) {
    stream.revision = store.revision;
    for (const entry of store.list(storageKey, call.request.namespace)) stream.sendInitial(entry);
    if (options.sendsInitialEvents && options.hasBookmarks) stream.sendBookmark(true);
    return true;
  }
  stream.revision = options.resourceVersion;
  const events = store.eventsAfter(storageKey, options.resourceVersion);
  if (events === undefined) {
    stream.sendError(tooOld(options.resourceVersion, store.oldestRevision(storageKey)));
    return false;
  }
  for (const event of events) stream.onEvent(event);
  return true;
}

/** Answers a watch: runs until its time is over, the client leaves, or the server stops. */
export async function handleWatch(call: ResourceCall): Promise<void> {
  const { exchange, parts, type, request } = call;
  parseListNumbers(exchange.query);
  const selectors = parseSelectors(exchange.query);
  checkWatchOptions(exchange.query);
  const offer = { isList: false, isPretty: false, isStream: true, isCustom: type.isCustom, isWatchable: true };
  const form = negotiateOutput(exchange.header('accept'), offer);
  const selection = selectionOf(type, request, selectors);
  const options = parseWatchOptions(exchange.query);
  await parts.store.settled();
  if ((options.resourceVersion ?? 0) > parts.store.revision) {
    throw tooLargeVersion(options.resourceVersion ?? 0, parts.store.revision);
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = new WatchStream(call, { form, selection, end: resolve });
  exchange.startStream({
    'content-type': form.syntax === 'protobuf' ? `${protobufType};stream=watch` : 'application/json',
  });
  exchange.onInterrupt((error) => {
    if (error !== undefined) stream.sendError(error);
    resolve();
  });
  if (!exchange.isInterrupted && sendStart(call, stream, options)) {
    using _events = parts.store.subscribe(type.storageKey, (event) => stream.onEvent(event));
    await runUntilEnd(call, { stream, options, ended: promise, end: resolve });
  }
  if (!exchange.response.writableEnded) exchange.response.end();
}

async function runUntilEnd(
  call: ResourceCall,
  run: { stream: WatchStream; options: WatchOptions; ended: Promise<void>; end: () => void },
): Promise<void> {
  const { stream, options, ended, end } = run;
  const { store } = call.parts;
  const bookmark = (): void => {
    // Every event up to the store's revision has been delivered: they are published synchronously.
    if (store.settled() === undefined) stream.revision = store.revision;
    stream.sendBookmark(false);
  };
  const timers = [setTimeout(end, options.timeoutMs)];
  if (options.hasBookmarks) {
    timers.push(setInterval(bookmark, bookmarkMs));
    if (options.timeoutMs > lastBookmarkMs) timers.push(setTimeout(bookmark, options.timeoutMs - lastBookmarkMs));
  }
  call.exchange.response.on('close', end);
  call.parts.shutdown.addEventListener('abort', end, { once: true });
  await ended;
  for (const timer of timers) clearTimeout(timer);
  call.parts.shutdown.removeEventListener('abort', end);
}
