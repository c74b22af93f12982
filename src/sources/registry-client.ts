import { type Clock, isJsonObject, parseJson, redactUrl, TerminalError, TransientError } from '../base/index.ts';
import { type BasicCredentials, basicAuthorization } from './basic-auth.ts';
import { type HttpClient, type HttpRequest, type HttpResponse, isNotTls, readBody } from './http-client.ts';
import { type Challenge, parseChallenge } from './registry-auth.ts';
import { withRetries } from './retry.ts';

const maxTokenBytes = 1024 * 1024;

export interface RegistryClientOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly registry: string;
  readonly repository: string;
  readonly credentials: BasicCredentials | undefined;
  /** `HOST[:PORT]` that may be spoken to without TLS. */
  readonly insecureRegistries: readonly string[];
  readonly signal: AbortSignal;
}

function isLoopback(registry: string): boolean {
  const host = registry.replace(/:\d+$/, '');
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Pulls from one repository of one registry, with retries and authentication as the registry asks for it.
 *  @see OCI distribution-spec 1.1, "Pulling" */
export class RegistryClient {
  readonly #options: RegistryClientOptions;
  readonly #host: string;
  #scheme: 'https' | 'http' | undefined;
  #authorization: string | undefined;

  constructor(options: RegistryClientOptions) {
    this.#options = options;
    this.#host = options.registry === 'docker.io' ? 'registry-1.docker.io' : options.registry;
  }

  /** GET below `/v2/<repository>/`; answers with status 200 only.
   *  @throws TransientError ServerUnavailable, Unauthorized, NotFound, DeadlineExceeded */
  async get<T>(
    path: string,
    accept: string,
    read: (response: HttpResponse, request: HttpRequest) => Promise<T>,
  ): Promise<T> {
    return await withRetries(this.#options, async () => {
      const { request, response } = await this.#authorized(path, accept);
      if (response.status === 200) return await read(response, request);
      response.body.destroy();
      throw statusError(request, response);
    });
  }

  async #authorized(path: string, accept: string): Promise<{ request: HttpRequest; response: HttpResponse }> {
    const scheme = (this.#scheme ??= await this.#findScheme());
    const url = `${scheme}://${this.#host}/v2/${this.#options.repository}/${path}`;
    const build = (): HttpRequest => ({
      method: 'GET',
      url,
      headers: { accept, ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }) },
      signal: this.#options.signal,
    });
    const first = build();
    const response = await this.#options.http.send(first);
    const challenge = response.status === 401 ? parseChallenge(response.headers['www-authenticate']) : undefined;
    if (challenge === undefined) return { request: first, response };
    response.body.destroy();
    this.#authorization = await this.#answer(challenge, first);
    const second = build();
    return { request: second, response: await this.#options.http.send(second) };
  }

  /** HTTPS always comes first; hosts that may go without are asked once whether they speak it. */
  async #findScheme(): Promise<'https' | 'http'> {
    const mayBePlain = isLoopback(this.#host) || this.#options.insecureRegistries.includes(this.#host);
    if (!mayBePlain) return 'https';
    try {
      const response = await this.#options.http.send({
        method: 'GET',
        url: `https://${this.#host}/v2/`,
        signal: this.#options.signal,
      });
      response.body.destroy();
      return 'https';
    } catch (thrown) {
      if (isNotTls(thrown)) return 'http';
      throw thrown;
    }
  }

  async #answer(challenge: Challenge, request: HttpRequest): Promise<string | undefined> {
    const { credentials } = this.#options;
    if (challenge.scheme === 'bearer') return `Bearer ${await this.#fetchToken(challenge, request)}`;
    return credentials === undefined ? undefined : basicAuthorization(credentials);
  }

  /** The registry names the token server, over its own verified connection; it is trusted as the registry is. */
  async #fetchToken(challenge: Challenge, challenged: HttpRequest): Promise<string> {
    const url = this.#tokenUrl(challenge, challenged);
    const { credentials, signal } = this.#options;
    const headers = credentials === undefined ? {} : { authorization: basicAuthorization(credentials) };
    const request: HttpRequest = { method: 'GET', url: url.href, headers, signal };
    const response = await this.#options.http.send(request);
    if (response.status === 200) return await readToken(request, response);
    response.body.destroy();
    throw statusError(request, response);
  }

  #tokenUrl(challenge: Challenge, challenged: HttpRequest): URL {
    const realm = challenge.parameters.get('realm') ?? '';
    if (!URL.canParse(realm))
      throw new TerminalError('InvalidChallenge', `${describe(challenged)}: the token server has no address`);
    const url = new URL(realm);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.#scheme === 'http')) {
      throw new TerminalError(
        'InvalidChallenge',
        `${describe(challenged)}: the token server ${redactUrl(realm)} does not use HTTPS`,
      );
    }
    const service = challenge.parameters.get('service');
    if (service !== undefined) url.searchParams.set('service', service);
    url.searchParams.set('scope', challenge.parameters.get('scope') ?? `repository:${this.#options.repository}:pull`);
    return url;
  }
}

async function readToken(request: HttpRequest, response: HttpResponse): Promise<string> {
  const body = parseJson(describe(request), (await readBody(request, response, maxTokenBytes)).toString());
  const token = isJsonObject(body) ? (body['token'] ?? body['access_token']) : undefined;
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new TransientError('Unauthorized', `${describe(request)}: the answer holds no token`);
}

function describe(request: HttpRequest): string {
  return `${request.method} ${redactUrl(request.url)}`;
}

const statusTexts: ReadonlyMap<number, { reason: string; text: string }> = new Map([
  [401, { reason: 'Unauthorized', text: '401 Unauthorized: credentials are missing or wrong' }],
  [403, { reason: 'Forbidden', text: '403 Forbidden' }],
  [404, { reason: 'NotFound', text: '404 Not Found' }],
]);

function statusError(request: HttpRequest, response: HttpResponse): TransientError {
  const known = statusTexts.get(response.status);
  const isPassing = response.status === 429 || response.status >= 500;
  const reason = known?.reason ?? (isPassing ? 'ServerUnavailable' : 'UnexpectedAnswer');
  const wishSeconds = Number.parseInt(response.headers['retry-after'] ?? '', 10);
  const wish = Number.isNaN(wishSeconds) ? {} : { retryAfterMs: wishSeconds * 1000 };
  return new TransientError(reason, `${describe(request)}: ${known?.text ?? `status ${response.status}`}`, wish);
}
