import { isJsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Answer } from './connection.ts';
import type { AskOptions, Probe } from './probe.ts';

/** A container that asks for nothing. */
export const plainContainer = { name: 'c', image: 'registry.example.com/c' } as const;

/** A pod; `spec` is put over one plain container. */
export function pod(name: string, spec: object = {}, metadata: object = {}): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [plainContainer], ...spec },
  };
}

/** Names of token volumes end in something random. */
function withoutSuffix(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-…')) as unknown;
}

/** A refusal as it is; of a pod that was made the named parts of its spec. */
export function specPart(...fields: readonly string[]): (body: JsonValue) => unknown {
  return (body) => {
    if (!isJsonObject(body) || !isJsonObject(body['spec'])) return body;
    const { spec } = body;
    return withoutSuffix(Object.fromEntries(fields.map((field) => [field, spec[field]])));
  };
}

/** The message of a refusal, or that there was none. */
export function refusal(body: JsonValue): unknown {
  return isJsonObject(body) && body['kind'] === 'Status' ? body['message'] : 'taken';
}

/** Creates a pod in the case's namespace. */
export function createPod(api: Probe, body: unknown, options: AskOptions = {}): Promise<Answer> {
  return api.ask('POST', `/api/v1/namespaces/${api.namespace}/pods`, { body, ...options });
}

/** Answers how to label the case's namespace. */
export async function labelNamespace(api: Probe, labels: Readonly<Record<string, string>>): Promise<void> {
  await api.setUp('PATCH', `/api/v1/namespaces/${api.namespace}`, {
    body: { metadata: { labels } },
    contentType: 'application/merge-patch+json',
  });
}
