import type { JsonObject } from '../../src/base/index.ts';
import { type KubeObject, notFound, type ResourceType, StatusError } from '../core/index.ts';
import { storageName } from '../registry/index.ts';
import type { StoredEntry } from '../storage/index.ts';
import type { ResourceCall } from './api-parts.ts';
import { formatContinue, formatContinueFrom } from './continue-token.ts';
import type { Reply } from './exchange.ts';
import {
  checkListOptions,
  futureRevision,
  type ListPosition,
  parseListNumbers,
  parseListPosition,
  parseRevision,
  tooLargeVersion,
} from './list-options.ts';
import { listReply } from './list-output.ts';
import { negotiateOutput, type OutputForm, wantsPretty } from './negotiation.ts';
import { encodeObject, parseRowObject } from './object-output.ts';
import { type Page, type Snapshot, select, servedOf } from './page.ts';
import { parseSelectors, type Selection, selectionOf } from './selection.ts';

const waitForVersionMs = 3000;
const waitStepMs = 50;

const expiredContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, ' +
  'or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an ' +
  'inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** The form of the answer to a call. */
export function outputForm(call: ResourceCall, isList: boolean): OutputForm {
  return formOf(call, { isList, hasNoTable: false });
}

/** The form of the answer of a resource that is asked and not stored: there is no Table of it.
 *  @throws StatusError 406 */
export function virtualForm(call: ResourceCall): OutputForm {
  return formOf(call, { isList: false, hasNoTable: true });
}

function formOf(
  { exchange, type }: ResourceCall,
  offer: { readonly isList: boolean; readonly hasNoTable: boolean },
): OutputForm {
  const isPretty = wantsPretty(exchange.query, exchange.header('user-agent'));
  const form = negotiateOutput(exchange.header('accept'), { ...offer, isPretty, isCustom: type.isCustom });
  checkPartial(type, form, offer.isList);
  return form;
}

/** @throws StatusError 406 for the metadata of a list where there is one object, and the other way round */
function checkPartial(type: ResourceType, { as }: OutputForm, isList: boolean): void {
  if (as !== (isList ? 'PartialObjectMetadata' : 'PartialObjectMetadataList')) return;
  const [group = ''] = type.group.split('.', 1);
  const name = `*${group === '' ? 'core' : group}.${isList ? type.listKind : type.kind}`;
  const goType = type.isCustom ? `*unstructured.Unstructured${isList ? 'List' : ''}` : name;
  const message = `you requested ${as}, but the requested object is ${isList ? 'a list' : 'not a list'} (${goType})`;
  throw new StatusError({ code: 406, reason: 'NotAcceptable', message });
}

/** What `read` finds, once it is durable: it waits for the writes that are on their way, and not for those that come after them, of which there may be no
 *  end. Very many may wait for the same write: each has a turn then. What has been undone meanwhile is read again.
 *  @throws StatusError 504 */
export async function readDurable<T>({ exchange, parts: { store } }: ResourceCall, read: () => T): Promise<T> {
  for (;;) {
    const found = read();
    const settled = store.settled();
    if (settled === undefined) return found;
    const { undoneCount } = store;
    await settled;
    await exchange.beginTurn();
    if (store.undoneCount === undoneCount) return found;
  }
}

/** Waits a moment for a revision that is not there yet, as very many may do for the same one.
 *  @throws StatusError 504 */
export async function reachRevision(call: ResourceCall, requested: number): Promise<void> {
  const { store, clock } = call.parts;
  if (store.revision >= requested) return;
  for (let waited = 0; store.revision < requested; waited += waitStepMs) {
    if (waited >= waitForVersionMs) throw tooLargeVersion(requested, store.revision);
    await clock.sleep(waitStepMs, { signal: call.signal });
  }
  await call.exchange.beginTurn();
}

/** Waits for what a list may wait for.
 *  @throws StatusError 500, 504 */
async function reachPosition(call: ResourceCall, position: ListPosition): Promise<void> {
  if (position.exactRevision === undefined) return await reachRevision(call, position.minimumRevision);
  if (position.exactRevision > call.parts.store.revision) throw futureRevision();
}

/** Events are the one kind that kube-apiserver keeps no cache of. */
function isCached({ type }: ResourceCall): boolean {
  return type.kind !== 'Event';
}

/** The stored object that a call names, in the call's version.
 *  @throws StatusError 404 */
