import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { sendProblem } from './problem.ts';
import { Sessions } from './sessions.ts';

const access = { server: 'http://127.0.0.1:1', tls: () => Promise.resolve({}), headers: () => Promise.resolve({}) };
let sessions: Sessions;
let app: FastifyInstance;

beforeEach(() => {
  sessions = new Sessions({
    clock: systemClock,
    log: silentLogger(),
    isSecure: () => false,
    cookieName: () => 'longshore-8080',
    localUserOf: ({ headers }) => Number(headers['x-local-user']),
  });
  app = Fastify();
  app.setErrorHandler((thrown, _, reply: FastifyReply) => sendProblem(silentLogger(), thrown, reply));
  app.get('/sign-in/:user', (request, reply) => {
    const { user } = request.params as { user: string };
    sessions.open({ user, groups: [], access, method: 'token' }, reply);
    return {};
  });
  app.get('/session', (request) => ({ user: sessions.require(request).user }));
  app.get('/sign-out', (request, reply) => {
    sessions.close(request, reply);
    return {};
  });
});

afterEach(async () => {
  sessions[Symbol.dispose]();
  await app.close();
});

/** Signs in as a user of the machine; the cookie of the session. */
async function signIn(user: string, localUser: string): Promise<string> {
  const { headers } = await app.inject({ url: `/sign-in/${user}`, headers: { 'x-local-user': localUser } });
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

async function ask(url: string, cookie: string, localUser: string): Promise<unknown> {
  const { body } = await app.inject({ url, headers: { 'x-local-user': localUser, cookie } });
  return JSON.parse(body);
}

test('a session is used by the user of this machine who signed in, and ended by no one else', async () => {
  const cookie = await signIn('ada', '1000');
  expect(await ask('/session', cookie, '1001')).toMatchObject({ reason: 'NotSignedIn' });
  await ask('/sign-out', cookie, '1001');
  expect(await ask('/session', cookie, '1000')).toEqual({ user: 'ada' });
});

test('a cookie that a server of another user has set is no session of the browser, and hides none', async () => {
  const [own, planted] = [await signIn('ada', '1000'), await signIn('mallory', '1001')];
  expect(await ask('/session', planted, '1000')).toMatchObject({ reason: 'NotSignedIn' });
  expect(await ask('/session', `longshore-8080=x; ${planted}; ${own}`, '1000')).toEqual({ user: 'ada' });
});
