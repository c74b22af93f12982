import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { applyJsonPatch, applyMergePatch } from '../../patch/index.ts';
import { copyJson } from '../../registry/json-copy.ts';
import type { KubeObject } from '../../registry/kube-object.ts';
import type { ResourceType, ScalePaths } from '../../registry/resource-type.ts';
import type { ResourceCall } from '../api-parts.ts';
import { decodePlain, parseBody } from '../decode-body.ts';
import { type Reply, readBody } from '../exchange.ts';
import { mediaType, negotiateInput, type Syntax, unsupportedMediaType } from '../negotiation.ts';
import { encodeValue } from '../object-output.ts';
import { outputForm, readObject } from '../read-handlers.ts';
import { badRequest, internalError, invalid } from '../status-error.ts';
import { targetOf } from '../write-handlers.ts';
import { readWriteOptions } from '../write-options.ts';

const builtinPaths: ScalePaths = { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas' };

function pathsOf(type: ResourceType): ScalePaths {
  return type.subresources.find(({ name }) => name === 'scale')?.scale ?? builtinPaths;
}

function steps(path: string): string[] {
  return path.split('.').filter((step) => step !== '');
}

function valueAt(object: KubeObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object as unknown as JsonObject;
  for (const step of steps(path)) {
    value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

function setAt(object: KubeObject, path: string, value: JsonValue): void {
  const all = steps(path);
  const last = all.pop() ?? '';
  let parent = object as unknown as JsonObject;
  for (const step of all) {
    const next = Object.hasOwn(parent, step) ? parent[step] : undefined;
    const child = isJsonObject(next) ? next : {};
    parent[step] = child;
    parent = child;
  }
  parent[last] = value;
}

function expressionText(expression: JsonValue): string {
  if (!isJsonObject(expression)) return '';
  const { key, operator, values } = expression as { key?: string; operator?: string; values?: string[] };
  if (operator === 'Exists') return `${key}`;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator === 'NotIn' ? 'notin' : 'in'} (${(values ?? []).toSorted().join(',')})`;
}

/** A label selector as the text that `labelSelector` takes; plain maps and texts too. */
function selectorText(selector: JsonValue | undefined): string {
  if (typeof selector === 'string') return selector;
  if (!isJsonObject(selector)) return '';
  const isStructured = isJsonObject(selector['matchLabels']) || Array.isArray(selector['matchExpressions']);
  const labels = isStructured ? (selector['matchLabels'] ?? {}) : selector;
  const pairs = Object.entries(labels as Record<string, string>).map(([key, value]) => `${key}=${value}`);
  const expressions = Array.isArray(selector['matchExpressions']) ? selector['matchExpressions'] : [];
  return [...pairs.sort(), ...expressions.map(expressionText)].join(',');
}

/** Custom resources show a selector only where their definition says where it is. */
function scaleSelector(type: ResourceType, object: KubeObject): string {
  const path = pathsOf(type).labelSelector ?? (type.isCustom ? undefined : '.spec.selector');
  return path === undefined ? '' : selectorText(valueAt(object, path));
}

/** @throws StatusError 500 for a custom resource that says nothing of replicas */
function readScale(type: ResourceType, object: KubeObject): JsonObject {
  const { specReplicas } = pathsOf(type);
  if (type.isCustom && valueAt(object, specReplicas) === undefined) {
    throw internalError(`the spec replicas field ${JSON.stringify(specReplicas)} does not exist`);
  }
  return scaleOf(type, object);
}

function scaleOf(type: ResourceType, object: KubeObject): JsonObject {
  const paths = pathsOf(type);
  const replicas = valueAt(object, paths.specReplicas);
  const selector = scaleSelector(type, object);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp };
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: metadata as JsonObject,
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: Number(valueAt(object, paths.statusReplicas) ?? 0),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

/** kube-apiserver says this of whatever it cannot read as the scale of a custom resource. */
function unreadable(): Error {
  return badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:110"');
}

/** The replicas that a scale asks for. Of a custom resource they are judged with the object. */
function replicasOf(scale: JsonObject, { type, request }: ResourceCall): number {
  const spec = scale['spec'];
  const replicas = isJsonObject(spec) ? (spec['replicas'] ?? 0) : 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    if (type.isCustom) throw unreadable();
    const problem = `json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`;
    throw badRequest(`Scale in version "v1" cannot be handled as a Scale: ${problem}`);
  }
  if (replicas >= 0 || type.isCustom) return replicas;
  const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
  const kind = { group: 'autoscaling', kind: 'Scale' };
  throw invalid(kind, request.name, [{ field: 'spec.replicas', reason: 'FieldValueInvalid', message }]);
}

/** Writes the replicas of a scale made from the present one. */
async function writeScale(
  call: ResourceCall,
  change: (scale: JsonObject) => JsonObject,
  isPatch: boolean,
): Promise<Reply> {
  const form = outputForm(call, false);
  const { type } = call;
  const { context } = readWriteOptions(call, isPatch ? 'PatchOptions' : 'UpdateOptions');
  const build = (live: KubeObject | undefined): KubeObject => {
    const object = copyJson(live as KubeObject);
    const scale = change(scaleOf(type, object));
    setAt(object, pathsOf(type).specReplicas, replicasOf(scale, call));
    const { resourceVersion } = (scale['metadata'] ?? {}) as { readonly resourceVersion?: string };
    if (resourceVersion !== undefined && resourceVersion !== '') object.metadata.resourceVersion = resourceVersion;
    return object;
  };
  const request = { target: targetOf(call), build, createsAbsent: false, isTracked: false, isPatch: true };
  const { object } = await call.parts.writer.update(request, context);
  return encodeValue(200, scaleOf(type, object), form);
}

export async function getScale(call: ResourceCall): Promise<Reply> {
  const form = outputForm(call, false);
  await call.parts.store.settled();
  return encodeValue(200, readScale(call.type, readObject(call)), form);
}

function readCustomScale({ request }: ResourceCall, bytes: Buffer, syntax: Syntax): JsonObject {
  let scale: JsonObject;
  try {
    scale = decodePlain(bytes, 'Scale', syntax);
  } catch {
    throw unreadable();
  }
  const { name = '' } = (scale['metadata'] ?? {}) as { readonly name?: string };
  if (name === request.name) return scale;
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${request.name})`);
}

export async function updateScale(call: ResourceCall): Promise<Reply> {
  const { exchange } = call;
  const bytes = await readBody(exchange.request);
  const syntax = negotiateInput(exchange.header('content-type'));
  const scale = call.type.isCustom ? readCustomScale(call, bytes, syntax) : decodePlain(bytes, 'Scale', syntax);
  return await writeScale(call, () => scale, false);
}

export async function patchScale(call: ResourceCall): Promise<Reply> {
  const { exchange } = call;
  const type = mediaType(exchange.header('content-type'));
  const isJsonPatch = type === 'application/json-patch+json';
  if (!isJsonPatch && type !== 'application/merge-patch+json' && type !== 'application/strategic-merge-patch+json') {
    throw unsupportedMediaType(['application/json-patch+json', 'application/merge-patch+json']);
  }
  const patch = parseBody(await readBody(exchange.request), 'Scale', 'json').value;
  const apply = isJsonPatch ? applyJsonPatch : applyMergePatch;
  return await writeScale(call, (scale) => apply(scale, patch), true);
}
