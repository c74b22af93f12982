import type { JsonObject } from '../../src/base/index.ts';
import { withZeroNulls } from '../apply/index.ts';
import { groupVersionOf, type KubeObject, type StatusError } from '../core/index.ts';
import { encodeWatchFrame } from '../protobuf/index.ts';
import type { Encodings, StoredEntry, StoreEvent } from '../storage/index.ts';
import type { ResourceCall } from './api-parts.ts';
import type { OutputForm } from './negotiation.ts';
import { encodeProtobuf, parseRowObject, partialObject, type RowObject, tableOf } from './object-output.ts';
import type { Selection } from './selection.ts';
import type { CountedWatch } from './watch-limits.ts';

/** What may wait for a reader of events. */
const maxWaitingBytes = 8 * 1024 * 1024;

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

/** One open watch: turns store events into lines of its form and writes them. */
export class WatchStream {
  readonly #call: ResourceCall;
  readonly #form: OutputForm;
  readonly #counted: CountedWatch;
  readonly #rowObject: RowObject;
  readonly #selection: Selection;
  readonly #encodingKey: string;
  /** Events that are still being brought into the version of the watch. */
  pending = 0;
  #hasSentColumns = false;
  #revision = 0;
  #isFull = false;

  constructor(
    call: ResourceCall,
    options: { readonly form: OutputForm; readonly selection: Selection; readonly counted: CountedWatch },
  ) {
    this.#call = call;
    this.#form = options.form;
    this.#counted = options.counted;
    this.#selection = options.selection;
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
    if (!this.#isInside(entry)) return;
    const object = (): KubeObject => this.#call.type.toServed(entry.object);
    if (!this.#selection.isEverything && !this.#selection.matches(object())) return;
    if (this.#form.as === 'Object') this.#write(this.#encodeEntry('ADDED', entry));
    else this.#sendObject('ADDED', object());
  }

  /** `encodings`: where forms of the event are shared with the other watches that receive it now. */
  onEvent(event: StoreEvent, encodings: Encodings = new Map()): void {
    if (event.revision <= this.#revision) return;
    this.#revision = event.revision;
    if (!this.#isInside(event.entry)) return;
    if (this.#selection.isEverything) this.#sendShared(event, event.type, encodings);
    else this.#sendSelected(event, encodings);
  }

  /** What a change looks like through the selector: things come into it and leave it. */
  #sendSelected(event: StoreEvent, encodings: Encodings): void {
    const isNow = event.type !== 'DELETED' && this.#selection.matches(this.#call.type.toServed(event.entry.object));
    const before = event.previous === undefined ? undefined : this.#call.type.toServed(event.previous.object);
    const last = before !== undefined && this.#selection.matches(before) ? before : undefined;
    if (isNow) this.#sendShared(event, last === undefined ? 'ADDED' : 'MODIFIED', encodings);
    else if (last === undefined) return;
    else if (event.type === 'DELETED') this.#sendShared(event, 'DELETED', encodings);
    else this.#sendObject('DELETED', withVersion(last, event.revision));
  }

  sendBookmark(isInitialEnd: boolean): void {
    const { type } = this.#call;
    const annotations = isInitialEnd ? { annotations: this.#initialEndAnnotations() } : {};
    const hasTime = !type.isCustom || this.#form.as !== 'Object';
    const time = hasTime ? { creationTimestamp: null } : {};
    const metadata = { resourceVersion: String(this.#revision), ...time, ...annotations };
    const empty = withZeroNulls({ kind: type.kind, apiVersion: groupVersionOf(type) }, type.schema);
    this.#sendObject('BOOKMARK', { ...empty, metadata } as unknown as KubeObject);
  }

  sendError(error: StatusError): void {
    this.#write(this.#encode('ERROR', error.toStatus()));
  }

  /** What marks the end of the initial state: with it an empty list, for clients that make a list of the events. */
  #initialEndAnnotations(): Readonly<Record<string, string>> {
    const { type } = this.#call;
    const apiVersion = groupVersionOf(type);
    const isPartial = this.#form.as === 'PartialObjectMetadata';
    const typed = isPartial
      ? { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${this.#form.metaVersion}` }
      : { kind: type.listKind, apiVersion };
    const isUntyped = type.isCustom && !isPartial;
    const list = isUntyped ? { apiVersion, items: [], kind: type.listKind } : { ...typed, metadata: {}, items: null };
    const blueprint = Buffer.from(`${JSON.stringify(list)}\n`).toString('base64');
    return { 'k8s.io/initial-events-end': 'true', 'kubernetes.io/initial-events-list-blueprint': blueprint };
  }

  #isInside(entry: StoredEntry): boolean {
    const { namespace } = this.#call.request;
    return namespace === '' || entry.key.startsWith(`${namespace}/`);
  }

  /** Writes bytes that are made once for all watches of the same form. */
  #sendShared(event: StoreEvent, type: EventType, encodings: Encodings): void {
    if (this.#form.as !== 'Object') {
      this.#sendObject(type, this.#call.type.toServed(event.entry.object));
      return;
    }
    const key = type + this.#encodingKey;
    let bytes = encodings.get(key);
    if (bytes === undefined) {
      bytes = Buffer.from(this.#encodeEntry(type, event.entry));
      encodings.set(key, bytes);
    }
    this.#write(bytes);
  }

  #encodeEntry(type: EventType, entry: StoredEntry): string | Uint8Array {
    const served = this.#call.type;
    if (this.#form.syntax === 'json' && served.isStoredAsServed === true) return textEvent(type, entry);
    const stored = entry.object;
    const object = served.toServed(stored);
    if (this.#form.syntax === 'json' && object === stored) return textEvent(type, entry);
    return this.#encode(type, object as unknown as JsonObject);
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

  /** Resolves when the reader has taken what waits for it, or has left; undefined when nothing waits. */
  drained(): Promise<void> | undefined {
    const { response } = this.#call.exchange;
    if (!this.#isFull || response.destroyed) return undefined;
    return new Promise((resolve) => {
      const done = (): void => {
        response.off('drain', done);
        response.off('close', done);
        this.#isFull = false;
        resolve();
      };
      response.on('drain', done);
      response.on('close', done);
    });
  }

  #write(data: string | Uint8Array): void {
    const { response } = this.#call.exchange;
    if (response.writableEnded || response.destroyed) return;
    this.#isFull = !response.write(data);
    // A reader that cannot keep up starts again from a list; it must not cost the server its memory.
    const mayGoOn = this.#counted.setWaiting(this.#isFull ? response.writableLength : 0);
    if (this.#isFull && (response.writableLength > maxWaitingBytes || !mayGoOn)) response.destroy();
  }
}

function textEvent(type: EventType, entry: StoredEntry): string {
  return `{"type":"${type}","object":${entry.text}}\n`;
}

function withVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
