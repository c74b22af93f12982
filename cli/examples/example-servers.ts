import { spawnSync } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { readExample, readExampleCatalog } from './example-content.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { type Intercept, type Registry, startRegistry } from './registry.ts';
import { fileEntries, tarFile } from './tar-file.ts';

/** The ports that the documents name. */
export const documentedPorts = { registry: 15_000, git: 15_001 } as const;

/** The login of everything below `private/`. */
export const exampleLogin = { username: 'reader', password: 'word-of-the-reader' } as const;

/** Commits at a fixed time have the same hash at every start, so that a pinned commit remains valid. */
const commitDate = '2026-01-01T00:00:00Z';
const catalogLabels = { 'operators.operatorframework.io.index.configs.v1': '/configs' };
const catalogVersions = { v1: ['0.1.0'], v2: ['0.1.0', '0.1.1', '0.2.0', '1.0.0'] };
const mebibyte = 1024 * 1024;

/** A registry and a git server on loopback that have the examples of the repository. */
export interface ExampleServers extends AsyncDisposable {
  readonly registry: Registry;
  /** Serves archives as well. Undefined where the git program is not installed. */
  readonly git: GitServer | undefined;
}

export interface ExampleServersOptions {
  /** Where they are free; default: any. */
  readonly ports?: { readonly registry: number; readonly git: number };
}

function refusesStrangers(request: IncomingMessage, response: ServerResponse): boolean {
  const { username, password } = exampleLogin;
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  if (request.headers.authorization === expected) return false;
  response.writeHead(401, { 'www-authenticate': 'Basic realm="examples"' }).end();
  return true;
}

/** Names alone: what the servers would decode or shorten first could be another place than the one that is guarded. */
const plainPath = /^(?:\/(?!\.{1,2}(?:[/?]|$))[\w.:@+~-]+)+\/?(?:\?|$)/;

function refusesUnclear({ url = '' }: IncomingMessage, response: ServerResponse): boolean {
  if (plainPath.test(url)) return false;
  response.writeHead(400).end();
  return true;
}

/** The examples cannot be overwritten, and what is below `private/` needs the login. */
const guardRegistry: Intercept = (request, response) => {
  const { method = '', url = '' } = request;
  const repository = /^\/v2\/(.+?)\/(?:manifests|blobs|referrers|tags)\//.exec(url)?.[1] ?? '';
  if (repository.startsWith('private/') && refusesStrangers(request, response)) return true;
  const isExample = /^(combo|catalog|(harbour|tide-gauge)-bundle|private)(\/|$)/.test(repository);
  if (!isExample || method === 'GET' || method === 'HEAD') return false;
  response.writeHead(403, { 'content-type': 'application/json' });
  response.end(`{"errors":[{"code":"DENIED","message":"${repository} is an example: push to another repository"}]}`);
  return true;
};

async function fillRegistry(registry: Registry): Promise<void> {
  for (const { version, files } of await readExample('combo')) {
    for (const repository of ['combo', 'private/combo']) registry.putImage(`${repository}:${version}`, [{ files }]);
  }
  for (const name of ['harbour', 'tide-gauge'] as const) {
    for (const { version, files } of await readExample(name)) {
      registry.putImage(`${name}-bundle:${version}`, [{ files }]);
    }
  }
  for (const [tag, versions] of Object.entries(catalogVersions)) {
    const files = { 'configs/catalog.json': await readExampleCatalog(versions, registry.host) };
    registry.putImage(`catalog:${tag}`, [{ files }], catalogLabels);
  }
}

/** `combo-v0.0.2.tgz` and its siblings. */
function serveArchive(
  archives: ReadonlyMap<string, Buffer>,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const name = /\/(combo-[^/]+\.tgz)$/.exec(request.url ?? '')?.[1];
  const archive = name === undefined ? undefined : archives.get(name);
  if (archive === undefined) return false;
  response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': archive.length }).end(archive);
  return true;
}

async function startExampleGit(port: number): Promise<GitServer> {
  const versions = await readExample('combo');
  const archives = new Map(
    versions.map(({ version, files }) => [`combo-${version}.tgz`, gzipSync(tarFile(fileEntries(files)))]),
  );
  const git = await startGitServer({
    port,
    intercept: (request, response) => {
      if (refusesUnclear(request, response)) return true;
      const isPrivate = request.url?.startsWith('/private/') === true;
      return (isPrivate && refusesStrangers(request, response)) || serveArchive(archives, request, response);
    },
  });
  const commits = versions.map(({ version, files }) => ({ files, tags: [version], date: commitDate }));
  await Promise.all(['combo.git', 'private/combo.git'].map((name) => git.createRepository(name, commits)));
  return git;
}

/** Starts both. Bundles can be pushed to the registry, too, 256 MiB in all, which are lost when it stops. */
export async function startExampleServers({ ports }: ExampleServersOptions = {}): Promise<ExampleServers> {
  await using stack = new AsyncDisposableStack();
  const registry = stack.use(
    await startRegistry({
      port: ports?.registry ?? 0,
      intercept: (request, response) => refusesUnclear(request, response) || guardRegistry(request, response),
      maxPushedBytes: 256 * mebibyte,
    }),
  );
  await fillRegistry(registry);
  const hasGit = spawnSync('git', ['--version']).status === 0;
  const git = hasGit ? stack.use(await startExampleGit(ports?.git ?? 0)) : undefined;
  const owned = stack.move();
  return { registry, git, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
