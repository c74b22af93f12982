import { errorMessage, isJsonObject, type JsonValue, parseYaml } from '../../src/base/index.ts';
import { applyFields } from '../registry/field-tracking.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { checkIdentity } from '../registry/write-metadata.ts';
import type { ResourceCall } from './api-parts.ts';
import { type Reply, readBody } from './exchange.ts';
import { invalidOptions } from './list-options.ts';
import { mediaType, unsupportedMediaType } from './negotiation.ts';
import { ObjectPatch } from './object-patch.ts';
import type { PatchKind } from './patch-document.ts';
import { outputForm } from './read-handlers.ts';
import { isTrue } from './request-info.ts';
import { badRequest, conflict, type FieldError, notFound } from './status-error.ts';
import { targetOf, writeReply } from './write-handlers.ts';
import { readWriteOptions } from './write-options.ts';

const patchKinds: ReadonlyMap<string, PatchKind | 'apply'> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
] as const);

function acceptedTypes(type: ResourceType): string[] {
  return [...patchKinds.keys()].filter((name) => !type.isCustom || patchKinds.get(name) !== 'strategic');
}

async function patchObject(
  call: ResourceCall,
  kind: PatchKind,
): Promise<{ readonly isCreated: boolean; readonly object: KubeObject }> {
  const { context, validation } = readWriteOptions(call, 'PatchOptions');
  if (call.exchange.query.has('force')) {
    const message = 'Forbidden: may not be specified for non-apply patch';
    throw invalidOptions('PatchOptions', [{ field: 'force', reason: 'FieldValueForbidden', message }]);
  }
  const bytes = await readBody(call.exchange.request);
  const { type, exchange } = call;
  let patch: ObjectPatch | undefined;
  const build = (live: KubeObject | undefined): KubeObject => {
    if (live === undefined) throw notFound(type, call.request.name);
    patch ??= new ObjectPatch(bytes, kind, { type, validation, warn: (text) => exchange.warn(text) });
    return patch.apply(live);
  };
  const request = { target: targetOf(call), build, createsAbsent: false, isTracked: false, isPatch: true };
  return await call.parts.writer.update(request, context);
}

function applyOptionErrors(manager: string): FieldError[] {
  if (manager !== '') return [];
  const message = 'Required value: is required for apply patch';
  return [{ field: 'fieldManager', reason: 'FieldValueRequired', message }];
}

/** The body of an apply patch, checked against the URL.
 *  @throws StatusError 400 */
function parseApply(call: ResourceCall, bytes: Buffer): KubeObject {
  const { type, request } = call;
  let value: JsonValue;
  try {
    value = parseYaml('apply patch', bytes.toString('utf8'));
  } catch (thrown) {
    throw badRequest(`error decoding YAML: ${errorMessage(thrown)}`, thrown);
  }
  if (!isJsonObject(value)) throw badRequest('error decoding YAML: expected an object');
  const { apiVersion, kind } = value;
  if (kind !== type.kind) {
    const given = typeof apiVersion === 'string' ? apiVersion : '';
    const group = given.includes('/') ? given : `/${given}`;
    throw badRequest(`invalid object type: ${group}, Kind=${typeof kind === 'string' ? kind : ''}`);
  }
  if (!isJsonObject(value['metadata'])) value['metadata'] = {};
  const patch = value as unknown as KubeObject;
  // Messages show the patch as it came, without the namespace of the URL.
  const copy = { ...patch, metadata: { ...patch.metadata } };
  checkIdentity(copy, { type, namespace: request.namespace, name: request.name, subresource: undefined });
  return patch;
}

function checkAppliedVersion(call: ResourceCall, patch: KubeObject, live: KubeObject): void {
  const { resourceVersion } = patch.metadata;
  if (resourceVersion === undefined || resourceVersion === live.metadata.resourceVersion) return;
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  throw conflict(call.type, call.request.name, why);
}

/** Server-side apply: merges the body into what is there, or creates it. */
async function applyObject(call: ResourceCall): Promise<{ readonly isCreated: boolean; readonly object: KubeObject }> {
  const { context, manager } = readWriteOptions(call, 'PatchOptions');
  const errors = applyOptionErrors(manager);
  if (errors.length > 0) throw invalidOptions('PatchOptions', errors);
  const patch = parseApply(call, await readBody(call.exchange.request));
  const target = targetOf(call);
  const { type, subresource } = target;
  const force = isTrue(call.exchange.query.get('force'));
  const build = (live: KubeObject | undefined): KubeObject => {
    if (live !== undefined) checkAppliedVersion(call, patch, live);
    const applied = applyFields({ type, live, context, nowMs: call.parts.clock.now(), subresource }, patch, force);
    return structuredClone(applied);
  };
  const request = { target, build, createsAbsent: true, isTracked: true, isPatch: true };
  return await call.parts.writer.update(request, context);
}

export async function handlePatch(call: ResourceCall): Promise<Reply> {
  outputForm(call, false);
  const kind = patchKinds.get(mediaType(call.exchange.header('content-type')));
  if (kind === undefined || !acceptedTypes(call.type).includes(mediaType(call.exchange.header('content-type')))) {
    throw unsupportedMediaType(acceptedTypes(call.type));
  }
  const result = await (kind === 'apply' ? applyObject(call) : patchObject(call, kind));
  return writeReply(call, result.isCreated ? 201 : 200, result.object);
}
