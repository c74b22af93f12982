import { StatusError } from '../core/index.ts';
import type { StoredEntry, StoreEvent } from '../storage/index.ts';
import type { ResourceCall } from './api-parts.ts';
import { parseListNumbers } from './list-options.ts';
import { checkRepresentations, negotiateOutput, protobufType } from './negotiation.ts';
import { parameter } from './query-values.ts';
import { reachRevision, readDurable } from './read-handlers.ts';
import { parseSelectors, selectionOf } from './selection.ts';
import { checkWatchOptions, parseWatchOptions, type WatchOptions } from './watch-options.ts';
import { WatchStream } from './watch-stream.ts';

const bookmarkMs = 60_000;
const lastBookmarkMs = 2000;

function tooOld(requested: number, oldest: number): StatusError {
  const message = `too old resource version: ${requested} (${oldest})`;
  return new StatusError({ code: 410, reason: 'Expired', message });
}

/** A version of another history: the server was started on an older copy of its data. It would not send what changes until it has reached that version. */
function notReached(requested: number, current: number): StatusError {
  const message = `Too large resource version: ${requested}, current: ${current}: that version is of another history, list again`;
  return new StatusError({ code: 410, reason: 'Expired', message });
}

async function prepareEntries({ type, signal }: ResourceCall, entries: readonly StoredEntry[]): Promise<void> {
  if (type.conversion === undefined) return;
  const objects = entries.map((entry) => entry.object);
  await type.conversion.prepare(objects, signal);
}

/** An event shows what the object is now, and what it was where a selector asks for that. */
async function prepareEvent({ type, parts, exchange, signal }: ResourceCall, event: StoreEvent): Promise<void> {
  if (type.conversion === undefined) return;
  const { entry, previous } = event;
  const states = previous === undefined ? [entry] : [previous, entry];
  using _held = parts.heldStates.begin(states, () => exchange.response.destroy());
  for (const { object } of states) await type.conversion.prepare([object], signal);
}

/** Whether there is an event after the revision of the stream.
 *  @throws StatusError 410 when it is forgotten */
function hasNext({ type, parts: { store } }: ResourceCall, { revision }: WatchStream): boolean {
  const oldest = store.oldestRevision(type.storageKey);
  if (revision < oldest) throw tooOld(revision, oldest);
  return store.eventAfter(type.storageKey, revision) !== undefined;
}

/** Sends that event, no faster than it is read. It is not held for a client that does not read, nor are those after it: they would stay in memory,
 *  however much is written meanwhile. */
async function sendNext(call: ResourceCall, stream: WatchStream): Promise<void> {
  await sendEvent(call, stream);
  await stream.drained();
  await call.exchange.nextTurn();
}

async function sendEvent(call: ResourceCall, stream: WatchStream): Promise<void> {
  const event = call.parts.store.eventAfter(call.type.storageKey, stream.revision);
  if (event === undefined) return;
  await prepareEvent(call, event);
  stream.onEvent(event, { bytes: new Map(), objects: new Map() });
}

/** Sends what has come while the webhook was asked about what came before; when it fails the watch ends. */
async function catchUp(call: ResourceCall, stream: WatchStream): Promise<void> {
  if (stream.isBehind) return;
  stream.isBehind = true;
  try {
    while (hasNext(call, stream)) await sendNext(call, stream);
    stream.isBehind = false;
  } catch (thrown) {
    if (thrown instanceof StatusError) stream.sendError(thrown);
    call.exchange.response.end();
  }
}

/** Where a webhook turns versions into each other, events wait for it, in their order. */
function subscribe(call: ResourceCall, stream: WatchStream): Disposable {
  const { type, parts } = call;
  return parts.store.subscribe(type.storageKey, (event, forms) => {
    if (type.conversion === undefined) stream.onEvent(event, forms);
    else void catchUp(call, stream);
  });
}

/** Sends all there is, no faster than it is read. */
async function sendState(call: ResourceCall, stream: WatchStream, options: WatchOptions): Promise<void> {
  const { store } = call.parts;
  await reachRevision(call, options.minimumRevision);
  const { revision, entries } = await readDurable(call, () => ({
    revision: store.revision,
    entries: store.list(call.type.storageKey, call.request.namespace),
  }));
  stream.revision = revision;
  using _held = call.parts.heldStates.begin(entries, () => call.exchange.response.destroy());
  await prepareEntries(call, entries);
  for (const entry of entries) {
    stream.sendInitial(entry);
    await stream.drained();
    // A selector may have all of them parsed and none sent.
    await call.exchange.nextTurn();
    if (call.exchange.response.destroyed) return;
  }
  if (options.marksInitialEnd) stream.sendBookmark(true);
}

/** Sends the events after the revision of the stream, no faster than they are read, and from then on every event. What the server forgets before it is
 *  read ends the watch.
 *  @throws StatusError 410 */
