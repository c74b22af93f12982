import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { JoinedPieces, nodeHttp, redactUrl, serverText, TransientError, withoutSecret } from '../base/index.ts';

export interface PostOptions {
  /** Of `http:` or `https:`. Redirects are not followed. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Left out of what the server answers. */
  readonly secret?: string;
  /** PEM texts. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
  readonly deadlineMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

async function bodyOf(response: IncomingMessage, what: string, maxBytes: number): Promise<string> {
  const pieces = new JoinedPieces();
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.add(piece);
    if (pieces.sizeBytes > maxBytes) {
      throw new TransientError('ProviderUnavailable', `${what}: the answer is longer than ${maxBytes} bytes`);
    }
  }
  return pieces.join().toString('utf8');
}

async function responseTo(text: string, options: PostOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, tls = {} } = options;
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...options.headers };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const settings = { method: 'POST', headers, signal };
  const request = url.startsWith('https:')
    ? httpsRequest(url, { ...settings, ...tls }, resolve)
    : nodeHttp().request(url, settings, resolve);
  request.once('error', reject);
  request.end(text);
  return await promise;
}

/** Posts a JSON document and returns the body of an answer with status 200.
 *  @throws TransientError ProviderUnavailable for everything else */
export async function postJson(text: string, options: PostOptions): Promise<string> {
  const { url, deadlineMs, maxBytes, signal } = options;
  const what = `POST ${redactUrl(url)}`;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  try {
    const response = await responseTo(text, options, deadline);
    const body = withoutSecret(await bodyOf(response, what, maxBytes), options.secret ?? '');
    if (response.statusCode === 200) return body;
    const status = String(response.statusCode);
    throw new TransientError('ProviderUnavailable', `${what}: status ${status}: ${serverText(body, 200)}`);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof TransientError) throw thrown;
    const why = deadline.aborted ? `no answer within ${deadlineMs / 1000} s` : serverText((thrown as Error).message);
    throw new TransientError('ProviderUnavailable', `${what}: ${why}`, { cause: thrown });
  }
}
