import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import {
  atOnce,
  badRequest,
  conflict,
  copyJson,
  groupVersionOf,
  internalError,
  invalid,
  type KubeObject,
  notFound,
  type ResourceType,
  type ScalePaths,
} from '../../core/index.ts';
import {
  type AdmittedForm,
  applyFields,
  checkIdentity,
  parentManagedFields,
  type ReplicasField,
  scaleManagedFields,
  type TrackedWrite,
  trackFields,
  type WriteContext,
} from '../../registry/index.ts';
import { loadBuiltinSchemas } from '../../schema/index.ts';
import type { ResourceCall } from '../api-parts.ts';
import { decodeObject, type FieldValidation } from '../decode-body.ts';
import { type Reply } from '../exchange.ts';
import { negotiateInput } from '../negotiation.ts';
import { encodeValue } from '../object-output.ts';
import { ObjectPatch } from '../object-patch.ts';
import { parseApply, patchKindOf, readPatchOptions } from '../patch-handler.ts';
import { durableObject, outputForm } from '../read-handlers.ts';
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

/** Custom resources show a selector only where their definition has a path for it. */
function scaleSelector(type: ResourceType, object: KubeObject): string {
  const path = pathsOf(type).labelSelector ?? (type.isCustom ? undefined : '.spec.selector');
  return path === undefined ? '' : selectorText(valueAt(object, path));
}

/** @throws StatusError 500 for a custom resource without replicas */
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

/** kube-apiserver's error for anything that it cannot read as the scale of a custom resource. */
function unreadable(): Error {
  return badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:110"');
}

/** The Scale of one kind, as the writes of other objects see a type. */
function scaleType(type: ResourceType): ResourceType {
  const schema = loadBuiltinSchemas().kind('autoscaling', 'v1', 'Scale');
  return { ...type, group: 'autoscaling', version: 'v1', kind: 'Scale', isCustom: false, subresources: [], schema };
}

function replicasField(type: ResourceType): ReplicasField {
  const path = steps(pathsOf(type).specReplicas).map((step) => `f:${step}`);
  const isKnown = (apiVersion: string): boolean => (apiVersion.split('/').at(-2) ?? '') === type.group;
  return { path, apiVersion: groupVersionOf(type), isKnown };
}

/** The replicas that a scale asks for. Those of a custom resource are validated with the object.
 *  @throws StatusError 422 */
function replicasOf(scale: KubeObject, type: ResourceType): number {
  const { replicas = 0 } = (scale['spec'] ?? {}) as { readonly replicas?: number };
  if (replicas >= 0 || type.isCustom) return replicas;
  const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
  const kind = { group: 'autoscaling', kind: 'Scale' };
  throw invalid(kind, scale.metadata.name ?? '', [{ field: 'spec.replicas', reason: 'FieldValueInvalid', message }]);
}

function checkUid(call: ResourceCall, scale: KubeObject, live: KubeObject): void {
  const [given, own] = [scale.metadata.uid ?? '', live.metadata.uid ?? ''];
  if (given === '' || given === own) return;
  const { group, plural } = call.type;
  const why = `Precondition failed: UID in precondition: ${given}, UID in object meta: ${own}`;
  throw conflict({ group, plural: `${plural}/scale` }, call.request.name, why);
}

interface ScaleChange {
  readonly live: KubeObject;
  readonly scale: KubeObject;
}

/** The object with the values of the changed Scale. */
function rescaled(call: ResourceCall, change: ScaleChange, isPatch: boolean): KubeObject {
  const { live, scale } = change;
  checkIdentity(scale, { ...targetOf(call), subresource: undefined });
  const object = copyJson(live);
  setAt(object, pathsOf(call.type).specReplicas, replicasOf(scale, call.type));
  // A PUT with another uid is refused when it is stored, like that of any object.
  object.metadata.uid = isPatch ? (live.metadata.uid ?? '') : (scale.metadata.uid ?? '');
  if (isPatch) checkUid(call, scale, live);
  const { resourceVersion = '' } = scale.metadata;
  // Whole custom resources must name their version, their scales need not.
  if (resourceVersion !== '' || !call.type.isCustom) object.metadata.resourceVersion = resourceVersion;
  const { managedFields } = live.metadata;
  object.metadata.managedFields = parentManagedFields(
    managedFields,
    scale.metadata.managedFields,
    replicasField(call.type),
  );
  return object;
}

