import { mkdtemp, rm } from 'node:fs/promises';
import { type Clock, redactUrl, TerminalError } from '../base/index.ts';
import type { Staging } from '../content/index.ts';
import { cloneError } from './git-error.ts';
import { fetchOverHttp, type GitRemoteOptions } from './git-http-remote.ts';
import { wantedRef } from './git-ref.ts';
import { checkOut, directorySegments, type Repository } from './git-repository.ts';
import { fetchOverSsh } from './git-ssh-remote.ts';
import type { ContentSource, FetchOptions, GitSourceSpec, SourceSecret } from './source.ts';
import { parseSshRemote } from './ssh-address.ts';

export interface GitSourceDeps {
  readonly caPem: readonly string[];
  readonly answerDeadlineMs: number;
  readonly clock: Clock;
  /** Clones live below it while they are read. */
  readonly temporaryDir: string;
  /** Where the programs `git` and `ssh` are looked for, as PATH has it. */
  readonly programPath: string;
}

interface GitRequest {
  readonly source: ContentSource;
  readonly secret?: SourceSecret | undefined;
  readonly staging: Staging;
}

type FetchCommit = (repository: Repository, options: GitRemoteOptions) => Promise<string>;

/** How a repository is reached, by the form of its address.
 *  @throws TerminalError InvalidSource */
function remoteOf(deps: GitSourceDeps, address: string): FetchCommit {
  if (address === '')
    throw new TerminalError('InvalidSource', 'missing git source information: repository must be provided');
  if (/^https?:\/\//.test(address) && URL.canParse(address)) {
    return (repository, options) => fetchOverHttp(deps, repository, options);
  }
  const remote = parseSshRemote(address);
  if (remote !== undefined) return (repository, options) => fetchOverSsh({ ...deps, remote }, repository, options);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1];
  const problem = scheme === undefined ? 'has no scheme' : `has the unsupported scheme "${scheme}"`;
  const expected = 'expected https://, http:// or ssh://, or user@host:path';
  throw cloneError(new TerminalError('InvalidSource', `repository "${redactUrl(address)}" ${problem}: ${expected}`));
}

function specOf({ git }: ContentSource): GitSourceSpec {
  if (git !== undefined) return git;
  throw new TerminalError('InvalidSource', 'bundle source git configuration is unset');
}

/** Fetches one commit of a repository into the staging area, as shallow as the server allows: regular files only, links dropped,
 *  submodules ignored. The answer is the source pinned by commit.
 *  @throws TerminalError InvalidSource, InvalidSecret, Unauthorized, ProgramMissing and the staging area's limits
 *  · TransientError CloneFailed, ServerUnavailable, DeadlineExceeded */
export async function fetchGit(
  deps: GitSourceDeps,
  request: GitRequest,
  options: FetchOptions,
): Promise<ContentSource> {
  const spec = specOf(request.source);
  const fetchCommit = remoteOf(deps, spec.repository);
  directorySegments(spec);
  const ref = wantedRef(spec);
  const dir = await mkdtemp(`${deps.temporaryDir}/git-`);
  try {
    const what = ref.kind === 'commit' ? ref.commit : ref.fullName;
    options.onProgress?.(`cloning ${redactUrl(spec.repository)}, ${what}`);
    const repository: Repository = { git: await import('isomorphic-git'), gitdir: `${dir}/repository.git`, cache: {} };
    const maxBytes = request.staging.limits.compressedLayerBytes;
    const oid = await fetchCommit(repository, { ...options, spec, secret: request.secret, ref, maxBytes });
    await checkOut(repository, { spec, oid }, request.staging);
    return { ...request.source, git: { ...spec, ref: { commit: oid } } };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
