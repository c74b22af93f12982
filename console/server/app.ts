import Fastify, { type FastifyInstance } from 'fastify';
import type { Clock, Logger } from '../../src/base/index.ts';
import type { RunCommand } from './commands/command.ts';
import { addCommands } from './commands/routes.ts';
import { addGuard, type Origins } from './guard.ts';
import { addPackages } from './packages/routes.ts';
import { sendProblem } from './problem.ts';
import { addProxy } from './proxy.ts';
import type { Sessions } from './sessions.ts';
import { addSignIn, type SignInDeps } from './sign-in/routes.ts';
import { addStaticFiles } from './static-files.ts';
import { addStream } from './stream/routes.ts';

/** What the app needs. */
export interface AppDeps {
  readonly sessions: Sessions;
  readonly signIn: SignInDeps;
  readonly origins: () => Origins;
  readonly runCommand: RunCommand;
  /** The folder of the built page; called when a page is first asked for. */
  readonly openStaticDir: () => Promise<string>;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly closing: AbortSignal;
}

const maxBodyBytes = 1024 * 1024;
const requestTimeoutMs = 4 * 60_000;

/** The console, which does not listen yet. */
export async function buildConsole(deps: AppDeps): Promise<FastifyInstance> {
  const { sessions, log, tls } = deps;
  const options = {
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: true,
    logger: false,
  };
  const secure = tls === undefined ? {} : { https: { ...tls, minVersion: 'TLSv1.2' as const } };
  const app = Fastify({ ...options, ...secure }) as unknown as FastifyInstance;
  addGuard(app, deps.origins);
  app.setErrorHandler((thrown, _, reply) => sendProblem(log, thrown, reply));
  app.setNotFoundHandler((_, reply) => reply.code(404).send({ reason: 'NotFound', message: 'there is nothing here' }));
  app.get('/healthz', async (_, reply) => await reply.type('text/plain').send('ok'));
  addSignIn(app, deps.signIn);
  addStream(app, sessions, deps.closing);
  addPackages(app, sessions, deps.clock);
  addCommands(app, sessions, deps.runCommand);
  await addProxy(app, sessions);
  addStaticFiles(app, deps.openStaticDir);
  return app;
}
