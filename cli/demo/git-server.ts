import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { errorMessage } from '../../src/base/index.ts';
import { type ListenOptions, listenOnLoopback } from './listen.ts';
import type { Intercept } from './registry.ts';

const run = promisify(execFile);
const author = ['-c', 'user.name=demo', '-c', 'user.email=demo@example.com', '-c', 'init.defaultBranch=main'];

export interface GitServerOptions extends ListenOptions {
  readonly intercept?: Intercept;
}

export interface Commit {
  /** Replaces the whole tree. */
  readonly files: Readonly<Record<string, string>>;
  /** Annotated tags are made for names with `!` at the end. */
  readonly tags?: readonly string[];
  /** When it was made, as git reads it; default: now. The same commits at the same time have the same hashes. */
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

async function git(directory: string, args: readonly string[], date?: string): Promise<string> {
  const dates = date === undefined ? {} : { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  // Not what the user has configured: signatures, hooks, line ends.
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...dates };
  try {
    return (await run('git', [...author, ...args], { cwd: directory, env })).stdout.trim();
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    const text = isMissing ? 'the git program is not installed' : errorMessage(thrown);
    throw new Error(`git ${args[0] ?? ''}: ${text}`, { cause: thrown });
  }
}

async function commitFiles(directory: string, commit: Commit): Promise<string> {
  await git(directory, ['rm', '-rq', '--ignore-unmatch', '.']);
  for (const [path, text] of Object.entries(commit.files)) {
    await mkdir(dirname(`${directory}/${path}`), { recursive: true });
    await writeFile(`${directory}/${path}`, text);
  }
  await git(directory, ['add', '-A']);
  await git(directory, ['commit', '-qm', 'change', '--allow-empty'], commit.date);
  for (const tag of commit.tags ?? []) {
    await git(directory, tag.endsWith('!') ? ['tag', '-a', '-m', 'release', tag.slice(0, -1)] : ['tag', tag]);
  }
  return await git(directory, ['rev-parse', 'HEAD']);
}

/** The git program's own smart HTTP back end, as a CGI program. */
function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
    },
  });
  backend.on('error', () => response.writeHead(500).end());
  backend.stdin.on('error', () => undefined);
  const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
  body.pipe(backend.stdin);
  relay(backend.stdout, response);
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
  const handle: RequestListener = (request, response) => {
    if (options.intercept?.(request, response) !== true) serve(root, request, response);
  };
  const server = await listenOnLoopback(handle, options);
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}`,
    directoryOf: (name) => `${root}/${name}`,
    async createRepository(name, commits) {
      const directory = `${root}/${name}`;
      await mkdir(directory, { recursive: true });
      await git(directory, ['init', '-q']);
      const hashes: string[] = [];
      for (const commit of commits) hashes.push(await commitFiles(directory, commit));
      return hashes;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}
