import { formatTimestamp, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { PolicyRule } from '../../src/rbac/index.ts';
import { type FieldError, invalidField } from '../../src/schema/index.ts';
import { tokenIssuer } from '../auth/index.ts';
import { badRequest, groupVersionOf, inTurns, invalid, type KubeObject, type UserInfo } from '../core/index.ts';
import { trackFields } from '../registry/index.ts';
import { accessErrors, accessOfReview, ignoredSelectors, localAccessErrors } from './access-review.ts';
import type { ResourceCall, VerbHandler } from './api-parts.ts';
import { decodeObject } from './decode-body.ts';
import { type Reply } from './exchange.ts';
import { negotiateInput } from './negotiation.ts';
import { encodeValue } from './object-output.ts';
import { virtualForm } from './read-handlers.ts';
import { createBinding } from './subresources/binding.ts';
import { readWriteOptions } from './write-options.ts';

interface Review {
  readonly object: KubeObject;
  readonly spec: JsonObject;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

async function readReview(call: ResourceCall): Promise<Review> {
  // Before anything is done.
  virtualForm(call);
  const { exchange, type, parts } = call;
  const { context, validation } = readWriteOptions(call, 'CreateOptions');
  const syntax = negotiateInput(exchange.header('content-type'));
  const bytes = await exchange.readBody();
  const decoded = decodeObject(bytes, type, { syntax, validation, warn: (warning) => exchange.warn(warning) });
  const { status: _status, ...rest } = decoded;
  const write = { type, live: undefined, context, nowMs: parts.clock.now() };
  const object = await inTurns(trackFields(write, rest as KubeObject), context.takeTurn);
  return { object, spec: isJsonObject(object['spec']) ? object['spec'] : {} };
}

/** `object` as it was sent, with its status. */
function reviewReply(call: ResourceCall, object: JsonObject, status: JsonObject): Reply {
  const { type } = call;
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const { apiVersion: _v, kind: _k, metadata: _m, ...rest } = object;
  const shown = {
    kind: type.kind,
    apiVersion: groupVersionOf(type),
    metadata: { creationTimestamp: null, ...metadata },
    ...rest,
    status,
  };
  return encodeValue(201, shown, virtualForm(call));
}

function sentBack({ object, spec }: Review): JsonObject {
  return { ...(object as unknown as JsonObject), spec };
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

/** @throws StatusError 422 for a review with more metadata than its namespace */
function checkReview(call: ResourceCall, { object }: Review, errors: readonly FieldError[]): void {
  const isLocal = call.request.namespace !== '';
  const { managedFields: _managed, namespace, ...rest } = object.metadata;
  const hasMore = Object.keys(rest).length > 0 || (!isLocal && namespace !== undefined);
  const detail = isLocal ? 'must be empty except for namespace' : 'must be empty';
  const ofMetadata = hasMore ? [invalidField('metadata', object.metadata as unknown as JsonObject, detail)] : [];
  const all = [...errors, ...ofMetadata];
  // Without the kind: kube-apiserver does not know it at this point.
  if (all.length > 0) throw invalid({ group: call.type.group, kind: '' }, '', all);
}

function decisionStatus(call: ResourceCall, user: UserInfo, spec: JsonObject): JsonObject {
  const { isAllowed, reason } = call.parts.authorizer.decide(user, accessOfReview(spec));
  const ignored = ignoredSelectors(spec);
  return {
    allowed: isAllowed,
    ...(reason === '' ? {} : { reason }),
    ...(ignored.length === 0 ? {} : { evaluationError: ignored.join(', ') }),
  };
}

const reviewSelf: VerbHandler = async (call) => {
  const review = await readReview(call);
  checkReview(call, review, accessErrors(review.spec, true));
  return reviewReply(call, sentBack(review), decisionStatus(call, call.user, review.spec));
};

function reviewedUser(spec: JsonObject): UserInfo {
  return { username: text(spec['user']), groups: texts(spec['groups']) };
}

const reviewAccess: VerbHandler = async (call) => {
  const review = await readReview(call);
  checkReview(call, review, accessErrors(review.spec, false));
  return reviewReply(call, sentBack(review), decisionStatus(call, reviewedUser(review.spec), review.spec));
};

const reviewLocalAccess: VerbHandler = async (call) => {
  const review = await readReview(call);
  const { namespace } = call.request;
  review.object.metadata.namespace = namespace;
  checkReview(call, review, [...accessErrors(review.spec, false), ...localAccessErrors(review.spec, namespace)]);
  return reviewReply(call, sentBack(review), decisionStatus(call, reviewedUser(review.spec), review.spec));
};

function ruleJson(rule: PolicyRule): JsonObject {
  return structuredClone(rule) as unknown as JsonObject;
}

const reviewRules: VerbHandler = async (call) => {
  const { spec } = await readReview(call);
  const namespace = text(spec['namespace']);
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, errors } = call.parts.authorizer.rulesOf(call.user, namespace);
  const isPath = (rule: PolicyRule): boolean => (rule.nonResourceURLs ?? []).length > 0;
  const list = errors.length > 1 ? `[${errors.join(', ')}]` : errors.join();
  // The question is not sent back.
  return reviewReply(
    call,
    { spec: {} },
    {
      resourceRules: rules.filter((rule) => !isPath(rule)).map(ruleJson),
      nonResourceRules: rules.filter(isPath).map(ruleJson),
      incomplete: false,
      ...(errors.length > 0 ? { evaluationError: list } : {}),
    },
  );
};

const reviewIdentity: VerbHandler = async (call) => {
  const { object } = await readReview(call);
  const { spec: _spec, ...rest } = object as unknown as JsonObject;
  const metadata = { ...object.metadata, creationTimestamp: formatTimestamp(call.parts.clock.now()) };
  return reviewReply(call, { ...rest, metadata: metadata as unknown as JsonObject }, { userInfo: userJson(call.user) });
};

const reviewToken: VerbHandler = async (call) => {
  const review = await readReview(call);
  const token = text(review.spec['token']);
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const given = texts(review.spec['audiences']);
  const checked = call.parts.authenticator.checkToken(token, given.length === 0 ? [tokenIssuer] : given);
  if ('error' in checked) return reviewReply(call, sentBack(review), { user: {}, error: checked.error });
  const { user, audiences } = checked;
  return reviewReply(call, sentBack(review), { authenticated: true, user: userJson(user), audiences: [...audiences] });
};

/** Kinds that are answered and not stored, by storage key: the identity and permissions of a user, and the node of a pod. */
export const reviewHandlers: ReadonlyMap<string, VerbHandler> = new Map([
  ['selfsubjectaccessreviews.authorization.k8s.io', reviewSelf],
  ['subjectaccessreviews.authorization.k8s.io', reviewAccess],
  ['localsubjectaccessreviews.authorization.k8s.io', reviewLocalAccess],
  ['selfsubjectrulesreviews.authorization.k8s.io', reviewRules],
  ['selfsubjectreviews.authentication.k8s.io', reviewIdentity],
  ['tokenreviews.authentication.k8s.io', reviewToken],
  ['bindings', createBinding],
]);