export function readObject(call: ResourceCall): KubeObject {
  return call.type.toServed(existing(call, findEntry(call)).object);
}

function findEntry({ type, request, parts }: ResourceCall): StoredEntry | undefined {
  return parts.store.get(type.storageKey, storageName(type, request.namespace, request.name));
}

function existing({ type, request }: ResourceCall, entry: StoredEntry | undefined): StoredEntry {
  if (entry === undefined) throw notFound(type, request.name);
  return entry;
}

/** The same once it is durable, and of any type, also one whose versions a webhook turns into each other.
 *  @throws StatusError 404, 500, 504 */
export async function durableObject(call: ResourceCall): Promise<KubeObject> {
  const { object } = existing(call, await readDurable(call, () => findEntry(call)));
  if (call.type.conversion !== undefined) await call.type.conversion.prepare([object], call.signal);
  return call.type.toServed(object);
}

export async function handleGet(call: ResourceCall): Promise<Reply> {
  const form = outputForm(call, false);
  const version = call.exchange.query.get('resourceVersion') ?? '';
  await reachRevision(call, parseRevision(version));
  const object = await durableObject(call);
  const table = { nowMs: call.parts.clock.now(), rowObject: parseRowObject(call.exchange.query) };
  return encodeObject({ code: 200, type: call.type, object }, form, table);
}

function expired(position: ListPosition): StatusError {
  if (position.startKey === '') {
    const message = 'The resourceVersion for the provided list is too old.';
    return new StatusError({ code: 410, reason: 'Expired', message });
  }
  const continueToken = formatContinueFrom(-1, position.startKey);
  return new StatusError({ code: 410, reason: 'Expired', message: expiredContinue, continueToken });
}

function candidates(call: ResourceCall, selection: Selection, position: ListPosition): StoredEntry[] {
  const { type, request, parts } = call;
  if (
    position.exactRevision === undefined &&
    selection.name !== undefined &&
    (request.namespace !== '' || !type.namespaced)
  ) {
    const entry = parts.store.get(type.storageKey, storageName(type, request.namespace, selection.name));
    return entry === undefined ? [] : [entry];
  }
  const revision = position.exactRevision ?? parts.store.revision;
  const entries = parts.store.listAt(type.storageKey, revision, request.namespace);
  if (entries === undefined) throw expired(position);
  return entries;
}

/** Index of the first entry whose key is not below `key`. */
function indexOfKey(all: readonly StoredEntry[], key: string): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((all[middle] as StoredEntry).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What the keys of a list begin with. Those of cluster-scoped objects have an empty namespace. */
function keyPrefix({ type, request }: ResourceCall): string {
  return type.namespaced && request.namespace === '' ? '' : `${request.namespace}/`;
}

function snapshotOf(call: ResourceCall, selection: Selection, position: ListPosition): Snapshot {
  const { startKey, limit } = position;
  const all = candidates(call, selection, position);
  return { all, start: startKey === '' ? 0 : indexOfKey(all, keyPrefix(call) + startKey), limit };
}

async function takePage(call: ResourceCall, selection: Selection, position: ListPosition): Promise<Page> {
  const { revision, snapshot } = await readDurable(call, () => ({
    revision: position.exactRevision ?? call.parts.store.revision,
    snapshot: snapshotOf(call, selection, position),
  }));
  const served = await servedOf(call, selection, snapshot);
  const { entries, next } = await select(snapshot, selection, { served, exchange: call.exchange });
  const last = entries.at(-1);
  const rest = snapshot.all.length - next;
  const hasMore = last !== undefined && rest > 0;
  const metadata: JsonObject = {
    // Lists of custom resources state explicitly that nothing remains.
    ...(call.type.isCustom ? { continue: '' } : {}),
    resourceVersion: String(revision),
    ...(hasMore ? { continue: formatContinue(revision, last.key.slice(keyPrefix(call).length)) } : {}),
    ...(hasMore && selection.isEverything ? { remainingItemCount: rest } : {}),
  };
  return { entries, served, metadata };
}

export async function handleList(call: ResourceCall): Promise<Reply> {
  const { query } = call.exchange;
  const form = outputForm(call, true);
  parseListNumbers(query);
  const selectors = parseSelectors(query);
  checkListOptions(query);
  const selection = selectionOf(call.type, call.request, selectors);
  const position = parseListPosition(query, isCached(call));
  await reachPosition(call, position);
  return await listReply(call, await takePage(call, selection, position), form);
}
