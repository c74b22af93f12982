import type { JsonObject } from '../../src/base/index.ts';
import { type KubeObject, StatusError } from '../core/index.ts';
import type { DeletionOptions, WriteContext, WriteResult } from '../registry/index.ts';
import type { ResourceCall } from './api-parts.ts';
import { readDeleteOptions } from './delete-options.ts';
import { type Reply } from './exchange.ts';
import { parseListNumbers } from './list-options.ts';
import { listReply } from './list-output.ts';
import { negotiateInput } from './negotiation.ts';
import { encodeValue } from './object-output.ts';
import { select, servedOf } from './page.ts';
import { outputForm } from './read-handlers.ts';
import { parseSelectors, selectionOf } from './selection.ts';
import { targetOf, writeReply } from './write-handlers.ts';
import { managerOfUserAgent } from './write-options.ts';

const jobWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set ' +
  'propagationPolicy=Orphan to suppress this warning';

async function readDeletion(call: ResourceCall): Promise<{ options: DeletionOptions; context: WriteContext }> {
  const { exchange, user, signal } = call;
  const bytes = await exchange.readBody();
  const syntax = bytes.length === 0 ? 'json' : negotiateInput(exchange.header('content-type'));
  const { options, dryRun, shown } = readDeleteOptions(bytes, syntax, exchange.query);
  const manager = managerOfUserAgent(exchange.header('user-agent'));
  const warn = (text: string): void => exchange.warn(text);
  return { options, context: { user, manager, dryRun, options: shown, warn, signal } };
}

/** The Success status of a deletion. */
function deletedStatus(call: ResourceCall, object: KubeObject): JsonObject {
  const { type } = call;
  const group = type.group === '' ? {} : { group: type.group };
  const details = { name: object.metadata.name ?? '', ...group, kind: type.plural, uid: object.metadata.uid ?? '' };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function deletionReply(call: ResourceCall, result: WriteResult, options: DeletionOptions): Reply {
  const { type } = call;
  if (!result.isDeleted) return writeReply(call, options.orphanDependents === false ? 202 : 200, result.object);
  if (type.strategy.answersDeleteWithObject) return writeReply(call, 200, result.object);
  return encodeValue(200, deletedStatus(call, result.object), outputForm(call, false));
}

export async function handleDelete(call: ResourceCall): Promise<Reply> {
  outputForm(call, false);
  const { options, context } = await readDeletion(call);
  const isUnsaid = options.propagationPolicy === undefined && options.orphanDependents === undefined;
  if (isUnsaid && call.type.storageKey === 'jobs.batch') call.exchange.warn(jobWarning);
  const result = await call.parts.writer.delete(targetOf(call), options, context);
  return deletionReply(call, result, options);
}

/** Deletes what a selector selects and answers with the list as it was. */
export async function handleDeleteCollection(call: ResourceCall): Promise<Reply> {
  const { type, request, parts, exchange } = call;
  const form = outputForm(call, true);
  const { options, context } = await readDeletion(call);
  const selection = selectionOf(type, request, parseSelectors(exchange.query));
  const all = parts.store.list(type.storageKey, request.namespace);
  const snapshot = { all, start: 0, limit: Math.max(0, parseListNumbers(exchange.query).limit) };
  const served = await servedOf(call, selection, snapshot);
  const { entries } = await select(snapshot, selection, { served, exchange });
  for (const entry of entries) {
    await exchange.nextTurn();
    const [namespace = '', name = ''] = entry.key.split('/');
    const target = { ...targetOf(call), namespace, name };
    try {
      await parts.writer.delete(target, options, { ...context, isCollection: true });
    } catch (thrown) {
      if (!(thrown instanceof StatusError) || thrown.failure.code !== 404) throw thrown;
    }
  }
  const metadata = { resourceVersion: String(parts.store.revision) };
  return await listReply(call, { entries, served, metadata }, form);
}
