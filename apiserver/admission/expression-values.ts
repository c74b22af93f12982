import type { JsonObject } from '../../src/base/index.ts';
import {
  type AskAuthorizer,
  type AuthorizationQuestion,
  Authorizer as AuthorizerValue,
  dynamicValue,
  type Lookup,
  ResourceCheck,
  type Value,
} from '../../src/cel/index.ts';
import type { AccessRequest, Authorizer } from '../auth/index.ts';
import type { AdmissionRequest, KubeObject, ResourceType, UserInfo } from '../core/index.ts';
import { buildReview, convert } from './webhooks/review.ts';

function userOf(question: AuthorizationQuestion, asking: UserInfo): UserInfo {
  const { serviceAccount } = question;
  if (serviceAccount === undefined) return asking;
  const { namespace, name } = serviceAccount;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { username: `system:serviceaccount:${namespace}:${name}`, groups };
}

function accessOf(question: AuthorizationQuestion): AccessRequest {
  const { verb, path, group = '', resource = '', subresource = '', namespace = '', name = '' } = question;
  if (path !== undefined) return { kind: 'path', verb, path };
  return { kind: 'resource', verb, group, resource, subresource, namespace, name };
}

function askerFor(authorizer: Authorizer, user: UserInfo): AskAuthorizer {
  return (question) => {
    const { isAllowed, reason } = authorizer.decide(userOf(question, user), accessOf(question));
    return { allowed: isAllowed, reason };
  };
}

/** What the expressions of one request find under their names. */
export interface RequestValues {
  /** The version in which they want the object. */
  readonly type: ResourceType;
  readonly params?: KubeObject | undefined;
  readonly namespace?: KubeObject | undefined;
}

function requestResource(request: AdmissionRequest, ask: AskAuthorizer): Value {
  const { resource, subresource = '', namespace, name } = request;
  return new ResourceCheck(ask, { group: resource.group, resource: resource.plural, subresource, namespace, name });
}

function json(object: KubeObject | undefined): JsonObject | null {
  return (object ?? null) as unknown as JsonObject | null;
}

/** Where the expressions of webhooks and policies find their variables for a request. Values are made when they are asked for. */
export function requestLookup(request: AdmissionRequest, authorizer: Authorizer, values: RequestValues): Lookup {
  const { type, params, namespace } = values;
  const ask = askerFor(authorizer, request.user);
  const makers: Readonly<Record<string, () => Value>> = {
    object: () =>
      dynamicValue(
        request.operation === 'CONNECT' ? json(request.object) : convert(request.object, request.resource, type),
      ),
    oldObject: () => dynamicValue(convert(request.oldObject, request.resource, type)),
    request: () => dynamicValue(buildReview(request, type).review['request']),
    params: () => dynamicValue(json(params)),
    namespaceObject: () => dynamicValue(json(namespace)),
    authorizer: () => new AuthorizerValue(ask, {}),
    'authorizer.requestResource': () => requestResource(request, ask),
  };
  const known = new Map<string, Value>();
  return (name) => {
    const value = known.get(name) ?? (Object.hasOwn(makers, name) ? makers[name]?.() : undefined);
    if (value !== undefined) known.set(name, value);
    return value;
  };
}
