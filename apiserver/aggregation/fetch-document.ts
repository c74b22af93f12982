import { isJsonObject, type JsonObject, joinStream, parseJson } from '../../src/base/index.ts';
import { completeUser, type UserInfo } from '../core/index.ts';
import type { Backend, Backends } from './backends.ts';
import { userHeaders } from './forwarded-headers.ts';

/** As kube-apiserver calls itself to extension servers. */
export const aggregatorUser: UserInfo = completeUser('system:kube-aggregator', ['system:masters']);

/** A document to be fetched. */
export interface DocumentRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'DELETE';
  /** Default `aggregatorUser`. */
  readonly user?: UserInfo;
  readonly path: string;
  readonly accept: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** An answer with its body, which is empty where it was not asked for. */
export interface FetchedDocument {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Fetches a document of an extension server. Redirects are not followed.
 *  @throws Error when there is no answer, or more than `maxBytes` */
export async function fetchDocument(
  backends: Backends,
  backend: Backend,
  { method = 'GET', user = aggregatorUser, path, accept, maxBytes, signal }: DocumentRequest,
): Promise<FetchedDocument> {
  const headers = { accept, 'user-agent': 'longshore-aggregator', ...userHeaders(user) };
  const { promise, resolve, reject } = Promise.withResolvers<FetchedDocument>();
  const request = backends.request(backend, { method, path, headers, signal });
  request.on('error', reject);
  request.on('response', (response) => {
    const tooLarge = (): Error => new Error(`${method} ${path}: the answer is larger than ${maxBytes} bytes`);
    joinStream(response, maxBytes, tooLarge).then((body) => {
      const { statusCode: status = 0, headers: answered } = response;
      resolve({ status, contentType: answered['content-type'] ?? '', body });
    }, reject);
  });
  request.end();
  return await promise;
}

/** Of one document: a document of OpenAPI with as many has 4 MiB. A short value, as `{}`, takes twenty times its text in memory. */
const maxValues = 250_000;

/** The JSON object of a document; undefined for any other answer than 200.
 *  @throws Error for a body that is no JSON object, or has more than `maxValues` values */
export function objectIn({ status, body }: FetchedDocument, path: string): JsonObject | undefined {
  if (status !== 200) return undefined;
  const value = parseJson(path, body.toString(), { maxValues });
  if (!isJsonObject(value)) throw new Error(`GET ${path}: expected a JSON object`);
  return value;
}
