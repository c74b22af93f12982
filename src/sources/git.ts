import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Clock, errorMessage, redactUrl, TerminalError, TransientError } from '../base/index.ts';
import type { LayerWriter, Staging } from '../content/index.ts';
import { type BasicCredentials, readBasicCredentials } from './basic-auth.ts';
import { createGitHttp } from './git-http.ts';
import { createHttpClient } from './http-client.ts';
import { withRetries } from './retry.ts';
import type { ContentSource, FetchOptions, GitSourceSpec, SourceSecret } from './source.ts';

const commitPattern = /^[0-9a-f]{40}$/;

export interface GitSourceDeps {
  readonly caPem: readonly string[];
  readonly answerDeadlineMs: number;
  readonly clock: Clock;
  /** Clones live below it while they are read. */
  readonly temporaryDir: string;
}

interface GitRequest {
  readonly source: ContentSource;
  readonly secret?: SourceSecret | undefined;
  readonly staging: Staging;
}

type Git = typeof import('isomorphic-git');

interface Repository {
  readonly git: Git;
  readonly gitdir: string;
  /** isomorphic-git keeps parsed packs here for the time of one fetch. */
  readonly cache: object;
}

function cloneError(thrown: unknown): TerminalError | TransientError {
  const text = `bundle unpack git clone error: ${errorMessage(thrown)}`;
  if (thrown instanceof TerminalError) return new TerminalError(thrown.reason, text, { cause: thrown });
  const reason = thrown instanceof TransientError ? thrown.reason : 'CloneFailed';
  return new TransientError(reason, text, { cause: thrown });
}

