import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, redactUrl, trimEnd } from '../../../src/base/index.ts';
import type { ClusterAccess } from '../../../src/kube/index.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session, Sessions } from '../sessions.ts';
import type { SessionInfo, SignInInfo, SignInMethod } from '../wire.ts';
import { SignInAttempts } from './attempts.ts';
import type { OneTimeLink } from './link.ts';
import type { OidcSignIn } from './oidc.ts';
import { isOwnConnection } from './own-connection.ts';
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

const stateCookie = 'longshore-sign-in';
const callbackPath = '/api/sign-in/callback';
/** Bodies of users who are not signed in yet: a token, or the secret of a link. */
const bodyLimit = 32 * 1024;

function textIn(body: unknown, field: string): string {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[field] : undefined;
  return typeof value === 'string' ? value : '';
}

function infoOf(session: Session, deps: SignInDeps): SessionInfo {
  const { user, groups, csrf, access, method } = session;
  const { isEmbedded, version } = deps;
  return {
    user,
    groups,
    csrf,
    server: trimEnd(redactUrl(access.server), '/'),
    isEmbedded,
    version,
    signedInBy: method,
  };
}

function methodsOf({ link, oidc }: SignInDeps): readonly SignInMethod[] {
  return [
    ...(link === undefined ? [] : (['link'] as const)),
    ...(oidc === undefined ? [] : (['oidc'] as const)),
    'token',
  ];
}

/** A secret cannot be guessed, and is compared without a request to anyone: a valid one is taken whatever else was tried. */
async function useLink(
  request: FastifyRequest,
  reply: FastifyReply,
  { deps, attempts }: { readonly deps: SignInDeps; readonly attempts: SignInAttempts },
): Promise<SessionInfo> {
  const { link, sessions, clock } = deps;
  if (link === undefined || !link.secret.use(textIn(request.body, 'secret'), () => isOwnConnection(request.socket))) {
    return await attempts.run(request, () => {
      throw new ConsoleProblem(401, 'LinkUsed', {
        message:
          'the link is not valid: it was used already, belongs to an earlier start, or was opened by another user',
        advice: 'the terminal of "longshore up" shows the present link',
      });
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

function addOidc(app: FastifyInstance, deps: SignInDeps, attempts: SignInAttempts): void {
  const { oidc, sessions, cluster, origin } = deps;
  if (oidc === undefined) return;
  app.post('/api/sign-in/oidc', { bodyLimit }, async (request, reply) => {
    const { url, state } = await attempts.begin(request, () =>
      oidc.signIn.start(`${origin()}${callbackPath}`, sessions.localUserOf(request)),
    );
    setState(reply, state, origin());
    return { url };
  });
  app.get(callbackPath, async (request, reply) => {
    const callback = new URL(request.url, origin());
    const given = { state: stateOf(request), localUser: sessions.localUserOf(request), cluster };
    const signedIn = await attempts.run(request, () => oidc.signIn.complete(callback, given));
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
  const attempts = new SignInAttempts(deps.clock);
  const { sessions, cluster, clock } = deps;
  app.get('/api/sign-in', async (): Promise<SignInInfo> => {
    return { methods: methodsOf(deps), issuer: deps.oidc?.issuer ?? '' };
  });
  app.post('/api/sign-in/link', { bodyLimit }, (request, reply) => useLink(request, reply, { deps, attempts }));
  app.post('/api/sign-in/token', { bodyLimit }, async (request, reply) => {
    const given = { token: textIn(request.body, 'token'), method: 'token' as const };
    const signedIn = await attempts.run(request, () => signInWithToken(cluster, given, clock));
    return infoOf(sessions.open(signedIn, reply), deps);
  });
  addOidc(app, deps, attempts);
  app.get('/api/session', async (request) => infoOf(sessions.require(request), deps));
  app.delete('/api/session', async (request, reply) => {
    sessions.require(request);
    sessions.close(request, reply);
    return {};
  });
}
