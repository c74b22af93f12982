import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { storageName } from '../registry/write-context.ts';
import type { StoredEntry } from '../storage/index.ts';
import type { ResourceCall } from './api-parts.ts';
import type { Reply } from './exchange.ts';
import {
  formatContinue,
  type ListPosition,
  parseListPosition,
  parseRevision,
  tooLargeVersion,
} from './list-options.ts';
import { negotiateOutput, type OutputForm, wantsPretty } from './negotiation.ts';
import { encodeObject, encodeValue, listText, parseRowObject, partialObject, tableOf } from './object-output.ts';
import { parseSelection, type Selection } from './selection.ts';
import { notFound, StatusError } from './status-error.ts';

const waitForVersionMs = 3000;
const waitStepMs = 50;

const expiredContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, ' +
  'or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an ' +
  'inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** The form of the answer to a call. */
export function outputForm(call: ResourceCall, isList: boolean): OutputForm {
  const { exchange, type } = call;
  const isPretty = wantsPretty(exchange.query, exchange.header('user-agent'));
  const isWatchable = isList && type.verbs.includes('watch');
  return negotiateOutput(exchange.header('accept'), { isList, isPretty, isCustom: type.isCustom, isWatchable });
}

/** Waits a moment for a revision that is not there yet.
 *  @throws StatusError 504 */
async function reachRevision(call: ResourceCall, wanted: number): Promise<void> {
  const { store, clock } = call.parts;
  await store.settled();
  for (let waited = 0; store.revision < wanted; waited += waitStepMs) {
    if (waited >= waitForVersionMs) throw tooLargeVersion(wanted, store.revision);
    await clock.sleep(waitStepMs, { signal: call.signal });
  }
}

/** The stored object that a call names, in the call's version.
 *  @throws StatusError 404 */
export function readObject(call: ResourceCall): KubeObject {
  const { type, request, parts } = call;
  const entry = parts.store.get(type.storageKey, storageName(type, request.namespace, request.name));
  if (entry === undefined) throw notFound(type, request.name);
  return type.toServed(entry.object);
}

export async function handleGet(call: ResourceCall): Promise<Reply> {
  const form = outputForm(call, false);
  const version = call.exchange.query.get('resourceVersion') ?? '';
  await reachRevision(call, version === '' ? 0 : parseRevision(version));
  const object = readObject(call);
  const table = { nowMs: call.parts.clock.now(), rowObject: parseRowObject(call.exchange.query) };
  return encodeObject({ code: 200, type: call.type, object }, form, table);
}

interface Page {
  readonly entries: readonly StoredEntry[];
  readonly objects: readonly KubeObject[];
  readonly metadata: JsonObject;
}

function expired(position: ListPosition): StatusError {
  if (position.afterKey === undefined) {
    const message = 'The resourceVersion for the provided list is too old.';
    return new StatusError({ code: 410, reason: 'Expired', message });
  }
  const continueToken = formatContinue(-1, position.afterKey);
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

/** Entries from `start` on that are selected, at most `limit`, and the index where it stopped. */
function select(
  all: readonly StoredEntry[],
  wanted: {
    readonly start: number;
    readonly limit: number;
    readonly call: ResourceCall;
    readonly selection: Selection;
  },
): { readonly entries: StoredEntry[]; readonly objects: KubeObject[]; readonly next: number } {
  const { start, limit, call, selection } = wanted;
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  const entries: StoredEntry[] = [];
  const objects: KubeObject[] = [];
  let next = start;
  for (; next < all.length && entries.length < most; next += 1) {
    const entry = all[next] as StoredEntry;
    const object = call.type.toServed(entry.object);
    if (!selection.isEverything && !selection.matches(object)) continue;
    entries.push(entry);
    objects.push(object);
  }
  return { entries, objects, next };
}

function startIndex(all: readonly StoredEntry[], afterKey: string | undefined): number {
  if (afterKey === undefined) return 0;
  const index = all.findIndex((entry) => entry.key > afterKey);
  return index < 0 ? all.length : index;
}

function takePage(call: ResourceCall, selection: Selection, position: ListPosition): Page {
  const revision = position.exactRevision ?? call.parts.store.revision;
  const all = candidates(call, selection, position);
  const { afterKey, limit } = position;
  const { entries, objects, next } = select(all, { start: startIndex(all, afterKey), limit, call, selection });
  const last = entries.at(-1);
  const rest = all.length - next;
  const metadata: JsonObject = { resourceVersion: String(revision) };
  if (last !== undefined && rest > 0) {
    metadata['continue'] = formatContinue(revision, last.key);
    if (selection.isEverything) metadata['remainingItemCount'] = rest;
  }
  return { entries, objects, metadata };
}

function listReply(call: ResourceCall, page: Page, form: OutputForm): Reply {
  const { type, exchange, parts } = call;
  const { metadata, objects, entries } = page;
  if (form.as === 'Table') {
    const rowObject = parseRowObject(exchange.query);
    const options = { nowMs: parts.clock.now(), rowObject, metaVersion: form.metaVersion, metadata };
    return encodeValue(200, tableOf(type, objects, options), form);
  }
  if (form.as === 'PartialObjectMetadataList') {
    const items = objects.map((object) => partialObject(object, form.metaVersion));
    const apiVersion = `meta.k8s.io/${form.metaVersion}`;
    return encodeValue(200, { kind: 'PartialObjectMetadataList', apiVersion, metadata, items }, form);
  }
  const texts = objects.map((object, index) => {
    const entry = entries[index];
    return entry !== undefined && entry.object === object ? entry.text : JSON.stringify(object);
  });
  const body = listText(type, metadata, texts);
  if (form.syntax === 'json' && !form.isPretty) return { code: 200, contentType: 'application/json', body };
  return encodeValue(200, JSON.parse(body) as JsonObject, form);
}

export async function handleList(call: ResourceCall): Promise<Reply> {
  const form = outputForm(call, true);
  const { query } = call.exchange;
  const position = parseListPosition(query);
  const selection = parseSelection(call.type, call.request, query);
  await reachRevision(call, Math.max(position.minimumRevision, position.exactRevision ?? 0));
  return listReply(call, takePage(call, selection, position), form);
}