function managedScale(type: ResourceType, object: KubeObject): KubeObject {
  const bare = scaleOf(type, object) as unknown as KubeObject;
  const managedFields = scaleManagedFields(object.metadata.managedFields, replicasField(type));
  return { ...bare, metadata: { ...bare.metadata, managedFields } };
}

/** Admission validates the Scale, not the object that is scaled. */
function admittedForm(type: ResourceType): AdmittedForm {
  return {
    show: (object, hasManagers) =>
      hasManagers ? managedScale(type, object) : (scaleOf(type, object) as unknown as KubeObject),
    restore: (scale, object) => {
      const changed = copyJson(object);
      setAt(changed, pathsOf(type).specReplicas, replicasOf(scale, type));
      return changed;
    },
  };
}

type ChangeScale = (scale: KubeObject, write: TrackedWrite) => KubeObject;

/** Writes the replicas of a Scale made from the present one. */
async function writeScale(call: ResourceCall, context: WriteContext, change: ChangeScale): Promise<Reply> {
  const isPatch = call.request.verb === 'patch';
  const form = outputForm(call, false);
  const { type, parts } = call;
  const build = (live: KubeObject | undefined): KubeObject => {
    if (live === undefined) throw notFound(type, call.request.name);
    const object = live;
    const scale = managedScale(type, object);
    const write = { type: scaleType(type), live: scale, context, nowMs: parts.clock.now(), subresource: 'scale' };
    return rescaled(call, { live: object, scale: change(scale, write) }, isPatch);
  };
  const request = {
    target: targetOf(call),
    build,
    createsAbsent: false,
    isTracked: true,
    isPatch,
    form: admittedForm(type),
  };
  const { object } = await parts.writer.update(request, context);
  return encodeValue(200, scaleOf(type, object), form);
}

export async function getScale(call: ResourceCall): Promise<Reply> {
  const form = outputForm(call, false);
  return encodeValue(200, readScale(call.type, await durableObject(call)), form);
}

/** The Scale in the body of a PUT.
 *  @throws StatusError 400 */
function decodeScale(call: ResourceCall, bytes: Buffer, validation: FieldValidation): KubeObject {
  const { exchange, type } = call;
  const syntax = negotiateInput(exchange.header('content-type'));
  const warn = (text: string): void => exchange.warn(text);
  const decode = (): KubeObject => decodeObject(bytes, scaleType(type), { syntax, validation, warn });
  return type.isCustom ? readCustomScale(call, decode) : decode();
}

function readCustomScale({ request }: ResourceCall, decode: () => KubeObject): KubeObject {
  let scale: KubeObject;
  try {
    scale = decode();
  } catch {
    throw unreadable();
  }
  const { name = '' } = scale.metadata;
  if (name === request.name) return scale;
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${request.name})`);
}

export async function updateScale(call: ResourceCall): Promise<Reply> {
  const { context, validation } = readWriteOptions(call, 'UpdateOptions');
  const body = decodeScale(call, await call.exchange.readBody(), validation);
  return await writeScale(call, context, (_scale, write) => atOnce(trackFields(write, copyJson(body))));
}

export async function patchScale(call: ResourceCall): Promise<Reply> {
  const { exchange } = call;
  const kind = patchKindOf(call);
  const { context, validation, force } = readPatchOptions(call, kind);
  const bytes = await exchange.readBody();
  const type = scaleType(call.type);
  if (kind === 'apply') {
    const applied = parseApply(type, bytes);
    return await writeScale(call, context, (_scale, write) => copyJson(atOnce(applyFields(write, applied, force))));
  }
  const warn = (text: string): void => exchange.warn(text);
  let patch: ObjectPatch | undefined;
  return await writeScale(call, context, (scale, write) => {
    patch ??= new ObjectPatch(bytes, kind, { type, validation, warn });
    return atOnce(trackFields(write, patch.apply(scale)));
  });
}
