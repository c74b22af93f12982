import type { JsonObject } from '../../src/base/index.ts';
import { withZeroNulls } from '../apply/index.ts';
import { groupVersionOf, type KubeObject, type StatusError } from '../core/index.ts';
import { encodeWatchFrame } from '../protobuf/index.ts';
import type { EventForms, StoredEntry, StoreEvent } from '../storage/index.ts';
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
  readonly #version: string;
  /** What the form of an event depends on. */
  readonly #formKey: string;
  /** Whether events are still being brought into the version of the watch. */
  isBehind = false;
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
    const { syntax, as, metaVersion } = options.form;
    this.#version = groupVersionOf(call.type);
    this.#formKey = [this.#version, syntax, as, metaVersion, this.#rowObject].join(' ');
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

  /** `forms`: those that the other watches share which receive the event. */
  onEvent(event: StoreEvent, forms: EventForms): void {
    if (event.revision <= this.#revision) return;
    this.#revision = event.revision;
    if (!this.#isInside(event.entry)) return;
    if (this.#selection.isEverything) this.#sendShared(event, event.type, forms);
    else this.#sendSelected(event, forms);
  }

  /** What a change looks like through the selector: things come into it and leave it. */
  #sendSelected(event: StoreEvent, forms: EventForms): void {
    const isNow = event.type !== 'DELETED' && this.#selection.matches(this.#served(event.entry, forms));
    const before = event.previous === undefined ? undefined : this.#served(event.previous, forms);
    const last = before !== undefined && this.#selection.matches(before) ? before : undefined;
    if (isNow) this.#sendShared(event, last === undefined ? 'ADDED' : 'MODIFIED', forms);
    else if (last === undefined) return;
    else if (event.type === 'DELETED') this.#sendShared(event, 'DELETED', forms);
    else {
      const left = (): KubeObject => withVersion(last, event.revision);
      this.#writeShared('LEFT', forms, () => this.#encode('DELETED', this.#shape(left())));
    }
  }

  /** An object in the version of the watch. */
  #served(entry: StoredEntry, { objects }: EventForms): KubeObject {
    const { type } = this.#call;
    if (type.isStoredAsServed === true) return entry.object;
    const key = `${this.#version} ${entry.revision}`;
    const object = objects.get(key) ?? type.toServed(entry.object);
    objects.set(key, object);
    return object;
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

  #sendShared({ entry }: StoreEvent, type: EventType, forms: EventForms): void {
    const encode = (): string | Uint8Array =>
      this.#form.as === 'Object'
        ? this.#encodeEntry(type, entry)
        : this.#encode(type, this.#shape(this.#served(entry, forms)));
    this.#writeShared(type, forms, encode);
  }

  /** Writes bytes that are made once for all watches of the same form. */
  #writeShared(what: EventType | 'LEFT', { bytes }: EventForms, encode: () => string | Uint8Array): void {
    const key = `${what} ${this.#formKey} ${this.#hasSentColumns}`;
    const made = bytes.get(key) ?? Buffer.from(encode());
    bytes.set(key, made);
    this.#hasSentColumns = this.#form.as === 'Table';
    this.#write(made);
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
