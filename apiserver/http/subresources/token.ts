import { formatTimestamp, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { type FieldError, invalidField } from '../../../src/schema/index.ts';
import { type BoundObject, tokenIssuer } from '../../auth/index.ts';
import {
  atOnce,
  badRequest,
  conflict,
  invalid,
  type KubeObject,
  notFound,
  objectOf,
  type ResourceType,
} from '../../core/index.ts';
import { trackFields, type WriteContext } from '../../registry/index.ts';
import { loadBuiltinSchemas } from '../../schema/index.ts';
import type { ResourceCall } from '../api-parts.ts';
import { decodeObject } from '../decode-body.ts';
import { type Reply } from '../exchange.ts';
import { negotiateInput } from '../negotiation.ts';
import { encodeValue } from '../object-output.ts';
import { readObject, virtualForm } from '../read-handlers.ts';
import { targetOf } from '../write-handlers.ts';
import { readWriteOptions } from '../write-options.ts';

const defaultSeconds = 3600;
const leastSeconds = 600;
const mostSeconds = 2 ** 32;
/** A pod's token of this lifetime outlives it by far: clients that do not read it again get a warning first. */
const podSeconds = 3607;
const extendedSeconds = 365 * 24 * 3600;
const kind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The request as a type of its own, with the parts that decoding and field tracking ask for. */
function requestType(call: ResourceCall): ResourceType {
  const schema = loadBuiltinSchemas().kind(kind.group, kind.version, kind.kind);
  return { ...call.type, ...kind, schema, subresources: [] };
}

async function readTokenRequest(
  call: ResourceCall,
): Promise<{ readonly posted: KubeObject; readonly context: WriteContext }> {
  const { exchange, parts } = call;
  const type = requestType(call);
  const { context, validation } = readWriteOptions(call, 'CreateOptions');
  const syntax = negotiateInput(exchange.header('content-type'));
  const bytes = await exchange.readBody();
  const object = decodeObject(bytes, type, { syntax, validation, warn: (warning) => exchange.warn(warning) });
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const complete = { ...object, spec: { ...spec, expirationSeconds: spec['expirationSeconds'] ?? defaultSeconds } };
  const write = { type, live: undefined, context, nowMs: parts.clock.now(), subresource: 'token' };
  return { posted: atOnce(trackFields(write, complete)), context };
}

function checkIdentity({ metadata }: KubeObject, { name, namespace }: ResourceCall['request']): void {
  const errors: FieldError[] = [];
  if ((metadata.name ?? name) !== name) {
    errors.push(invalidField('metadata.name', metadata.name, 'must match the service account name if specified'));
  } else if ((metadata.namespace ?? namespace) !== namespace) {
    const detail = 'must match the service account namespace if specified';
    errors.push(invalidField('metadata.namespace', metadata.namespace, detail));
  }
  if (errors.length > 0) throw invalid(kind, name, errors);
}

function checkLifetime(seconds: number): void {
  const field = 'spec.expirationSeconds';
  const errors: FieldError[] = [];
  if (seconds < leastSeconds) {
    errors.push(invalidField(field, seconds, 'may not specify a duration less than 10 minutes'));
  }
  if (seconds > mostSeconds) {
    errors.push(invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  if (errors.length > 0) throw invalid(kind, '', errors);
}

interface Binding {
  readonly boundTo?: BoundObject;
  readonly node?: { readonly name: string; readonly uid: string };
}

function findBound(call: ResourceCall, plural: string, name: string): KubeObject {
  const { store } = call.parts;
  const namespace = plural === 'nodes' ? '' : call.request.namespace;
  const found = store.get(plural, `${namespace}/${name}`)?.object;
  if (found === undefined) throw notFound({ group: '', plural }, name);
  return found;
}

function nodeOfPod(call: ResourceCall, pod: KubeObject): Binding['node'] {
  const { nodeName } = (pod['spec'] ?? {}) as { nodeName?: string };
  if (nodeName === undefined || nodeName === '') return undefined;
  return { name: nodeName, uid: call.parts.store.get('nodes', `/${nodeName}`)?.object.metadata.uid ?? '' };
}

/** @throws StatusError 400 for a kind that tokens are not bound to */
function boundKindOf(kindName: string, apiVersion: string): string {
  if (['Pod', 'Secret', 'Node'].includes(kindName) && !apiVersion.includes('/')) return kindName;
  const gv = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw badRequest(`cannot bind token to object of type ${gv}, Kind=${kindName}`);
}

function checkPodAccount(pod: KubeObject, account: string): void {
  const { serviceAccountName } = (pod['spec'] ?? {}) as { serviceAccountName?: string };
  if (serviceAccountName === account) return;
  const name = JSON.stringify(account);
  throw badRequest(`cannot bind token for serviceaccount ${name} to pod running with different serviceaccount name.`);
}

/** What the token is bound to.
 *  @throws StatusError 400, 404, 409 */
function bindingOf(call: ResourceCall, spec: JsonObject): Binding {
  const reference = spec['boundObjectRef'];
  if (!isJsonObject(reference)) return {};
  const name = text(reference['name']);
  const kindName = boundKindOf(text(reference['kind']), text(reference['apiVersion']));
  const object = findBound(call, `${kindName.toLowerCase()}s`, name);
  if (kindName === 'Pod') checkPodAccount(object, call.request.name);
  const { uid = '' } = object.metadata;
  const expected = text(reference['uid']);
  if (expected !== '' && expected !== uid) {
    const why = `the UID in the bound object reference (${expected}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural: kindName }, name, why);
  }
  const boundTo = { kind: kindName.toLowerCase(), name, uid };
  const node = kindName === 'Pod' ? nodeOfPod(call, object) : undefined;
  return { boundTo, ...(node === undefined ? {} : { node }) };
}

function audiencesOf(spec: JsonObject): string[] {
  const given = Array.isArray(spec['audiences'])
    ? spec['audiences'].filter((name): name is string => typeof name === 'string')
    : [];
  return given.length === 0 ? [tokenIssuer] : given;
}

/** The request as admission sees it: of this account, with the audiences of the token. */
function withDefaults(posted: KubeObject, { name, namespace }: ResourceCall['request']): KubeObject {
  const spec = objectOf(posted['spec']);
  return {
    ...posted,
    metadata: { ...posted.metadata, name, namespace },
    spec: { ...spec, audiences: audiencesOf(spec) },
  } as KubeObject;
}

/** `authentication.k8s.io/v1 TokenRequest`: a token of the service account. */
export async function issueToken(call: ResourceCall): Promise<Reply> {
  // Before anything is done.
  virtualForm(call);
  const { parts, request } = call;
  const { posted, context } = await readTokenRequest(call);
  checkIdentity(posted, request);
  const account = readObject(call);
  const tokenRequest = await parts.writer.admitPosted(targetOf(call), withDefaults(posted, request), context);
  const spec = objectOf(tokenRequest['spec']);
  const seconds = Number(spec['expirationSeconds']);
  checkLifetime(seconds);
  const audiences = audiencesOf(spec);
  const binding = bindingOf(call, spec);
  const nowMs = parts.clock.now();
  const isExtended = binding.boundTo?.kind === 'pod' && seconds === podSeconds && audiences.join() === tokenIssuer;
  const times = isExtended
    ? { lifetimeSeconds: extendedSeconds, warnAfterSeconds: seconds }
    : { lifetimeSeconds: seconds };
  const subject = { namespace: request.namespace, name: request.name, uid: account.metadata.uid ?? '', audiences };
  const token = parts.tokens.issue({ ...subject, ...binding }, { nowMs, ...times });
  const { managedFields } = tokenRequest.metadata;
  const answer = {
    kind: kind.kind,
    apiVersion: `${kind.group}/${kind.version}`,
    metadata: {
      name: request.name,
      namespace: request.namespace,
      creationTimestamp: formatTimestamp(nowMs),
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec['boundObjectRef'] ?? null },
    status: { token, expirationTimestamp: formatTimestamp(nowMs + seconds * 1000) },
  };
  return encodeValue(201, answer, virtualForm(call));
}
