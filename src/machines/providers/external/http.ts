import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { nodeHttp, redactUrl, serverText, TransientError } from '../../../base/index.ts';
import type { Ask } from './external.ts';
import { answerDeadlineMs, maxAnswerBytes } from './protocol.ts';

export interface HttpProviderOptions {
  /** Of `http:` or `https:`. Redirects are not followed. */
  readonly url: string;
  /** Read before each request. */
  readonly token?: (() => Promise<string>) | undefined;
  readonly deadlineMs?: number;
}

async function bodyOf(response: IncomingMessage, what: string): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxAnswerBytes) {
      throw new TransientError('ProviderUnavailable', `${what}: the answer is longer than ${maxAnswerBytes} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Asks a provider with `POST` of a JSON document.
 *  @see docs/actuators.md */
export function askByHttp({ url, token, deadlineMs = answerDeadlineMs }: HttpProviderOptions): Ask {
  const send = url.startsWith('https:') ? httpsRequest : nodeHttp().request;
  const what = `POST ${redactUrl(url)}`;
  return async (text, { signal }) => {
    const secret = token === undefined ? '' : (await token()).trim();
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }),
    };
    try {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const request = send(url, { method: 'POST', headers, signal: deadline }, resolve);
      request.once('error', reject);
      request.end(text);
      const response = await promise;
      const body = await bodyOf(response, what);
      if (response.statusCode === 200) return body;
      const status = String(response.statusCode);
      throw new TransientError('ProviderUnavailable', `${what}: status ${status}: ${serverText(body, 200)}`);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof TransientError) throw thrown;
      const why = deadline.aborted ? `no answer within ${deadlineMs / 1000} s` : serverText((thrown as Error).message);
      throw new TransientError('ProviderUnavailable', `${what}: ${why}`, { cause: thrown });
    }
  };
}
