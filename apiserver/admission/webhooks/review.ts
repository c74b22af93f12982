import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { AdmissionRequest, KubeObject, ResourceType } from '../../core/index.ts';

/** A webhook's answer after all checks of its form. */
export interface ReviewResponse {
  readonly allowed: boolean;
  readonly status: JsonObject | undefined;
  readonly warnings: readonly string[];
  /** The text of a JSON patch. */
  readonly patch: string | undefined;
}

/** A webhook that answers in a form that cannot be used. */
export class InvalidReviewError extends Error {
  constructor(why: string) {
    super(`received invalid webhook response: ${why}`);
  }
}

function kindOf(type: ResourceType, subresource: string | undefined): JsonObject {
  const sub = type.subresources.find(({ name }) => name === subresource);
  const { group, version, kind } = sub ?? type;
  return { group, version, kind };
}

function resourceOf({ group, version, plural }: ResourceType): JsonObject {
  return { group, version, resource: plural };
}

/** From the requested version to the one that the webhook asked for, and `null` for nothing. What is not of the resource's own kind, such as a Scale, has one version. */
export function convert(object: KubeObject | undefined, from: ResourceType, to: ResourceType): JsonObject | null {
  if (object === undefined) return null;
  return (from === to || object.kind !== from.kind
    ? object
    : to.toServed(from.toStorage(object))) as unknown as JsonObject;
}

function userOf({ user }: AdmissionRequest): JsonObject {
  const { username, uid, groups, extra } = user;
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined ? {} : { extra: structuredClone(extra) as unknown as JsonObject }),
  };
}

/** An update that names no version is one of the version that is stored. */
function withVersion(object: JsonObject | null, { oldObject, operation }: AdmissionRequest): JsonObject | null {
  const metadata = object?.['metadata'];
  const resourceVersion = oldObject?.metadata.resourceVersion;
  if (operation !== 'UPDATE' || resourceVersion === undefined || !isJsonObject(metadata)) return object;
  return { ...object, metadata: { ...metadata, resourceVersion: metadata['resourceVersion'] ?? resourceVersion } };
}

/** The `AdmissionReview` v1 that asks about `request`, with a new uid. */
export function buildReview(request: AdmissionRequest, type: ResourceType): { uid: string; review: JsonObject } {
  const { resource, subresource, namespace, name, operation } = request;
  const uid = randomUUID();
  const sub = subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource };
  const place = resource.storageKey === 'namespaces' ? name : namespace;
  const body: JsonObject = {
    uid,
    kind: kindOf(type, subresource),
    resource: resourceOf(type),
    requestKind: kindOf(resource, subresource),
    requestResource: resourceOf(resource),
    ...sub,
    ...(name === '' ? {} : { name }),
    ...(place === '' ? {} : { namespace: place }),
    operation,
    userInfo: userOf(request),
    object:
      operation === 'CONNECT'
        ? (request.object as unknown as JsonObject)
        : withVersion(convert(request.object, resource, type), request),
    oldObject: convert(request.oldObject, resource, type),
    dryRun: request.dryRun,
    options: request.options,
  };
  return { uid, review: { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: body } };
}

/** The patch as it came: whether it is one is seen when it is applied. */
function readPatch({ patch, patchType }: JsonObject): string | undefined {
  const hasPatch = typeof patch === 'string' && patch !== '';
  const hasType = typeof patchType === 'string' && patchType !== '';
  if (!hasPatch && !hasType) return undefined;
  if (!hasType) throw new InvalidReviewError('webhook returned response.patch but not response.patchType');
  if (!hasPatch) throw new InvalidReviewError('webhook returned response.patchType but not response.patch');
  return Buffer.from(patch, 'base64').toString('utf8');
}

function checkEnvelope(body: JsonValue): JsonObject {
  const review = isJsonObject(body) ? body : {};
  const { apiVersion, kind, response } = review;
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') {
    const version = typeof apiVersion === 'string' ? (apiVersion.split('/').at(-1) ?? '') : '';
    const found = `${version}.${typeof kind === 'string' ? kind : ''}`;
    throw new Error(`converting (${found}) to (v1.AdmissionReview): unknown conversion`);
  }
  if (!isJsonObject(response)) throw new InvalidReviewError('webhook response was absent');
  return response;
}

/** Checks the form of an answer.
 *  @throws InvalidReviewError, or Error for what is no review of this version, with kube-apiserver's text */
export function readReview(body: JsonValue, expectedUid: string): ReviewResponse {
  const response = checkEnvelope(body);
  const uid = typeof response.uid === 'string' ? response.uid : '';
  if (uid !== expectedUid) {
    throw new InvalidReviewError(`expected response.uid="${expectedUid}", got "${uid}"`);
  }
  const warnings = Array.isArray(response.warnings) ? response.warnings : [];
  return {
    allowed: response.allowed === true,
    status: isJsonObject(response.status) ? response.status : undefined,
    warnings: warnings.filter((text) => typeof text === 'string'),
    patch: readPatch(response),
  };
}
