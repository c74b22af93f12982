import { isJsonObject, type JsonObject, type JsonValue } from '../src/base/index.ts';
import type { AdmissionResult } from './rules/rule.ts';

/** As of a condition: it is shown to people. */
const maxStatusLength = 32_768;
const maxWarnings = 10;
const maxWarningLength = 256;

/** What the rules read of an AdmissionReview v1 request. */
export interface ReviewRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly name: string;
  readonly namespace: string;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  /** The requesting user: `username`, `uid`, `groups`, `extra`, as the API server reports it. */
  readonly user: JsonObject;
  /** The field manager of the change; empty for a deletion. */
  readonly fieldManager: string;
}

/** JSON schema of the body of every route; other members pass. */
export const reviewSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'request'],
  properties: {
    apiVersion: { const: 'admission.k8s.io/v1' },
    kind: { const: 'AdmissionReview' },
    request: {
      type: 'object',
      required: ['uid', 'operation'],
      properties: {
        uid: { type: 'string', minLength: 1, maxLength: 1024 },
        operation: { enum: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] },
        name: { type: 'string' },
        namespace: { type: 'string' },
        object: { type: ['object', 'null'] },
        oldObject: { type: ['object', 'null'] },
        options: { type: ['object', 'null'] },
        userInfo: { type: ['object', 'null'] },
      },
    },
  },
} as const;

function objectOrNothing(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function textOrEmpty(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The request inside a body that satisfies `reviewSchema`. */
export function readReview(body: JsonObject): ReviewRequest {
  const request = objectOrNothing(body.request) ?? {};
  return {
    uid: textOrEmpty(request.uid),
    operation: request.operation as ReviewRequest['operation'],
    name: textOrEmpty(request.name),
    namespace: textOrEmpty(request.namespace),
    object: objectOrNothing(request.object),
    oldObject: objectOrNothing(request.oldObject),
    user: objectOrNothing(request.userInfo) ?? {},
    fieldManager: textOrEmpty(objectOrNothing(request.options)?.fieldManager),
  };
}

function statusOf({ denials }: AdmissionResult): JsonObject | undefined {
  if (denials.length === 0) return undefined;
  const text = denials
    .map((denial) => denial.text)
    .join('; ')
    .slice(0, maxStatusLength);
  if (denials.every(({ form }) => form === 'original')) return { code: 403, reason: text, message: '' };
  if (denials.every(({ form }) => form === 'long')) return { code: 403, reason: 'Forbidden', message: text };
  return { code: 422, reason: 'Invalid', message: text };
}

function reviewOf(response: JsonObject): JsonObject {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

function patchMembers(patch: readonly JsonObject[]): JsonObject {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}

/** The answer that a result means: at most 10 warnings of at most 256 characters. */
export function answerReview(uid: string, result: AdmissionResult): JsonObject {
  const status = statusOf(result);
  const warnings = result.warnings.slice(0, maxWarnings).map((text) => text.slice(0, maxWarningLength));
  return reviewOf({
    uid,
    allowed: status === undefined,
    ...(status === undefined ? {} : { status }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(status !== undefined || result.patch === undefined ? {} : patchMembers(result.patch)),
  });
}

/** The answer to an object that is not of the kind that the path is for. */
export function answerUndecodable(uid: string, message: string): JsonObject {
  return reviewOf({ uid, allowed: false, status: { code: 400, reason: 'BadRequest', message } });
}