function assertRepository(repository: string): void {
  if (repository === '')
    throw new TerminalError('InvalidSource', 'missing git source information: repository must be provided');
  if (/^https?:\/\//.test(repository) && URL.canParse(repository)) return;
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(repository)?.[1];
  const problem = scheme === undefined ? 'has no scheme' : `has the unsupported scheme "${scheme}"`;
  throw cloneError(
    new TerminalError(
      'InvalidSource',
      `repository "${redactUrl(repository)}" ${problem}: expected https:// or http://`,
    ),
  );
}

function directorySegments(spec: GitSourceSpec): readonly string[] {
  if (spec.directory === undefined || spec.directory === '') return [];
  const cleaned = posix.normalize(spec.directory);
  if (cleaned === '..' || cleaned.startsWith('../') || cleaned.startsWith('/')) {
    throw directoryError(spec, "directory can not start with '../' or '/'");
  }
  return cleaned.split('/').filter((segment) => segment !== '' && segment !== '.');
}

function directoryError(spec: GitSourceSpec, text: string): TerminalError {
  const where = `get subdirectory "${spec.directory ?? ''}" for repository "${redactUrl(spec.repository)}"`;
  return new TerminalError('InvalidSource', `${where}: ${text}`);
}

/** @throws TerminalError InvalidSecret */
function credentialsOf(secret: SourceSecret | undefined): BasicCredentials | undefined {
  try {
    return readBasicCredentials(secret);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError(thrown.reason, `configuring Auth error: ${thrown.message}`, { cause: thrown });
  }
}

/** What to ask the server for: a full ref name, or a commit. */
function wantedRef(spec: GitSourceSpec): string {
  const { branch, tag, commit } = spec.ref;
  if (branch !== undefined) return `refs/heads/${branch}`;
  if (tag !== undefined) return `refs/tags/${tag}`;
  if (commit !== undefined && commitPattern.test(commit)) return commit;
  throw new TerminalError(
    'InvalidSource',
    `checkout commit "${commit ?? ''}": expected the full hash of 40 hexadecimal digits`,
  );
}

/** Fetches one commit of a repository into the staging area, as shallow as the server allows: regular files only, links dropped,
 *  submodules ignored. The answer is the source pinned by commit.
 *  @throws TerminalError InvalidSource, InvalidSecret and the staging area's limits · TransientError CloneFailed, ServerUnavailable */
export async function fetchGit(
  deps: GitSourceDeps,
  request: GitRequest,
  options: FetchOptions,
): Promise<ContentSource> {
  const spec = request.source.git;
  if (spec === undefined) throw new TerminalError('InvalidSource', 'bundle source git configuration is unset');
  assertRepository(spec.repository);
  const directory = directorySegments(spec);
  const ref = wantedRef(spec);
  const credentials = credentialsOf(request.secret);
  const gitdir = await mkdtemp(`${deps.temporaryDir}/git-`);
  try {
    options.onProgress?.(`cloning ${redactUrl(spec.repository)}, ${ref}`);
    const repository: Repository = { git: await import('isomorphic-git'), gitdir, cache: {} };
    const { caPem, answerDeadlineMs } = deps;
    const insecureSkipVerify = spec.auth?.insecureSkipVerify === true;
    using http = createHttpClient({ caPem, answerDeadlineMs, insecureSkipVerify });
    const maxBytes = request.staging.limits.compressedLayerBytes;
    const gitHttp = createGitHttp({ http, credentials, maxBytes, signal: options.signal });
    const fetched = await fetchCommit(
      repository,
      { url: spec.repository, ref, http: gitHttp },
      { ...options, clock: deps.clock },
    );
    await checkOut(repository, { spec, directory, oid: fetched }, request.staging);
    return { ...request.source, git: { ...spec, ref: { commit: fetched } } };
  } finally {
    await rm(gitdir, { recursive: true, force: true });
  }
}

async function fetchCommit(
  repository: Repository,
  remote: { readonly url: string; readonly ref: string; readonly http: ReturnType<typeof createGitHttp> },
  options: FetchOptions & { readonly clock: Clock },
): Promise<string> {
  const { git, gitdir, cache } = repository;
  const attempt = async (depth: number | undefined): Promise<string> => {
    await git.init({ fs, gitdir, bare: true, defaultBranch: 'main' });
    await git.addRemote({ fs, gitdir, remote: 'origin', url: remote.url, force: true });
    const result = await git.fetch({
      fs,
      gitdir,
      cache,
      http: remote.http,
      url: remote.url,
      remoteRef: remote.ref,
      ref: remote.ref,
      singleBranch: commitPattern.test(remote.ref) ? depth !== undefined : true,
      tags: false,
      ...(depth === undefined ? {} : { depth }),
    });
    const oid = commitPattern.test(remote.ref) ? remote.ref : result.fetchHead;
    if (oid === null) throw new Error('the repository is empty');
    return (await git.readCommit({ fs, gitdir, cache, oid })).oid;
  };
  try {
    return await withRetries(options, async () => await attempt(1));
  } catch (thrown) {
    options.signal.throwIfAborted();
    if (isFinal(thrown, remote.ref)) throw cloneError(thrown);
    return await fetchDeeper(remote.ref, thrown, attempt);
  }
}

/** What asking for more history cannot mend: refused credentials, missing repositories and refs; a commit may lie deeper. */
function isFinal(thrown: unknown, ref: string): boolean {
  if (thrown instanceof TerminalError || thrown instanceof TransientError) return true;
  const code = thrown instanceof Error ? (thrown as { code?: unknown }).code : undefined;
  return code === 'HttpError' || code === 'UserCanceledError' || (code === 'NotFoundError' && !commitPattern.test(ref));
}

/** Some servers neither give single commits nor shallow clones: take all branches, as deep as they are. */
async function fetchDeeper(
  ref: string,
  before: unknown,
  attempt: (depth: number | undefined) => Promise<string>,
): Promise<string> {
  try {
    return await attempt(undefined);
  } catch (thrown) {
    if (!commitPattern.test(ref)) throw cloneError(before);
    const text = `checkout commit "${ref}": ${errorMessage(thrown)}`;
    throw new TransientError('CloneFailed', text, { cause: thrown });
  }
}

async function checkOut(
  repository: Repository,
  wanted: { readonly spec: GitSourceSpec; readonly directory: readonly string[]; readonly oid: string },
  staging: Staging,
): Promise<void> {
  const what = `${redactUrl(wanted.spec.repository)} at ${wanted.oid}`;
  let tree = await readTree(repository, wanted.oid);
  for (const segment of wanted.directory) {
    const next = tree.find((entry) => entry.path === segment && entry.type === 'tree');
    if (next === undefined) throw directoryError(wanted.spec, 'directory does not exist');
    tree = await readTree(repository, next.oid);
  }
  await addTree({ repository, staging, layer: staging.beginLayer(what) }, '', tree);
}

type Tree = Awaited<ReturnType<Git['readTree']>>['tree'];

async function readTree({ git, gitdir, cache }: Repository, oid: string): Promise<Tree> {
  return (await git.readTree({ fs, gitdir, cache, oid })).tree;
}

interface Checkout {
  readonly repository: Repository;
  readonly staging: Staging;
  readonly layer: LayerWriter;
}

/** Depth is bounded by the path limit, which is checked before anything below is read. */
async function addTree(checkout: Checkout, parent: string, tree: Tree): Promise<void> {
  const { git, gitdir, cache } = checkout.repository;
  for (const entry of tree) {
    const path = parent === '' ? entry.path : `${parent}/${entry.path}`;
    if (entry.type === 'tree') {
      checkout.layer.addDirectory(path);
      await addTree(checkout, path, await readTree(checkout.repository, entry.oid));
    } else if (entry.type === 'blob' && entry.mode !== '120000') {
      const { blob } = await git.readBlob({ fs, gitdir, cache, oid: entry.oid });
      checkout.layer.addFile(path, { sizeBytes: blob.length, isExecutable: entry.mode === '100755' })(blob);
      await checkout.layer.relieve();
    }
  }
}
