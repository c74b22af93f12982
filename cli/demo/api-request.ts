import { request } from 'node:https';
import { parseJson, TransientError } from '../../src/base/index.ts';

/** How the demo reaches the API when kubectl is missing. */
export interface ApiAccess {
  readonly url: string;
  readonly caCertificatePem: string;
  readonly token: string;
}

export interface ApiCall {
  readonly method: 'GET' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

const answerLimit = 16 * 1024 * 1024;

/** One request; resolves for every HTTP status.
 *  @throws TransientError ApiUnavailable */
export function callApi(access: ApiAccess, call: ApiCall): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(new TransientError('ApiUnavailable', `${call.method} ${call.path}: ${cause.message}`, { cause }));
    const outgoing = request(new URL(call.path, access.url), {
      method: call.method,
      ca: access.caCertificatePem,
      signal: call.signal,
      headers: {
        authorization: `Bearer ${access.token}`,
        accept: call.accept ?? 'application/json',
        ...(call.contentType === undefined ? {} : { 'content-type': call.contentType }),
      },
    });
    outgoing.once('error', fail);
    outgoing.once('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > answerLimit) incoming.destroy(new Error('the answer is too large'));
      });
      incoming.once('error', fail);
      incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, body: parseJson(call.path, text) }));
    });
    outgoing.end(call.body);
  });
}
