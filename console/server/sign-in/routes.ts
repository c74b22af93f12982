import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../src/base/index.ts';
import type { ClusterAccess } from '../../../src/kube/index.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session, Sessions } from '../sessions.ts';
import type { SessionInfo, SignInInfo, SignInMethod } from '../wire.ts';
import type { OneTimeLink } from './link.ts';
import type { OidcSignIn } from './oidc.ts';
import { type ClusterAddress, identify, signInWithToken } from './token.ts';

/** How users may sign in. */
export interface SignInDeps {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly cluster: ClusterAddress;
  /** On a laptop: who a link signs in as. */
  readonly link:
    | { readonly secret: OneTimeLink; readonly access: ClusterAccess; readonly kubeconfigPath: string }
    | undefined;
  readonly oidc: { readonly signIn: OidcSignIn; readonly issuer: string } | undefined;
  /** `https://console.example.com`, without a slash at its end. */
  readonly origin: () => string;
  readonly isEmbedded: boolean;
  readonly version: string;
}

const maxFailures = 20;
const failureWindowMs = 60_000;
const stateCookie = 'longshore-sign-in';
const callbackPath = '/api/sign-in/callback';

/** Refuses to try credentials when many were refused lately. */
class Failures {
  readonly #times: number[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  assertFew(): void {
    const nowMs = this.#clock.now();
    while (this.#times.length > 0 && nowMs - (this.#times[0] ?? 0) > failureWindowMs) this.#times.shift();
    if (this.#times.length < maxFailures) return;
    throw new ConsoleProblem(429, 'TooManyFailures', { message: 'too many failed attempts: try again in a minute' });
  }

  async count<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (thrown) {
      this.#times.push(this.#clock.now());
      throw thrown;
    }
  }
}

function textIn(body: unknown, field: string): string {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[field] : undefined;
  return typeof value === 'string' ? value : '';
}

function infoOf(session: Session, deps: SignInDeps): SessionInfo {
  const { user, groups, csrf, access, method } = session;
  const { isEmbedded, version } = deps;
  return { user, groups, csrf, server: access.server, isEmbedded, version, signedInBy: method };
}

function methodsOf({ link, oidc }: SignInDeps): readonly SignInMethod[] {
  return [
    ...(link === undefined ? [] : (['link'] as const)),
    ...(oidc === undefined ? [] : (['oidc'] as const)),
    'token',
  ];
}

async function useLink(request: FastifyRequest, reply: FastifyReply, deps: SignInDeps): Promise<SessionInfo> {
  const { link, sessions, clock } = deps;
  if (link === undefined || !link.secret.use(textIn(request.body, 'secret'))) {
    throw new ConsoleProblem(401, 'LinkUsed', {
      message: 'the link is not valid: it was used already, or belongs to an earlier start',
      advice: 'the terminal of "longshore up" shows the present link',
    });
  }
  const { access, kubeconfigPath } = link;
  const signedIn = { ...(await identify(access, clock)), access, kubeconfigPath, method: 'link' as const };
  return infoOf(sessions.open(signedIn, reply), deps);
}

function stateOf(request: FastifyRequest): string {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${stateCookie}=`))?.slice(stateCookie.length + 1) ?? '';
}

/** The cookie is Lax, because the browser comes back from another site; it names the attempt and nothing else. */
function setState(reply: FastifyReply, state: string, origin: string): void {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  const age = state === '' ? 0 : 600;
  const attributes = `Path=${callbackPath}; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`;
  void reply.header('set-cookie', `${stateCookie}=${state}; ${attributes}`);
}

function addOidc(app: FastifyInstance, deps: SignInDeps, failures: Failures): void {
  const { oidc, sessions, cluster, origin } = deps;
  if (oidc === undefined) return;
  app.post('/api/sign-in/oidc', async (_, reply) => {
    const { url, state } = await oidc.signIn.start(`${origin()}${callbackPath}`);
    setState(reply, state, origin());
    return { url };
  });
  app.get(callbackPath, async (request, reply) => {
    failures.assertFew();
    const callback = new URL(request.url, origin());
    const signedIn = await failures.count(oidc.signIn.complete(callback, { state: stateOf(request), cluster }));
    setState(reply, '', origin());
    sessions.open(signedIn, reply);
    // The cookie is Strict: a redirect that another site began would not send it, a page of ours does.
    return await reply
      .type('text/html; charset=utf-8')
      .header('refresh', '0; url=/')
      .send('<!doctype html><title>Signed in</title><a href="/">Continue</a>');
  });
}

/** `/api/sign-in…` and `/api/session`. */
export function addSignIn(app: FastifyInstance, deps: SignInDeps): void {
  const failures = new Failures(deps.clock);
  const { sessions, cluster, clock } = deps;
  app.get('/api/sign-in', async (): Promise<SignInInfo> => {
    return { methods: methodsOf(deps), issuer: deps.oidc?.issuer ?? '' };
  });
  app.post('/api/sign-in/link', async (request, reply) => {
    failures.assertFew();
    return await failures.count(useLink(request, reply, deps));
  });
  app.post('/api/sign-in/token', async (request, reply) => {
    failures.assertFew();
    const given = { token: textIn(request.body, 'token'), method: 'token' as const };
    const signedIn = await failures.count(signInWithToken(cluster, given, clock));
    return infoOf(sessions.open(signedIn, reply), deps);
  });
  addOidc(app, deps, failures);
  app.get('/api/session', async (request) => infoOf(sessions.require(request), deps));
  app.delete('/api/session', async (request, reply) => {
    sessions.require(request);
    sessions.close(request, reply);
    return {};
  });
}
