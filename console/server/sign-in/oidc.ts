import type { Clock } from '../../../src/base/index.ts';
import { ConsoleProblem } from '../problem.ts';
import type { SignedIn } from '../sessions.ts';
import { accessWithToken, type ClusterAddress, identify } from './token.ts';

/** The OpenID Connect provider that the API server trusts. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
}

interface Attempt {
  readonly verifier: string;
  readonly nonce: string;
  readonly startedMs: number;
  readonly localUser: number | undefined;
}

/** What comes back with the browser. */
interface Return {
  /** That of the cookie of this browser, so that no other browser's attempt is completed. */
  readonly state: string;
  /** The user of this machine who sends the request: servers on other ports set cookies too. */
  readonly localUser: number | undefined;
  readonly cluster: ClusterAddress;
}

const attemptMs = 10 * 60_000;
const maxAttempts = 1_000;
/** The token is refreshed so long before it expires. */
const refreshMs = 60_000;

type Client = typeof import('openid-client');

/** Signs in with the authorization code flow and PKCE. The ID token becomes the bearer token for the API server, and is refreshed in time. */
export class OidcSignIn {
  readonly #settings: OidcSettings;
  readonly #clock: Clock;
  readonly #attempts = new Map<string, Attempt>();
  #found: Promise<{ client: Client; config: import('openid-client').Configuration }> | undefined;

  constructor(settings: OidcSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  async #discover(): Promise<{ client: Client; config: import('openid-client').Configuration }> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#settings;
    const url = new URL(issuer);
    const isLoopback = url.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
    const options = isLoopback ? { execute: [client.allowInsecureRequests] } : {};
    const config = await client.discovery(url, clientId, clientSecret, undefined, options);
    return { client, config };
  }

  async #provider(): Promise<{ client: Client; config: import('openid-client').Configuration }> {
    this.#found ??= this.#discover();
    try {
      return await this.#found;
    } catch (thrown) {
      this.#found = undefined;
      throw new ConsoleProblem(502, 'ProviderUnavailable', {
        message: `the provider ${this.#settings.issuer} does not answer: ${thrown instanceof Error ? thrown.message : ''}`,
      });
    }
  }

  /** The address of the provider that the browser goes to, and the state that it comes back with.
   *  @param localUser the user of this machine who sends the request, who alone may complete it */
  async start(redirectUri: string, localUser?: number): Promise<{ readonly url: string; readonly state: string }> {
    const { client, config } = await this.#provider();
    this.#forgetOld();
    const [state, verifier, nonce] = [client.randomState(), client.randomPKCECodeVerifier(), client.randomNonce()];
    this.#attempts.set(state, { verifier, nonce, startedMs: this.#clock.now(), localUser });
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes.join(' '),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { url: url.href, state };
  }

  /** Exchanges the code that the provider sent for tokens.
   *  @throws ConsoleProblem 400 for another attempt, 401 when the provider or the API server refuses */
  async complete(callback: URL, { state, localUser, cluster }: Return): Promise<SignedIn> {
    const attempt = this.#attempts.get(state);
    this.#attempts.delete(state);
    const isOwn = attempt?.localUser === localUser && callback.searchParams.get('state') === state;
    if (attempt === undefined || !isOwn) {
      throw new ConsoleProblem(400, 'UnknownAttempt', {
        message: 'the sign-in was started elsewhere, or too long ago',
      });
    }
    const { client, config } = await this.#provider();
    const grant = { pkceCodeVerifier: attempt.verifier, expectedNonce: attempt.nonce, expectedState: state };
    try {
      const tokens = await client.authorizationCodeGrant(config, callback, { ...grant, idTokenExpected: true });
      const token = this.#keepFresh({ client, config }, tokens);
      const access = accessWithToken(cluster, token);
      return { ...(await identify(access, this.#clock)), access, method: 'oidc' };
    } catch (thrown) {
      if (thrown instanceof ConsoleProblem) throw thrown;
      const message = `the provider refused the sign-in: ${thrown instanceof Error ? thrown.message : ''}`;
      throw new ConsoleProblem(401, 'SignInRefused', { message });
    }
  }

  #keepFresh(
    { client, config }: { readonly client: Client; readonly config: import('openid-client').Configuration },
    first: Awaited<ReturnType<Client['authorizationCodeGrant']>>,
  ): () => Promise<string> {
    let idToken = first.id_token ?? '';
    let refreshToken = first.refresh_token;
    let expiresMs = (first.claims()?.exp ?? 0) * 1000;
    let refreshing: Promise<void> | undefined;
    const refresh = async (token: string): Promise<void> => {
      const next = await client.refreshTokenGrant(config, token);
      idToken = next.id_token ?? idToken;
      refreshToken = next.refresh_token ?? refreshToken;
      expiresMs = (next.claims()?.exp ?? 0) * 1000 || expiresMs;
    };
    return async () => {
      if (refreshToken !== undefined && expiresMs - this.#clock.now() < refreshMs) {
        refreshing ??= refresh(refreshToken)
          // The API server decides about a token that could not be refreshed.
          .catch(() => undefined)
          .finally(() => {
            refreshing = undefined;
          });
        await refreshing;
      }
      return idToken;
    };
  }

  #forgetOld(): void {
    const nowMs = this.#clock.now();
    for (const [state, { startedMs }] of this.#attempts) {
      if (nowMs - startedMs > attemptMs || this.#attempts.size >= maxAttempts) this.#attempts.delete(state);
    }
  }
}
