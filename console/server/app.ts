import type { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import {
  type Clock,
  errorMessage,
  inFewPieces,
  isPrivateAddress,
  type Logger,
  parseJson,
} from '../../src/base/index.ts';
import type { RunCommand } from './commands/command.ts';
import { addCommands } from './commands/routes.ts';
import { createCommandRunner } from './commands/runner.ts';
import { addGuard, type Origins } from './guard.ts';
import type { RecentLines } from './log/recent-lines.ts';
import { addLog } from './log/routes.ts';
import { addPackages } from './packages/routes.ts';
import { ConsoleProblem, sendProblem } from './problem.ts';
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
  /** Reverse proxies in front, which note the address of their client in `X-Forwarded-For`. */
  readonly proxyCount: number;
  /** Of the controllers, where they run in this process. */
  readonly recentLines: RecentLines | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly closing: AbortSignal;
}

const maxBodyBytes = 1024 * 1024;
const maxBodyValues = 50_000;
const requestTimeoutMs = 4 * 60_000;

/** Whether the address of a hop is that of a proxy. The nearest one is in the private network of the console: what a client beyond it sends itself is not believed. */
function trustedProxies(count: number): (address: string, hop: number) => boolean {
  return (address, hop) => hop < count && (hop > 0 || isPrivateAddress(address));
}

/** Reads JSON bodies; files are few values, however long they are. */
function addJsonParser(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, body: string) => {
    if (body === '') return undefined;
    try {
      return await Promise.resolve(parseJson('the body', body, { maxValues: maxBodyValues }));
    } catch (thrown) {
      throw new ConsoleProblem(400, 'InvalidBody', { message: errorMessage(thrown) });
    }
  });
}

/** The console, which does not listen yet. */
export async function buildConsole(deps: AppDeps): Promise<FastifyInstance> {
  const { sessions, log, tls } = deps;
  const options = {
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: true,
    logger: false,
    trustProxy: trustedProxies(deps.proxyCount),
  };
  const secure = tls === undefined ? {} : { https: { ...tls, minVersion: 'TLSv1.2' as const } };
  const app = Fastify({ ...options, ...secure }) as unknown as FastifyInstance;
  addGuard(app, deps.origins);
  // Fastify holds each piece of a body until all have arrived.
  app.addHook(
    'preParsing',
    async (_request, _reply, payload) => await Promise.resolve(inFewPieces(payload as Readable)),
  );
  addJsonParser(app);
  app.setErrorHandler((thrown, _, reply) => sendProblem(log, thrown, reply));
  app.setNotFoundHandler((_, reply) => reply.code(404).send({ reason: 'NotFound', message: 'there is nothing here' }));
  app.get('/healthz', async (_, reply) => await reply.type('text/plain').send('ok'));
  addSignIn(app, deps.signIn);
  addStream(app, sessions, deps.closing);
  addLog(app, sessions, deps.recentLines);
  const runner = createCommandRunner(deps.runCommand);
  addPackages(app, sessions, { clock: deps.clock, runner });
  addCommands(app, sessions, runner);
  await addProxy(app, sessions);
  addStaticFiles(app, deps.openStaticDir);
  return app;
}
