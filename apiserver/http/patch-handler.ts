import { assertHarmless, errorMessage, isJsonObject, type JsonValue } from '../../src/base/index.ts';
import type { FieldError } from '../../src/schema/index.ts';
import {
  badRequest,
  copyJson,
  groupVersionOf,
  inTurns,
  type KubeObject,
  notFound,
  type ResourceType,
  StatusError,
} from '../core/index.ts';
import { applyFields } from '../registry/index.ts';
import type { ResourceCall } from './api-parts.ts';
import { type Reply } from './exchange.ts';
import { mediaType, unsupportedMediaType } from './negotiation.ts';
import { ObjectPatch } from './object-patch.ts';
import type { PatchKind } from './patch-document.ts';
import { outputForm } from './read-handlers.ts';
import { isTrue } from './request-info.ts';
import { targetOf, writeReply } from './write-handlers.ts';
import { readWriteOptions } from './write-options.ts';
import { decodeYamlText, parseYamlBody } from './yaml-text.ts';

const patchKinds: ReadonlyMap<string, PatchKind | 'apply'> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
] as const);

function acceptedTypes(type: ResourceType): string[] {
  return [...patchKinds.keys()].filter((name) => !type.isCustom || patchKinds.get(name) !== 'strategic');
}

/** The options of a patch, checked for its kind.
 *  @throws StatusError 422 */
export function readPatchOptions(
  call: ResourceCall,
  kind: PatchKind | 'apply',
): ReturnType<typeof readWriteOptions> & { readonly force: boolean } {
  const options = readWriteOptions(call, 'PatchOptions', kindErrors(call, kind));
  return { ...options, force: isTrue(call.exchange.query.get('force')) };
}

function kindErrors({ exchange }: ResourceCall, kind: PatchKind | 'apply'): FieldError[] {
  const { query } = exchange;
  if (kind === 'apply') {
    if ((query.get('fieldManager') ?? '') !== '') return [];
    const message = 'Required value: is required for apply patch';
    return [{ field: 'fieldManager', reason: 'FieldValueRequired', message }];
  }
  if (!query.has('force')) return [];
  return [
    { field: 'force', reason: 'FieldValueForbidden', message: 'Forbidden: may not be specified for non-apply patch' },
  ];
}

async function patchObject(
  call: ResourceCall,
  kind: PatchKind,
): Promise<{ readonly isCreated: boolean; readonly object: KubeObject }> {
  const { context, validation } = readPatchOptions(call, kind);
  const bytes = await call.exchange.readBody();
  const { type, exchange } = call;
  let patch: ObjectPatch | undefined;
  const build = async (live: KubeObject | undefined): Promise<KubeObject> => {
    if (live === undefined) throw notFound(type, call.request.name);
    patch ??= new ObjectPatch(bytes, kind, { type, validation, warn: (text) => exchange.warn(text) });
    await exchange.nextTurn();
    const patched = patch.merge(live);
    await exchange.nextTurn();
    return patch.decode(patched);
  };
  const request = { target: targetOf(call), build, createsAbsent: false, isTracked: false, isPatch: true };
  return await call.parts.writer.update(request, context);
}

function noMap(value: JsonValue): StatusError {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const why = `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
  return badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
}

/** JSON as programs write it is read at once, all else as YAML. */
function parseApplied(text: string): JsonValue {
  if (text.trim() === '') return null;
  const value = text.startsWith('{') ? readCompactJson(text) : undefined;
  if (value === undefined) return parseYamlBody('apply patch', text);
  assertHarmless('apply patch', value);
  return value;
}

/** Undefined for JSON with spaces or keys that stand twice, and for what is none. */
function readCompactJson(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return JSON.stringify(value) === text.trimEnd() ? value : undefined;
  } catch {
    // The message comes from the YAML parser.
    return undefined;
  }
}

/** The body of an apply patch, of the URL's kind and version; nothing else about it is known.
 *  @throws StatusError 400 */
export function parseApply(type: ResourceType, bytes: Buffer): KubeObject {
  let value: JsonValue;
  try {
    value = parseApplied(decodeYamlText(bytes));
  } catch (thrown) {
    if (thrown instanceof StatusError) throw thrown;
    throw badRequest(`error decoding YAML: ${errorMessage(thrown)}`, thrown);
  }
  const patch = value ?? {};
  if (!isJsonObject(patch)) throw noMap(patch);
  const textOf = (member: JsonValue | undefined): string => (typeof member === 'string' ? member : '');
  const [apiVersion, kind] = [textOf(patch['apiVersion']), textOf(patch['kind'])];
  if (apiVersion !== groupVersionOf(type) || kind !== type.kind) {
    throw badRequest(`invalid object type: ${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`);
  }
  patch['metadata'] ??= {};
  return patch as unknown as KubeObject;
}

/** Server-side apply: merges the body into what is there, or creates it. */
async function applyObject(call: ResourceCall): Promise<{ readonly isCreated: boolean; readonly object: KubeObject }> {
  const { context, force } = readPatchOptions(call, 'apply');
  const patch = parseApply(call.type, await call.exchange.readBody());
  await call.exchange.nextTurn();
  const target = targetOf(call);
  const { type, subresource } = target;
  const build = async (live: KubeObject | undefined): Promise<KubeObject> => {
    const write = { type, live, context, nowMs: call.parts.clock.now(), subresource };
    return copyJson(await inTurns(applyFields(write, patch, force), context.takeTurn));
  };
  const request = { target, build, createsAbsent: true, isTracked: true, isPatch: true };
  return await call.parts.writer.update(request, context);
}

/** The kind of patch that a request sends.
 *  @throws StatusError 415 */
export function patchKindOf(call: ResourceCall): PatchKind | 'apply' {
  const given = mediaType(call.exchange.header('content-type'));
  const kind = patchKinds.get(given);
  if (kind !== undefined && acceptedTypes(call.type).includes(given)) return kind;
  throw unsupportedMediaType(acceptedTypes(call.type));
}

export async function handlePatch(call: ResourceCall): Promise<Reply> {
  outputForm(call, false);
  const kind = patchKindOf(call);
  const result = await (kind === 'apply' ? applyObject(call) : patchObject(call, kind));
  await call.exchange.nextTurn();
  return writeReply(call, result.isCreated ? 201 : 200, result.object);
}
