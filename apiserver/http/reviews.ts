import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { UserInfo } from '../admission/plugin.ts';
import { type AccessRequest, type PolicyRule, tokenIssuer } from '../auth/index.ts';
import { groupVersionOf } from '../registry/type-registry.ts';
import type { ResourceCall, VerbHandler } from './api-parts.ts';
import { decodePlain } from './decode-body.ts';
import { type Reply, readBody } from './exchange.ts';
import { negotiateInput } from './negotiation.ts';
import { encodeValue } from './object-output.ts';
import { outputForm } from './read-handlers.ts';
import { badRequest, type FieldError, invalid } from './status-error.ts';

interface Review {
  readonly body: JsonObject;
  readonly spec: JsonObject;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

async function readReview(call: ResourceCall): Promise<Review> {
  const { exchange, type } = call;
  const bytes = await readBody(exchange.request);
  const body = decodePlain(bytes, type.kind, negotiateInput(exchange.header('content-type')));
  return { body, spec: isJsonObject(body['spec']) ? body['spec'] : {} };
}

function reviewReply(call: ResourceCall, review: Review, status: JsonObject): Reply {
  const { type } = call;
  const metadata = isJsonObject(review.body['metadata']) ? review.body['metadata'] : {};
  const shown = {
    kind: type.kind,
    apiVersion: groupVersionOf(type),
    metadata: { creationTimestamp: null, ...metadata },
  };
  const spec = Object.keys(review.spec).length > 0 ? { spec: review.spec } : {};
  return encodeValue(201, { ...shown, ...spec, status }, outputForm(call, false));
}

function userJson(user: UserInfo): JsonObject {
  const extra = user.extra === undefined ? {} : { extra: user.extra as unknown as JsonObject };
  return {
    username: user.username,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    groups: [...user.groups],
    ...extra,
  };
}

/** @throws StatusError 422 unless exactly one kind of attributes is there */
function accessOf(call: ResourceCall, spec: JsonObject): AccessRequest {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (isJsonObject(resource) && !isJsonObject(path)) {
    return {
      kind: 'resource',
      verb: text(resource['verb']),
      group: text(resource['group']),
      resource: text(resource['resource']),
      subresource: text(resource['subresource']),
      namespace: text(resource['namespace']),
      name: text(resource['name']),
    };
  }
  if (isJsonObject(path) && !isJsonObject(resource)) {
    return { kind: 'path', verb: text(path['verb']).toLowerCase(), path: text(path['path']) };
  }
  const rule = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  const message = `Invalid value: null: ${rule}`;
  throw invalid(call.type, '', [{ field: 'spec.resourceAttributes', reason: 'FieldValueInvalid', message }]);
}

function decisionStatus(call: ResourceCall, user: UserInfo, spec: JsonObject): JsonObject {
  const { isAllowed, reason } = call.parts.authorizer.decide(user, accessOf(call, spec));
  return { allowed: isAllowed, ...(reason === '' ? {} : { reason }) };
}

const reviewSelf: VerbHandler = async (call) => {
  const review = await readReview(call);
  return reviewReply(call, review, decisionStatus(call, call.user, review.spec));
};

function reviewedUser(call: ResourceCall, spec: JsonObject): UserInfo {
  const username = text(spec['user']);
  const groups = texts(spec['groups']);
  if (username !== '' || groups.length > 0) return { username, groups };
  const message = 'Invalid value: "": at least one of user or group must be specified';
  const errors: FieldError[] = [{ field: 'spec.user', reason: 'FieldValueInvalid', message }];
  throw invalid(call.type, '', errors);
}

const reviewAccess: VerbHandler = async (call) => {
  const review = await readReview(call);
  return reviewReply(call, review, decisionStatus(call, reviewedUser(call, review.spec), review.spec));
};

const reviewLocalAccess: VerbHandler = async (call) => {
  const review = await readReview(call);
  const attributes = review.spec['resourceAttributes'];
  if (isJsonObject(attributes) && text(attributes['namespace']) !== call.request.namespace) {
    const message = `Invalid value: ${JSON.stringify(attributes['namespace'] ?? '')}: must match metadata.namespace`;
    throw invalid(call.type, '', [
      { field: 'spec.resourceAttributes.namespace', reason: 'FieldValueInvalid', message },
    ]);
  }
  return reviewReply(call, review, decisionStatus(call, reviewedUser(call, review.spec), review.spec));
};

function ruleJson(rule: PolicyRule): JsonObject {
  return structuredClone(rule) as unknown as JsonObject;
}

const reviewRules: VerbHandler = async (call) => {
  const review = await readReview(call);
  const namespace = text(review.spec['namespace']);
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, errors } = call.parts.authorizer.rulesOf(call.user, namespace);
  const isPath = (rule: PolicyRule): boolean => (rule.nonResourceURLs ?? []).length > 0;
  return reviewReply(call, review, {
    resourceRules: rules.filter((rule) => !isPath(rule)).map(ruleJson),
    nonResourceRules: rules.filter(isPath).map(ruleJson),
    incomplete: false,
    ...(errors.length > 0 ? { evaluationError: errors.join(', ') } : {}),
  });
};

const reviewIdentity: VerbHandler = async (call) => {
  const review = await readReview(call);
  return reviewReply(call, review, { userInfo: userJson(call.user) });
};

const reviewToken: VerbHandler = async (call) => {
  const review = await readReview(call);
  const token = text(review.spec['token']);
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const given = texts(review.spec['audiences']);
  const audiences = given.length === 0 ? [tokenIssuer] : given;
  const user = call.parts.authenticator.userOfToken(token, audiences);
  if (user === undefined) return reviewReply(call, review, { user: {}, error: 'invalid bearer token' });
  return reviewReply(call, review, { authenticated: true, user: userJson(user), audiences });
};

/** Kinds that are answered and not stored, by storage key: who somebody is and what they may do. */
export const reviewHandlers: ReadonlyMap<string, VerbHandler> = new Map([
  ['selfsubjectaccessreviews.authorization.k8s.io', reviewSelf],
  ['subjectaccessreviews.authorization.k8s.io', reviewAccess],
  ['localsubjectaccessreviews.authorization.k8s.io', reviewLocalAccess],
  ['selfsubjectrulesreviews.authorization.k8s.io', reviewRules],
  ['selfsubjectreviews.authentication.k8s.io', reviewIdentity],
  ['tokenreviews.authentication.k8s.io', reviewToken],
]);