async function follow(call: ResourceCall, stream: WatchStream): Promise<Disposable> {
  const { store } = call.parts;
  if (stream.revision > store.revision) throw notReached(stream.revision, store.revision);
  while (hasNext(call, stream)) await sendNext(call, stream);
  // Nothing may happen between the last look and the subscription.
  return subscribe(call, stream);
}

function currentRevision(call: ResourceCall): Promise<number> {
  return readDurable(call, () => call.parts.store.revision);
}

/** Sends what a watch begins with and follows what comes; undefined when it cannot begin and has to end. What it begins with stays in memory until it is
 *  sent, so a client has as long to read it as it has for a list. */
async function begin(call: ResourceCall, stream: WatchStream, options: WatchOptions): Promise<Disposable | undefined> {
  const late = setTimeout(() => call.exchange.response.destroy(), call.parts.transfers.maxResponseMs);
  late.unref();
  try {
    if (options.start === 'state') await sendState(call, stream, options);
    else stream.revision = options.start === 'now' ? await currentRevision(call) : options.start;
    return await follow(call, stream);
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown;
    stream.sendError(thrown);
    return undefined;
  } finally {
    clearTimeout(late);
  }
}

interface Run {
  readonly stream: WatchStream;
  readonly options: WatchOptions;
  /** Ends the watch. */
  readonly end: () => void;
  /** Set when everything that the watch begins with is sent. */
  subscription: Disposable | undefined;
}

/** Arranges for bookmarks and for the end: by time, by the client, by the server, with the type. */
function arrange(call: ResourceCall, run: Run): Disposable {
  const { stream, options, end } = run;
  const { store, shutdown, types } = call.parts;
  const { group, version, plural } = call.type;
  const bookmark = (): void => {
    if (run.subscription === undefined) return;
    // Every event up to the store's revision has been delivered: they are published synchronously.
    if (store.settled() === undefined && !stream.isBehind) stream.revision = store.revision;
    stream.sendBookmark(false);
  };
  const timers = [setTimeout(end, options.timeoutMs)];
  if (options.hasBookmarks) {
    timers.push(setInterval(bookmark, bookmarkMs));
    timers.push(setTimeout(bookmark, Math.max(options.timeoutMs - lastBookmarkMs, options.timeoutMs / 2)));
  }
  call.exchange.response.on('close', end);
  shutdown.addEventListener('abort', end, { once: true });
  const changes = types.onChange(() => {
    // A changed definition is one of other objects, as far as its watchers can know.
    if (types.find(group, version, plural)?.toServed !== call.type.toServed) end();
  });
  return {
    [Symbol.dispose]: () => {
      for (const timer of timers) clearTimeout(timer);
      shutdown.removeEventListener('abort', end);
      changes[Symbol.dispose]();
      run.subscription?.[Symbol.dispose]();
    },
  };
}

async function run(call: ResourceCall, stream: WatchStream, options: WatchOptions): Promise<void> {
  const { exchange } = call;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let isOver = false;
  exchange.onInterrupt((error) => {
    if (error !== undefined) stream.sendError(error);
    end();
  });
  if (exchange.isInterrupted) return;
  const current: Run = { stream, options, end, subscription: undefined };
  using _arrangements = arrange(call, current);
  const begun = begin(call, stream, options).then((subscription) => {
    if (isOver || subscription === undefined) subscription?.[Symbol.dispose]();
    else current.subscription = subscription;
    if (subscription === undefined) end();
  });
  await Promise.race([ended, begun.then(() => ended)]);
  isOver = true;
}

/** Answers a watch: runs until its time is over, the client disconnects, the type is deleted, or the server stops. */
export async function handleWatch(call: ResourceCall): Promise<void> {
  const { exchange, parts, type, request } = call;
  const { query } = exchange;
  const accept = exchange.header('accept');
  const offer = { isList: false, isPretty: false, isStream: true, isCustom: type.isCustom };
  checkRepresentations(accept, offer);
  parseListNumbers(query);
  const selectors = parseSelectors(query);
  const marksInitialEnd = checkWatchOptions(query);
  const form = negotiateOutput(accept, { ...offer, hasNoTable: marksInitialEnd });
  const selection = selectionOf(type, request, selectors);
  const options = parseWatchOptions(query);
  const selectorLength = parameter(query, 'labelSelector').length + parameter(query, 'fieldSelector').length;
  // As kube-apiserver exempts them from its limits.
  const isExempt = call.user.groups.includes('system:masters');
  const { connection } = exchange;
  using counted = parts.watches.begin({ user: call.user.username, connection, selectorLength, isExempt });
  const stream = new WatchStream(call, { form, selection, counted });
  exchange.startStream({
    'content-type': form.syntax === 'protobuf' ? `${protobufType};stream=watch` : 'application/json',
  });
  await run(call, stream, options);
  if (!exchange.response.writableEnded) exchange.response.end();
}
