import { type Clock, isJsonObject, type JsonValue, redactUrl, TerminalError, TransientError } from '../base/index.ts';
import { type BasicCredentials, basicAuthorization } from './basic-auth.ts';
import type { Descriptor } from './descriptor.ts';
import { type HttpClient, type HttpRequest, type HttpResponse, isNotTls, readBody } from './http-client.ts';
import type { FoundCredentials } from './pull-credentials.ts';
import type { RateLimits } from './rate-limits.ts';
import { type Challenge, parseChallenge } from './registry-auth.ts';
import { parseRegistryDocument } from './registry-document.ts';
import { rateLimited, refusalOf } from './registry-refusal.ts';
import { withRetries } from './retry.ts';
import { withoutCredentials } from './sent-credentials.ts';
import { assertRealmOf } from './token-realm.ts';

const maxTokenBytes = 1024 * 1024;
/** Time before TLS is tried again on a host without it. */
const plainMs = 60_000;

export interface RegistryClientOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly registry: string;
  readonly repository: string;
  readonly credentials: FoundCredentials;
  readonly limits: RateLimits;
  /** Actions of a token when the registry names none; `pull` when absent. */
  readonly access?: 'pull' | 'pull,push';
  /** `HOST[:PORT]` that may be spoken to without TLS. */
  readonly insecureRegistries: readonly string[];
  readonly signal: AbortSignal;
}

/** What to ask for; `headers` is asked before every try. */
export interface Ask {
  readonly headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  readonly statuses?: readonly number[];
}

/** What to do; `path` counts from `/v2/<repository>/`, and may be a whole address that the registry gave. */
export interface Order {
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: HttpRequest['body'];
  readonly statuses: readonly number[];
}

