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
  /** Texts of the `Warning` headers. */
  readonly warnings: readonly string[];
}

/** `299 - "the text"` → `the text`, quotes inside unescaped. */
function warningsOf(headers: NodeJS.Dict<string[]>): string[] {
  const texts = (headers['warning'] ?? []).flatMap((value) => [...value.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)]);
  return texts.map(([, quoted = '']) => quoted.replaceAll(/\\(.)/g, '$1'));
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
      incoming.once('end', () => {
        try {
          const warnings = warningsOf(incoming.headersDistinct);
          resolve({ status: incoming.statusCode ?? 0, body: parseJson(call.path, text), warnings });
        } catch (thrown) {
          fail(thrown as Error);
        }
      });
    });
    outgoing.end(call.body);
  });
}
