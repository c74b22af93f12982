import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { holdAnswer } from '../answers.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session, Sessions } from '../sessions.ts';
import { Shares } from '../shares.ts';
import type { CommandResult } from '../wire.ts';
import type { Words } from './command.ts';
import type { CommandDefinition } from './definition.ts';
import { Input } from './input.ts';
import { type CommandRunner, outputOf } from './runner.ts';
import { commandTable } from './table.ts';

const deadlineMs = 3 * 60_000;
const maxBodyBytes = 32 * 1024 * 1024;
/** Of the bodies that are in memory at a time. */
const uploadLimits = { ofUser: 40 * 1024 * 1024, ofAll: 160 * 1024 * 1024 };

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

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** As a user would type it. */
function typed({ args, shown }: Words): string {
  const words = shown ?? args;
  return ['longshore', ...words.map(shellWord)].join(' ');
}

function findDefinition(name: string): CommandDefinition {
  const found = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined;
  if (found !== undefined) return found;
  throw new ConsoleProblem(404, 'UnknownCommand', { message: `the console has no command "${name.slice(0, 100)}"` });
}

/** A hook that takes the share of a body before it is read. A body whose length is not announced counts as the largest one. */
function takeShare(sessions: Sessions, shares: Shares) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { tenant } = sessions.require(request);
    const length = Number(request.headers['content-length'] ?? maxBodyBytes);
    const share = shares.open(tenant);
    reply.raw.once('close', () => share[Symbol.dispose]());
    if (!share.add(Math.min(length, maxBodyBytes))) {
      throw new ConsoleProblem(429, 'TooManyUploads', {
        message: 'too many files are being uploaded at a time: try again in a moment',
      });
    }
    return await Promise.resolve();
  };
}

/** `/api/commands/NAME`: runs a command of the program as the viewer; with `isPreview` only names it. */
export function addCommands(app: FastifyInstance, sessions: Sessions, runner: CommandRunner): void {
  const onRequest = takeShare(sessions, new Shares(uploadLimits));
  app.post(
    '/api/commands/:name',
    { bodyLimit: maxBodyBytes, onRequest },
    async (request, reply): Promise<CommandResult> => {
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
      const { exitCode, stdout, stderr } = await runner.run(session, words, signal);
      holdAnswer(session, reply, stdout.length + stderr.length);
      return { command, exitCode, output: outputOf(stdout), messages: stderr };
    },
  );
}