function isLoopback(registry: string): boolean {
  const host = registry.replace(/:\d+$/, '');
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Speaks to one repository of one registry, with authentication as the registry asks for it.
 *  @see OCI distribution-spec 1.1 */
export class RegistryClient {
  readonly #options: RegistryClientOptions;
  readonly #host: string;
  #scheme: 'https' | 'http' | undefined;
  #authorization: string | undefined;

  constructor(options: RegistryClientOptions) {
    this.#options = options;
    this.#host = options.registry === 'docker.io' ? 'registry-1.docker.io' : options.registry;
  }

  /** GET below `/v2/<repository>/`, with retries; `read` gets an answer with one of `statuses` (200 when absent).
   *  @throws TerminalError Unauthorized, Forbidden, NotFound, UnexpectedAnswer
   *  · TransientError ServerUnavailable, RateLimited, UnexpectedAnswer, DeadlineExceeded */
  async get<T>(path: string, ask: Ask, read: (response: HttpResponse, request: HttpRequest) => Promise<T>): Promise<T> {
    return await withRetries(this.#options, async () => {
      const order = { method: 'GET', path, headers: await ask.headers(), statuses: ask.statuses ?? [200] } as const;
      return await this.order(order, read);
    });
  }

  /** One request, once; `read` gets an answer with one of `statuses`.
   *  @throws as `get` */
  async order<T>(order: Order, read: (response: HttpResponse, request: HttpRequest) => Promise<T>): Promise<T> {
    this.#assertAskable();
    const { request, response } = await this.#authorized(order);
    if (order.statuses.includes(response.status)) return await read(response, request);
    return await this.#refuse(request, response);
  }

  /** The server that is asked, `HOST[:PORT]`. */
  get host(): string {
    return this.#host;
  }

  /** Whether the registry lets these credentials read a blob of this repository: by an answer that states its size. Where it is stored elsewhere, HEAD may be
   *  refused, and the first byte is asked for: a page to sign in refuses HEAD as well. A wrong no costs a transfer.
   *  @throws TransientError as `get` */
  async mayRead({ digest, sizeBytes }: Descriptor): Promise<boolean> {
    const order = { path: `blobs/${digest}`, statuses: sizeStatuses };
    const range = { 'accept-encoding': 'identity', range: 'bytes=0-0' };
    return await withRetries(this.#options, async () => {
      const head = await this.order({ ...order, method: 'HEAD', headers: {} }, statedSize);
      const isAsked = head.sizeBytes === undefined && head.isElsewhere;
      const stated = isAsked ? await this.order({ ...order, method: 'GET', headers: range }, statedSize) : head;
      return stated.sizeBytes === sizeBytes;
    });
  }

  /** Limits are by account, so what one account used up does not hold up another. */
  get #limitKey(): string {
    return `${this.#host} ${this.#options.credentials.credentials?.username ?? ''}`;
  }

  #assertAskable(): void {
    const { clock, limits } = this.#options;
    const leftMs = limits.remainingMs(this.#limitKey);
    if (leftMs > 0) throw rateLimited(this.#host, leftMs, clock.now());
  }

  async #refuse(request: HttpRequest, response: HttpResponse): Promise<never> {
    const { clock, credentials, limits } = this.#options;
    const refusal = await refusalOf(request, response, { nowMs: clock.now(), credentials: credentials.note });
    if (refusal instanceof TransientError && refusal.reason === 'RateLimited') {
      limits.note(this.#limitKey, refusal.retryAfterMs ?? 0);
    }
    throw refusal;
  }

  /** An address that the registry gave may lie elsewhere, where its credentials are not for.
   *  @throws TerminalError RedirectRefused */
  #address(origin: string, path: string): { url: string; isOwn: boolean } {
    const base = `${origin}/v2/${this.#options.repository}/`;
    const url = URL.canParse(path, base) ? new URL(path, base) : undefined;
    const isOwn = url?.origin === new URL(base).origin;
    if (url === undefined || !(url.protocol === 'https:' || isOwn)) {
      throw new TerminalError(
        'RedirectRefused',
        `${this.#host}: redirects to an invalid address or to one without TLS`,
      );
    }
    return { url: url.href, isOwn };
  }

  async #authorized(order: Order): Promise<{ request: HttpRequest; response: HttpResponse }> {
    const scheme = (this.#scheme ??= await this.#findScheme());
    const { url, isOwn } = this.#address(`${scheme}://${this.#host}`, order.path);
    const { method, headers, body } = order;
    const build = (): HttpRequest => {
      const isKnown = isOwn && this.#authorization !== undefined;
      const authorization = isKnown ? { authorization: this.#authorization ?? '' } : {};
      return { method, url, headers: { ...headers, ...authorization }, body, signal: this.#options.signal };
    };
    if (this.#options.repository === '') {
      throw new TerminalError('InvalidMirror', `${this.#host}: a mirror of a whole repository must name a repository`);
    }
    const first = build();
    const response = await this.#options.http.send(first);
    // A redirect target must not decide who gets the credentials of the registry.
    const isChallenge = isOwn && response.status === 401 && new URL(response.url).origin === new URL(url).origin;
    const challenge = isChallenge ? parseChallenge(response.headers['www-authenticate']) : undefined;
    if (challenge === undefined) return { request: first, response };
    response.body.destroy();
    this.#authorization = await this.#answer(challenge, first);
    const second = build();
    return { request: second, response: await this.#options.http.send(second) };
  }

  /** HTTPS always comes first; hosts that may go without are asked once a minute whether they speak it. */
  async #findScheme(): Promise<'https' | 'http'> {
    const { http, limits } = this.#options;
    const mayBePlain = isLoopback(this.#host) || this.#options.insecureRegistries.includes(this.#host);
    if (!mayBePlain) return 'https';
    const secure = `https://${this.#host}`;
    if (limits.remainingMs(secure) > 0) return 'http';
    try {
      const response = await http.send({ method: 'GET', url: `${secure}/v2/`, signal: this.#options.signal });
      response.body.destroy();
      return 'https';
    } catch (thrown) {
      if (!isNotTls(thrown)) throw thrown;
      limits.note(secure, plainMs);
      return 'http';
    }
  }

  async #answer(challenge: Challenge, request: HttpRequest): Promise<string | undefined> {
    const { credentials } = this.#options.credentials;
    if (challenge.scheme === 'bearer') return `Bearer ${await this.#fetchToken(challenge, request)}`;
    return credentials === undefined ? undefined : basicAuthorization(credentials);
  }

  /** The registry names the token server: its credentials go there only when that is its own, or the pull secret has an entry with the same credentials for
   *  it. Other ones of that entry never do, not even within one domain: they may be those of another registry, whose token this one would be given.
   *  @throws TerminalError InvalidChallenge */
  async #credentialsFor(realm: URL): Promise<BasicCredentials | undefined> {
    const { credentials, ofHost } = this.#options.credentials;
    if (credentials === undefined) return undefined;
    const there = ofHost?.(realm.host);
    const isShared = there?.username === credentials.username && there.password === credentials.password;
    if (!isShared) await assertRealmOf(this.#host, realm);
    return credentials;
  }

  async #fetchToken(challenge: Challenge, challenged: HttpRequest): Promise<string> {
    const url = this.#tokenUrl(challenge, challenged);
    const { signal } = this.#options;
    const credentials = await this.#credentialsFor(url);
    const headers = credentials === undefined ? {} : { authorization: basicAuthorization(credentials) };
    // A remote registry must not cause requests to this machine and its network link.
    const isRemoteOnly = !isLoopback(this.#host);
    const request: HttpRequest = { method: 'GET', url: url.href, headers, signal, isRemoteOnly };
    const response = await this.#options.http.send(request);
    if (response.status === 200) return await readToken(request, response);
    return await this.#refuse(request, response);
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
    url.searchParams.set(
      'scope',
      challenge.parameters.get('scope') ?? `repository:${this.#options.repository}:${this.#options.access ?? 'pull'}`,
    );
    return url;
  }
}

/** Answers to the question for the size of a blob: the size, or that it cannot be read. */
const sizeStatuses: readonly number[] = [200, 206, 400, 401, 403, 404, 405, 416, 501];

/** The size of the whole that an answer states, and whether it came from another server than the one that was asked. */
function statedSize(
  { status, headers, body, url }: HttpResponse,
  request: HttpRequest,
): Promise<{ readonly sizeBytes: number | undefined; readonly isElsewhere: boolean }> {
  body.destroy();
  const length = status === 200 ? headers['content-length'] : undefined;
  const total = status === 206 ? /^bytes 0-0\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] : length;
  const sizeBytes = total === undefined ? undefined : Number(total);
  return Promise.resolve({ sizeBytes, isElsewhere: new URL(url).origin !== new URL(request.url).origin });
}

/** The errors alone are without the credentials: a token may have the letters of a short password in it. */
function parseAnswer(request: HttpRequest, text: string): JsonValue {
  try {
    return parseRegistryDocument(describe(request), text);
  } catch {
    return parseRegistryDocument(describe(request), withoutCredentials(text, request.headers?.['authorization']));
  }
}

async function readToken(request: HttpRequest, response: HttpResponse): Promise<string> {
  const body = parseAnswer(request, (await readBody(request, response, maxTokenBytes)).toString());
  const token = isJsonObject(body) ? (body['token'] ?? body['access_token']) : undefined;
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new TransientError('UnexpectedAnswer', `${describe(request)}: the answer holds no token`);
}

function describe(request: HttpRequest): string {
  return `${request.method} ${redactUrl(request.url)}`;
}
