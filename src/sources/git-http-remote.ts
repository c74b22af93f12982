import fs from 'node:fs';
import { type Clock, TerminalError, TransientError } from '../base/index.ts';
import { readBasicCredentials } from './basic-auth.ts';
import { cloneError, commitError } from './git-error.ts';
import { createGitHttp } from './git-http.ts';
import type { WantedRef } from './git-ref.ts';
import type { Repository } from './git-repository.ts';
import { createHttpClient } from './http-client.ts';
import { withRetries } from './retry.ts';
import type { FetchOptions, GitSourceSpec, SourceSecret } from './source.ts';

export interface GitRemoteOptions extends FetchOptions {
  readonly spec: GitSourceSpec;
  readonly secret: SourceSecret | undefined;
  readonly ref: WantedRef;
  /** Bounds what the server sends. */
  readonly maxBytes: number;
}

interface GitHttpDeps {
  readonly caPem: readonly string[];
  readonly answerDeadlineMs: number;
  readonly clock: Clock;
}

/** @throws TerminalError InvalidSecret */
function credentialsOf(secret: SourceSecret | undefined): ReturnType<typeof readBasicCredentials> {
  try {
    return readBasicCredentials(secret);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError(thrown.reason, `configuring Auth error: ${thrown.message}`, { cause: thrown });
  }
}

/** Fetches one commit over HTTP(S) into an empty folder, as shallow as the server allows. Answers its hash.
 *  @throws TerminalError InvalidSecret, Unauthorized, BodyTooLarge · TransientError CloneFailed, ServerUnavailable */
export async function fetchOverHttp(
  deps: GitHttpDeps,
  repository: Repository,
  options: GitRemoteOptions,
): Promise<string> {
  const { spec, ref, signal, maxBytes } = options;
  const credentials = credentialsOf(options.secret);
  const insecureSkipVerify = spec.auth?.insecureSkipVerify === true;
  using http = createHttpClient({ ...deps, insecureSkipVerify });
  const gitHttp = createGitHttp({ http, credentials, maxBytes, signal });
  const attempt = (depth: number | undefined): Promise<string> =>
    fetchOnce(repository, { url: spec.repository, ref, depth, http: gitHttp });
  try {
    return await withRetries({ clock: deps.clock, signal }, async () => await attempt(1));
  } catch (thrown) {
    signal.throwIfAborted();
    if (isFinal(thrown, ref)) throw cloneError(thrown);
    return await fetchDeeper(ref, thrown, attempt);
  }
}

async function fetchOnce(
  { git, gitdir, cache }: Repository,
  remote: {
    readonly url: string;
    readonly ref: WantedRef;
    readonly depth: number | undefined;
    readonly http: ReturnType<typeof createGitHttp>;
  },
): Promise<string> {
  const { url, ref, depth, http } = remote;
  const name = ref.kind === 'commit' ? ref.commit : ref.fullName;
  await git.init({ fs, gitdir, bare: true, defaultBranch: 'main' });
  await git.addRemote({ fs, gitdir, remote: 'origin', url, force: true });
  const result = await git.fetch({
    fs,
    gitdir,
    cache,
    http,
    url,
    remoteRef: name,
    ref: name,
    singleBranch: ref.kind === 'name' || depth !== undefined,
    tags: false,
    ...(depth === undefined ? {} : { depth }),
  });
  const oid = ref.kind === 'commit' ? ref.commit : result.fetchHead;
  if (oid === null) throw new Error('the repository is empty');
  return (await git.readCommit({ fs, gitdir, cache, oid })).oid;
}

/** What asking for more history cannot mend: refused credentials, missing repositories and refs; a commit may lie deeper. */
function isFinal(thrown: unknown, ref: WantedRef): boolean {
  if (thrown instanceof TerminalError || thrown instanceof TransientError) return true;
  const code = thrown instanceof Error ? (thrown as { code?: unknown }).code : undefined;
  return code === 'HttpError' || code === 'UserCanceledError' || (code === 'NotFoundError' && ref.kind === 'name');
}

/** Some servers neither give single commits nor shallow clones: take all branches, as deep as they are. */
async function fetchDeeper(
  ref: WantedRef,
  before: unknown,
  attempt: (depth: number | undefined) => Promise<string>,
): Promise<string> {
  try {
    return await attempt(undefined);
  } catch (thrown) {
    throw ref.kind === 'commit' ? commitError(ref.commit, thrown) : cloneError(before);
  }
}
