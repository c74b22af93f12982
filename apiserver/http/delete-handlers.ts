import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import type { DeletionOptions } from '../registry/deletion.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import type { WriteContext, WriteResult } from '../registry/write-context.ts';
import type { ResourceCall } from './api-parts.ts';
import { decodePlain } from './decode-body.ts';
import { type Reply, readBody } from './exchange.ts';
import { invalidOptions } from './list-options.ts';
import { negotiateInput } from './negotiation.ts';
import { encodeValue, listText } from './object-output.ts';
import { outputForm } from './read-handlers.ts';
import { parseSelectors, selectionOf } from './selection.ts';
import { badRequest, type FieldError, StatusError } from './status-error.ts';
import { targetOf, writeReply } from './write-handlers.ts';
import { readWriteOptions } from './write-options.ts';

const policies = ['Foreground', 'Background', 'Orphan'];
const jobWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set ' +
  'propagationPolicy=Orphan to suppress this warning';

function checkPolicy(options: DeletionOptions): void {
  const errors: FieldError[] = [];
  const { propagationPolicy: policy, orphanDependents } = options;
  const field = 'propagationPolicy';
  if (policy !== undefined && orphanDependents !== undefined) {
    const message = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
    errors.push({ field, reason: 'FieldValueInvalid', message });
  } else if (policy !== undefined && !policies.includes(policy)) {
    const supported = 'supported values: "Foreground", "Background", "Orphan", "nil"';
    const message = `Unsupported value: ${JSON.stringify(policy)}: ${supported}`;
    errors.push({ field, reason: 'FieldValueNotSupported', message });
  }
  if (errors.length > 0) throw invalidOptions('DeleteOptions', errors);
}

function optionsOfBody(body: JsonObject): DeletionOptions & { dryRun: boolean } {
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions, dryRun } = body;
  const conditions = isJsonObject(preconditions) ? preconditions : {};
  const texts = Array.isArray(dryRun) ? dryRun.map(String) : [];
  if (texts.some((text) => text !== 'All')) {
    const list = texts.map((text) => JSON.stringify(text)).join(', ');
    const message = `Unsupported value: []string{${list}}: supported values: "All"`;
    throw invalidOptions('DeleteOptions', [{ field: 'dryRun', reason: 'FieldValueNotSupported', message }]);
  }
  return {
    propagationPolicy: typeof propagationPolicy === 'string' ? propagationPolicy : undefined,
    orphanDependents: typeof orphanDependents === 'boolean' ? orphanDependents : undefined,
    gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined,
    uid: typeof conditions['uid'] === 'string' ? conditions['uid'] : undefined,
    resourceVersion: typeof conditions['resourceVersion'] === 'string' ? conditions['resourceVersion'] : undefined,
    dryRun: texts.length > 0,
  };
}

function bodyOfQuery(query: URLSearchParams): JsonObject {
  const body: JsonObject = {};
  const policy = query.get('propagationPolicy');
  const grace = query.get('gracePeriodSeconds');
  const orphan = query.get('orphanDependents');
  if (policy !== null && policy !== '') body['propagationPolicy'] = policy;
  if (orphan !== null) body['orphanDependents'] = orphan !== 'false' && orphan !== '0';
  if (grace === null || grace === '') return body;
  if (!/^-?\d{1,15}$/.test(grace))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  return { ...body, gracePeriodSeconds: Number(grace) };
}

async function readDeletion(call: ResourceCall): Promise<{ options: DeletionOptions; context: WriteContext }> {
  const { exchange } = call;
  const bytes = await readBody(exchange.request);
  const { context } = readWriteOptions(call, 'DeleteOptions');
  const body =
    bytes.length === 0
      ? bodyOfQuery(exchange.query)
      : decodePlain(bytes, 'DeleteOptions', negotiateInput(exchange.header('content-type')));
  const { dryRun, ...options } = optionsOfBody(body);
  checkPolicy(options);
  const isDryRun = context.dryRun || dryRun;
  const shown = { ...body, ...context.options, ...(isDryRun ? { dryRun: ['All'] } : {}) };
  return { options, context: { ...context, dryRun: isDryRun, options: shown } };
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
  if (!result.isGone) return writeReply(call, options.orphanDependents === false ? 202 : 200, result.object);
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
  const entries = parts.store.list(type.storageKey, request.namespace);
  const chosen = entries.map((entry) => type.toServed(entry.object)).filter((object) => selection.matches(object));
  for (const object of chosen) {
    const target = { ...targetOf(call), namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' };
    try {
      await parts.writer.delete(target, options, context);
    } catch (thrown) {
      if (!(thrown instanceof StatusError) || thrown.failure.code !== 404) throw thrown;
    }
  }
  const metadata = { resourceVersion: String(parts.store.revision) };
  const text = listText(
    type,
    metadata,
    chosen.map((object) => JSON.stringify(object)),
  );
  return encodeValue(200, JSON.parse(text) as JsonObject, form);
}
