import type { HttpClient as GitHttpClient, GitHttpRequest, GitHttpResponse } from 'isomorphic-git';
import { redactUrl, TerminalError, TransientError } from '../base/index.ts';
import { type BasicCredentials, basicAuthorization } from './basic-auth.ts';
import { failure, type HttpClient, type HttpResponse } from './http-client.ts';

export interface GitHttpOptions {
  readonly http: HttpClient;
  readonly credentials: BasicCredentials | undefined;
  /** Bounds every answer, packs included. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

async function collect(body: GitHttpRequest['body']): Promise<Buffer | undefined> {
  if (body === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* bounded(response: HttpResponse, options: GitHttpOptions): AsyncGenerator<Uint8Array> {
  const { url } = response;
  let sizeBytes = 0;
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      sizeBytes += piece.length;
      if (sizeBytes > options.maxBytes) {
        throw new TerminalError(
          'BodyTooLarge',
          `${redactUrl(url)}: larger than the limit of ${options.maxBytes} bytes`,
        );
      }
      yield piece;
    }
  } catch (thrown) {
    throw failure({ method: 'GET', url, signal: options.signal }, thrown);
  }
}

function assertAnswer(response: HttpResponse): void {
  if (response.status < 500 && response.status !== 429) return;
  response.body.destroy();
  throw new TransientError('ServerUnavailable', `${redactUrl(response.url)}: status ${response.status}`);
}

function toGitResponse(response: HttpResponse, options: GitHttpOptions): GitHttpResponse {
  return {
    url: response.url,
    headers: Object.fromEntries(Object.entries(response.headers).map(([key, value]) => [key, String(value)])),
    body: bounded(response, options),
    statusCode: response.status,
    statusMessage: response.body.statusMessage ?? '',
  };
}

interface Move {
  readonly from: string;
  readonly to: string;
}

/** A repository that has moved says so at its first request; the later ones go straight to the new place, as git does it. */
function findMove(askedUrl: string, answeredUrl: string): Move | undefined {
  const suffix = '/info/refs?service=git-upload-pack';
  if (askedUrl === answeredUrl || !askedUrl.endsWith(suffix) || !answeredUrl.endsWith(suffix)) return undefined;
  return { from: askedUrl.slice(0, -suffix.length), to: answeredUrl.slice(0, -suffix.length) };
}

/** isomorphic-git's view of our HTTP client: bounded, with credentials for the repository's own origin only. */
export function createGitHttp(options: GitHttpOptions): GitHttpClient {
  const { credentials } = options;
  const authorization = credentials === undefined ? {} : { authorization: basicAuthorization(credentials) };
  let move: Move | undefined;
  const request = async (asked: GitHttpRequest): Promise<GitHttpResponse> => {
    const url =
      move !== undefined && asked.url.startsWith(move.from) ? move.to + asked.url.slice(move.from.length) : asked.url;
    const isSameOrigin = new URL(url).origin === new URL(asked.url).origin;
    const body = await collect(asked.body);
    const response = await options.http.send({
      method: asked.method === 'POST' ? 'POST' : 'GET',
      url,
      headers: { ...asked.headers, ...(isSameOrigin ? authorization : {}) },
      ...(body === undefined ? {} : { body }),
      signal: options.signal,
    });
    assertAnswer(response);
    move ??= findMove(asked.url, response.url);
    return toGitResponse(response, options);
  };
  return { request };
}
