import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import {
  defaultContentLimits,
  errorMessage,
  systemClock,
  TerminalError,
  TransientError,
} from '../../../src/base/index.ts';
import { createLocks, Staging } from '../../../src/content/index.ts';
import type { GitSourceDeps } from '../../../src/sources/index.ts';
import { startWebServer } from '../../support/index.ts';
import { type OpenTarget, promised, type Result } from './target.ts';

const mebibyte = 1024 * 1024;
const maxMessageCharacters = 2500;

/** What fetching takes in a target: answers come at once or never, and there is no wait between two tries. */
export const fetchDeps: Omit<GitSourceDeps, 'temporaryDir'> = {
  clock: { ...systemClock, sleep: () => Promise.resolve() },
  answerDeadlineMs: 5_000,
  caPem: [],
  allowsUnnamedHosts: false,
  programPath: '',
  locks: createLocks(),
};

const limits = { ...defaultContentLimits, compressedLayerBytes: mebibyte, unpackedBytes: mebibyte, entries: 100 };

/** Fetches into an empty staging area. A refusal has a class and a short message; what is accepted lies within the area, and can be read. */
export async function fetchResult(folder: string, fetch: (staging: Staging) => Promise<unknown>): Promise<Result> {
  await using staging = await Staging.create(`${folder}/spool`, limits);
  try {
    await fetch(staging);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError || thrown instanceof TransientError)) throw thrown;
    const { length } = errorMessage(thrown);
    promised(length > 0 && length < maxMessageCharacters, `a message of ${length} characters`);
    return 'refused';
  }
  for (const { path, node } of staging.tree.entries()) {
    promised(!path.startsWith('/') && !path.split('/').includes('..'), `an entry ${JSON.stringify(path)}`);
    if (node.kind === 'file') await staging.readFile(path, node, limits.unpackedBytes);
  }
  return 'accepted';
}

/** A place for targets that fetch; `attempt` gets a folder of its own and the address of a server. */
type FetchAttempt = (input: Buffer, place: { readonly folder: string; readonly url: string }) => Promise<Result>;

/** A target beside a web server that answers with the input. */
export async function openBesideWeb(
  respond: (input: Buffer, url: string) => RequestListener,
  attempt: FetchAttempt,
): Promise<OpenTarget> {
  let listener: RequestListener = () => undefined;
  const server = await startWebServer((request, response) => listener(request, response));
  const folder = await mkdtemp(`${tmpdir()}/longshore-fuzz-`);
  return {
    attempt: (input) => {
      listener = respond(input, server.url);
      return attempt(input, { folder, url: server.url });
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A target beside a server whose whole answer, head included, is the input. */
export async function openBesideSocket(attempt: FetchAttempt): Promise<OpenTarget> {
  let answer: Buffer = Buffer.alloc(0);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = await mkdtemp(`${tmpdir()}/longshore-fuzz-`);
  return {
    attempt: (input) => {
      answer = input;
      return attempt(input, { folder, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
