import { formatTimestamp, isJsonObject, type JsonObject } from '../../../src/base/index.ts';
import { tokenIssuer } from '../../auth/index.ts';
import type { ResourceCall } from '../api-parts.ts';
import { decodePlain } from '../decode-body.ts';
import { jsonReply, type Reply, readBody } from '../exchange.ts';
import { negotiateInput } from '../negotiation.ts';
import { readObject } from '../read-handlers.ts';
import { type FieldError, invalid } from '../status-error.ts';

const defaultSeconds = 3600;
const leastSeconds = 600;
const mostSeconds = 2 ** 32;

function lifetimeOf(spec: JsonObject): number {
  const value = spec['expirationSeconds'];
  return typeof value === 'number' ? Math.floor(value) : defaultSeconds;
}

function checkLifetime(seconds: number): void {
  const field = 'spec.expirationSeconds';
  const errors: FieldError[] = [];
  if (seconds < leastSeconds) {
    const message = `Invalid value: ${seconds}: may not specify a duration less than 10 minutes`;
    errors.push({ field, reason: 'FieldValueInvalid', message });
  }
  if (seconds > mostSeconds) {
    const message = `Invalid value: ${seconds}: may not specify a duration larger than 2^32 seconds`;
    errors.push({ field, reason: 'FieldValueInvalid', message });
  }
  if (errors.length > 0) throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', errors);
}

function boundTo(spec: JsonObject): { kind: string; name: string; uid: string } | undefined {
  const reference = spec['boundObjectRef'];
  if (!isJsonObject(reference)) return undefined;
  const { kind, name, uid } = reference;
  if (typeof kind !== 'string' || typeof name !== 'string' || typeof uid !== 'string') return undefined;
  return { kind, name, uid };
}

/** `authentication.k8s.io/v1 TokenRequest`: a token of the service account. */
export async function issueToken(call: ResourceCall): Promise<Reply> {
  const { exchange, parts, request } = call;
  const bytes = await readBody(exchange.request);
  const body = decodePlain(bytes, 'TokenRequest', negotiateInput(exchange.header('content-type')));
  const spec = isJsonObject(body['spec']) ? body['spec'] : {};
  const account = readObject(call);
  const lifetimeSeconds = lifetimeOf(spec);
  checkLifetime(lifetimeSeconds);
  const given = Array.isArray(spec['audiences'])
    ? spec['audiences'].filter((name): name is string => typeof name === 'string')
    : [];
  const audiences = given.length === 0 ? [tokenIssuer] : given;
  const nowMs = parts.clock.now();
  const subject = { namespace: request.namespace, name: request.name, uid: account.metadata.uid ?? '', audiences };
  const token = parts.tokens.issue({ ...subject, boundTo: boundTo(spec) }, { nowMs, lifetimeSeconds });
  return jsonReply(201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: request.name, namespace: request.namespace, creationTimestamp: formatTimestamp(nowMs) },
    spec: { ...spec, audiences, expirationSeconds: lifetimeSeconds },
    status: { token, expirationTimestamp: formatTimestamp(nowMs + lifetimeSeconds * 1000) },
  });
}
