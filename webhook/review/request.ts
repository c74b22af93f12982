import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';

/** The members of an AdmissionReview v1 request that checks read. */
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
  /** Of a deletion; empty where it names none. */
  readonly propagationPolicy: string;
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
    propagationPolicy: textOrEmpty(objectOrNothing(request.options)?.propagationPolicy),
  };
}
