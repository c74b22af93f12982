import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../../src/base/index.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session, Sessions } from '../sessions.ts';
import type { CommandResult } from '../wire.ts';
import type { CommandRun, RunCommand, Words } from './command.ts';
import type { CommandDefinition } from './definition.ts';
import { Input } from './input.ts';
import { commandTable } from './table.ts';
import { UploadShares } from './upload-shares.ts';

const deadlineMs = 3 * 60_000;
const maxBodyBytes = 32 * 1024 * 1024;
/** Commands are processes: two cores run two of them. */
const maxRunning = 3;
const maxWaiting = 24;
const maxOfUser = 8;

/** Lets so many run, and so many wait. */
class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #byUser = new Map<string, number>();

  async take<T>({ user }: Session, work: () => Promise<T>): Promise<T> {
    const own = this.#byUser.get(user) ?? 0;
    if (own >= maxOfUser || this.#waiting.length >= maxWaiting) {
      throw new ConsoleProblem(429, 'TooManyCommands', { message: 'too many commands run: try again in a moment' });
    }
    this.#byUser.set(user, own + 1);
    try {
      if (this.#running >= maxRunning) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      this.#running += 1;
      return await work().finally(() => {
        this.#running -= 1;
        this.#waiting.shift()?.();
      });
    } finally {
      const left = (this.#byUser.get(user) ?? 1) - 1;
      if (left === 0) this.#byUser.delete(user);
      else this.#byUser.set(user, left);
    }
  }
}

/** The credentials of the viewer as the commands of the program read them. */
async function kubeconfigOf({ kubeconfigPath, access }: Session): Promise<CommandRun['kubeconfig']> {
  if (kubeconfigPath !== undefined) return { path: kubeconfigPath };
  const { authorization = '' } = await access.headers();
  const { ca } = await access.tls();
  const cluster = {
    server: access.server,
    ...(ca === undefined ? {} : { 'certificate-authority-data': ca.toString('base64') }),
  };
  const document: JsonObject = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'console',
    clusters: [{ name: 'console', cluster }],
    users: [{ name: 'console', user: { token: authorization.replace(/^Bearer /, '') } }],
    contexts: [{ name: 'console', context: { cluster: 'console', user: 'console' } }],
  };
  return { document };
}

/** Commands that fetch what a request names reach into the network of the server. A user who may create BundleDeployments reaches as far by them. */
async function assertMayFetch({ kube, kubeconfigPath }: Session): Promise<void> {
  if (kubeconfigPath !== undefined) return;
  const resourceAttributes = { group: 'core.rukpak.io', resource: 'bundledeployments', verb: 'create' };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes },
  };
  const { status } = (await kube.create(review, { fieldManager: 'longshore' })) as { status?: { allowed?: boolean } };
  if (status?.allowed === true) return;
  throw new ConsoleProblem(403, 'Forbidden', {
    message: 'fetching content through the console needs the permission to create bundledeployments.core.rukpak.io',
    advice: 'run the command on a machine of your own',
  });
}

/** As a user would type it. */
function typed({ args, shown }: Words): string {
  const words = shown ?? args;
  return ['longshore', ...words.map((word) => (/[^\w@%+=:,./-]/.test(word) ? `'${word}'` : word))].join(' ');
}

function outputOf(stdout: string): unknown {
  const text = stdout.trim();
  if (!/^[[{]/.test(text)) return stdout;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return stdout;
  }
}

function findDefinition(name: string): CommandDefinition {
  const found = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined;
  if (found !== undefined) return found;
  throw new ConsoleProblem(404, 'UnknownCommand', { message: `the console has no command "${name.slice(0, 100)}"` });
}

/** A hook that takes the share of a body before it is read. A body whose length is not announced counts as the largest one. */
function takeShare(sessions: Sessions, shares: UploadShares) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { user } = sessions.require(request);
    const length = Number(request.headers['content-length'] ?? maxBodyBytes);
    const share = shares.take(user, Math.min(length, maxBodyBytes));
    reply.raw.once('close', () => share[Symbol.dispose]());
    return await Promise.resolve();
  };
}

/** `/api/commands/NAME`: runs a command of the program as the viewer; with `isPreview` only names it. */
export function addCommands(app: FastifyInstance, sessions: Sessions, runCommand: RunCommand): void {
  const turns = new Turns();
  const onRequest = takeShare(sessions, new UploadShares());
  app.post('/api/commands/:name', { bodyLimit: maxBodyBytes, onRequest }, async (request): Promise<CommandResult> => {
    const session = sessions.require(request);
    const definition = findDefinition((request.params as { name: string }).name);
    const input = new Input(request.body);
    const words = await definition.words(input, session);
    const command = typed(words);
    if (input.isTrue('isPreview')) return { command, exitCode: 0, output: '', messages: '' };
    if (definition.isFetching) await assertMayFetch(session);
    const closed = new AbortController();
    request.raw.once('close', () => {
      // A change that was begun is not left half way.
      if (!definition.isChange && request.raw.destroyed) closed.abort();
    });
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(deadlineMs)]);
    const { args, files = new Map() } = words;
    const kubeconfig = await kubeconfigOf(session);
    const { exitCode, stdout, stderr } = await turns.take(session, () =>
      runCommand({ args, files, kubeconfig, signal }),
    );
    return { command, exitCode, output: outputOf(stdout), messages: stderr };
  });
}
