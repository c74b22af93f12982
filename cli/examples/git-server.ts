import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { errorMessage } from '../../src/base/index.ts';
import { type ListenOptions, listenOnLoopback } from './listen.ts';
import type { Intercept } from './registry.ts';

const run = promisify(execFile);

export interface GitServerOptions extends ListenOptions {
  readonly intercept?: Intercept;
}

export interface Commit {
  /** Replaces the whole tree. */
  readonly files: Readonly<Record<string, string>>;
  /** Annotated tags are made for names with `!` at the end. */
  readonly tags?: readonly string[];
  /** When it was made, in ISO 8601 form; default: now. The same commits at the same time have the same hashes. */
  readonly date?: string;
}

/** Repositories of the git program, served over smart HTTP on loopback. */
export interface GitServer extends AsyncDisposable {
  /** `http(s)://127.0.0.1:<port>` */
  readonly url: string;
  /** Makes `<name>` with these commits on `main`, oldest first; the answer is their hashes. */
  createRepository(name: string, commits: readonly Commit[]): Promise<string[]>;
  /** The folder of a repository, for whatever else the git program shall do to it. */
  directoryOf(name: string): string;
}

async function git(directory: string, args: readonly string[], input = ''): Promise<string> {
  // Not what the user has configured: signatures, hooks, line ends.
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  try {
    const running = run('git', ['-c', 'init.defaultBranch=main', ...args], { cwd: directory, env });
    running.child.stdin?.on('error', () => undefined).end(input);
    return (await running).stdout.trim();
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    const text = isMissing ? 'the git program is not installed' : errorMessage(thrown);
    throw new Error(`git ${args[0] ?? ''}: ${text}`, { cause: thrown });
  }
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

/** A commit, with its tags, as a command of `git fast-import` that prints its hash. */
function importCommand({ files, tags = [], date }: Commit, number: number, isContinued: boolean): string {
  const seconds = Math.floor((date === undefined ? Date.now() : Date.parse(date)) / 1000);
  const author = `demo <demo@example.com> ${seconds} +0000`;
  const head = `commit refs/heads/main\nmark :${number}\nauthor ${author}\ncommitter ${author}\n${data('change\n')}`;
  const from = number === 1 && isContinued ? 'from refs/heads/main^0\n' : '';
  const changes = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`);
  const tagCommands = tags.map((tag) =>
    tag.endsWith('!')
      ? `tag ${tag.slice(0, -1)}\nfrom :${number}\ntagger ${author}\n${data('release\n')}`
      : `reset refs/tags/${tag}\nfrom :${number}\n`,
  );
  return `${head}${from}deleteall\n${changes.join('')}${tagCommands.join('')}get-mark :${number}\n`;
}

/** Adds commits to the branch `main` of the repository in the folder, which is made where there is none. One process makes all of them: a process a file,
 *  commit and tag is what took most of the time. */
async function importCommits(directory: string, commits: readonly Commit[]): Promise<string[]> {
  const isContinued = existsSync(`${directory}/.git/refs/heads/main`);
  await mkdir(directory, { recursive: true });
  await git(directory, ['init', '-q', '--template=']);
  const commands = commits.map((commit, index) => importCommand(commit, index + 1, isContinued));
  const hashes = await git(directory, ['fast-import', '--quiet'], commands.join(''));
  await git(directory, ['reset', '-q', '--hard']);
  return hashes.split('\n');
}

/** Programs at a time: requests need no credentials. */
const maxPrograms = 16;

/** What the program is started with; undefined for an address that it cannot be given. */
function requestOf({ method, url = '/', headers }: IncomingMessage): Record<string, string> | undefined {
  const [path = '/', query = ''] = url.split('?', 2);
  try {
    const asked = decodeURIComponent(path);
    if (!asked.startsWith('/') || `${asked}${query}`.includes('\0')) return undefined;
    const type = headers['content-type'] ?? '';
    return { REQUEST_METHOD: method ?? 'GET', PATH_INFO: asked, QUERY_STRING: query, CONTENT_TYPE: type };
  } catch {
    return undefined;
  }
}

function end(response: ServerResponse, status: number): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status).end();
}

/** The git program's own smart HTTP back end, as a CGI program. It ends with its request. */
class Backends {
  readonly #root: string;
  #running = 0;

  constructor(root: string) {
    this.#root = root;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const asked = requestOf(request);
    if (asked === undefined) return end(response, 400);
    if (this.#running >= maxPrograms) return end(response, 503);
    const env = { PATH: process.env['PATH'], GIT_PROJECT_ROOT: this.#root, GIT_HTTP_EXPORT_ALL: '1', ...asked };
    const backend = spawn('git', ['http-backend'], { env });
    this.#running += 1;
    backend.once('close', () => {
      this.#running -= 1;
    });
    backend.on('error', () => end(response, 500));
    backend.stdin.on('error', () => undefined);
    response.once('close', () => backend.kill());
    const steps = request.headers['content-encoding'] === 'gzip' ? [createGunzip()] : [];
    pipeline([request, ...steps, backend.stdin], () => undefined);
    relay(backend.stdout, response);
  }
}

/** Turns CGI output into an HTTP answer. */
function relay(output: NodeJS.ReadableStream, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  output.on('data', (piece: Buffer) => {
    if (response.headersSent) {
      response.write(piece);
      return;
    }
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const lines = head.subarray(0, end).toString().split('\r\n');
    const fields = lines.map((line): [string, string] => [
      line.split(': ')[0] ?? '',
      line.slice(line.indexOf(': ') + 2),
    ]);
    const status = Number.parseInt(fields.find(([name]) => name === 'Status')?.[1] ?? '200', 10);
    response.writeHead(status, Object.fromEntries(fields.filter(([name]) => name !== 'Status')));
    response.write(head.subarray(end + 4));
  });
  output.on('end', () => response.end());
}

/** Starts a git server on loopback, with its repositories in a temporary folder. Needs the git program. */
export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const root = await mkdtemp(`${tmpdir()}/git-server-`);
  const backends = new Backends(root);
  const handle: RequestListener = (request, response) => {
    if (options.intercept?.(request, response) !== true) backends.serve(request, response);
  };
  const server = await listenOnLoopback(handle, options);
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}`,
    directoryOf: (name) => `${root}/${name}`,
    async createRepository(name, commits) {
      return await importCommits(`${root}/${name}`, commits);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}
