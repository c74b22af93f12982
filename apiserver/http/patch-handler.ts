import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from '../patch/index.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import type { ResourceCall } from './api-parts.ts';
import { type FieldValidation, parseBody } from './decode-body.ts';
import { type Reply, readBody } from './exchange.ts';
import { checkFields } from './field-decoding.ts';
import { invalidOptions } from './list-options.ts';
import { mediaType, unsupportedMediaType } from './negotiation.ts';
import { outputForm } from './read-handlers.ts';
import { badRequest, invalid, notFound } from './status-error.ts';
import { targetOf, writeReply } from './write-handlers.ts';
import { readWriteOptions } from './write-options.ts';

const patchKinds: ReadonlyMap<string, 'json' | 'merge' | 'strategic' | 'apply'> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
] as const);

type Patch = (live: JsonObject) => JsonObject;

function acceptedTypes(type: ResourceType): string[] {
  return [...patchKinds.keys()].filter((name) => !type.isCustom || patchKinds.get(name) !== 'strategic');
}

function patchOf(type: ResourceType, kind: 'json' | 'merge' | 'strategic', patch: JsonValue): Patch {
  switch (kind) {
    case 'json':
      return (live) => applyJsonPatch(live, patch);
    case 'merge':
      return (live) => applyMergePatch(live, patch);
    case 'strategic':
      return (live) => applyStrategicMergePatch(live, patch, type.schema);
  }
}

function parsePatch(bytes: Buffer): JsonValue {
  try {
    return parseBody(bytes, 'Patch', 'json').value;
  } catch (thrown) {
    throw badRequest('error decoding patch: the body is not valid JSON', thrown);
  }
}

/** Drops unknown fields from a patched object, as `fieldValidation` says. */
function decodePatched(call: ResourceCall, object: KubeObject, validation: FieldValidation): KubeObject {
  const findings = checkFields(call.type, object).map((path) => `unknown field ${JSON.stringify(path)}`);
  if (findings.length === 0 || validation === 'Ignore') return object;
  if (validation === 'Warn') {
    for (const finding of findings) call.exchange.warn(finding);
    return object;
  }
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(object))}: strict decoding error: ${findings.join(', ')}`;
  throw invalid({ group: '', kind: '' }, '', [{ field: 'patch', reason: 'FieldValueInvalid', message }]);
}

async function patchObject(
  call: ResourceCall,
  kind: 'json' | 'merge' | 'strategic',
): Promise<{ readonly isCreated: boolean; readonly object: KubeObject }> {
  const { context, validation } = readWriteOptions(call, 'PatchOptions');
  if (call.exchange.query.has('force')) {
    const message = 'Forbidden: may not be specified for non-apply patch';
    throw invalidOptions('PatchOptions', [{ field: 'force', reason: 'FieldValueForbidden', message }]);
  }
  const patch = patchOf(call.type, kind, parsePatch(await readBody(call.exchange.request)));
  const build = (live: KubeObject | undefined): KubeObject => {
    if (live === undefined) throw notFound(call.type, call.request.name);
    const patched = structuredClone(patch(live as unknown as JsonObject)) as unknown as KubeObject;
    return decodePatched(call, patched, validation);
  };
  const request = { target: targetOf(call), build, createsAbsent: false, isTracked: false, isPatch: true };
  return await call.parts.writer.update(request, context);
}

export async function handlePatch(call: ResourceCall): Promise<Reply> {
  outputForm(call, false);
  const kind = patchKinds.get(mediaType(call.exchange.header('content-type')));
  if (kind === undefined || !acceptedTypes(call.type).includes(mediaType(call.exchange.header('content-type')))) {
    throw unsupportedMediaType(acceptedTypes(call.type));
  }
  if (kind === 'apply') throw unsupportedMediaType(acceptedTypes(call.type));
  const result = await patchObject(call, kind);
  return writeReply(call, result.isCreated ? 201 : 200, result.object);
}
