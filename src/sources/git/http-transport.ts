import {
  type Clock,
  nodeHttp,
  type ProxySettings,
  redactUrl,
  serverText,
  TerminalError,
  TransientError,
  trimEnd,
} from '../../base/index.ts';
import { createHttpClient, failure, type HttpClient, type HttpRequest, type HttpResponse } from '../http-client.ts';
import { parseRetryAfter } from '../retry-after.ts';
import { authorizationIn, withoutCredentials } from '../sent-credentials.ts';
import type { GitSourceSpec } from '../source.ts';
import { ByteReader } from './byte-reader.ts';
import type { UploadPack } from './fetch-pack.ts';

export interface GitHttpDeps {
  readonly caPem: readonly string[];
  readonly proxies?: ProxySettings | undefined;
  readonly answerDeadlineMs: number;
  readonly clock: Clock;
}

interface GitHttpOptions {
  readonly spec: GitSourceSpec;
  /** For the repository's own origin. */
  readonly authorization: string | undefined;
  /** Bounds each answer. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const advertisementPath = '/info/refs?service=git-upload-pack';

function statusError({ status, headers }: HttpResponse, nowMs: number): TerminalError | TransientError {
  const text = `HTTP Error: ${status} ${nodeHttp().STATUS_CODES[status] ?? ''}`.trimEnd();
  if (status === 401 || status === 403) return new TerminalError('Unauthorized', text);
  const retryAfterMs = parseRetryAfter(headers['retry-after'], nowMs);
  const isPassing = status >= 500 || status === 429 || status === 408;
  return new TransientError(
    isPassing ? 'ServerUnavailable' : 'CloneFailed',
    text,
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
}

async function* piecesOf(response: HttpResponse, request: HttpRequest): AsyncGenerator<Buffer> {
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) yield piece;
  } catch (thrown) {
    throw failure(request, thrown);
  }
}

/** A git server over smart HTTP. Credentials go to the repository's own origin only.
 *  @see gitprotocol-http(5) */
class HttpUploadPack implements UploadPack {
  readonly #http: HttpClient;
  readonly #clock: Clock;
  readonly #options: GitHttpOptions;
  /** Where the server has sent the first request, as git keeps it for the later ones. */
  #base: string;

  constructor(http: HttpClient, clock: Clock, options: GitHttpOptions) {
    this.#http = http;
    this.#clock = clock;
    this.#options = options;
    this.#base = trimEnd(options.spec.repository, '/');
  }

  async advertise(): Promise<ByteReader> {
    this.#base = trimEnd(this.#options.spec.repository, '/');
    const { reader, url } = await this.#send('advertisement', { method: 'GET', path: advertisementPath });
    if (url.endsWith(advertisementPath)) this.#base = url.slice(0, -advertisementPath.length);
    return reader;
  }

  async request(body: string): Promise<ByteReader> {
    return (await this.#send('result', { method: 'POST', path: '/git-upload-pack', body })).reader;
  }

  async #send(
    answer: 'advertisement' | 'result',
    { method, path, body }: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string },
  ): Promise<{ readonly reader: ByteReader; readonly url: string }> {
    const { signal, spec, maxBytes, authorization } = this.#options;
    const hide = (text: string): string => withoutCredentials(text, authorization ?? authorizationIn(spec.repository));
    const url = `${this.#base}${path}`;
    const isOwn = new URL(url).origin === new URL(spec.repository).origin;
    const type = `application/x-git-upload-pack-${answer}`;
    const headers = {
      accept: type,
      ...(body === undefined ? {} : { 'content-type': 'application/x-git-upload-pack-request' }),
      ...(isOwn && authorization !== undefined ? { authorization } : {}),
    };
    const request: HttpRequest = {
      method,
      url,
      headers,
      body: body === undefined ? undefined : Buffer.from(body),
      signal,
    };
    const response = await this.#http.send(request);
    if (response.status === 200 && response.headers['content-type'] === type) {
      const origin = { what: redactUrl(url), maxBytes, hide };
      return { reader: new ByteReader(piecesOf(response, request), origin), url: response.url };
    }
    response.body.destroy();
    if (response.status !== 200) throw statusError(response, this.#clock.now());
    const contentType = response.headers['content-type'] ?? 'nothing';
    const found = serverText(hide(contentType), 100);
    throw new TransientError('CloneFailed', `${redactUrl(url)}: expected a git server (${type}), got ${found}`);
  }
}

/** Opens a conversation over HTTP(S); dispose it to close its connections. */
export function openHttpUploadPack(deps: GitHttpDeps, options: GitHttpOptions): UploadPack & Disposable {
  const insecureSkipVerify = options.spec.auth?.insecureSkipVerify === true;
  const http = createHttpClient({ ...deps, insecureSkipVerify });
  return Object.assign(new HttpUploadPack(http, deps.clock, options), {
    [Symbol.dispose]: () => http[Symbol.dispose](),
  });
}
