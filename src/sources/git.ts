import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import {
  type Clock,
  type ProxySettings,
  redactUrl,
  sha256Digest,
  TerminalError,
  TransientError,
} from '../base/index.ts';
import type { KeyedLocks, Staging } from '../content/index.ts';
import { basicAuthorization } from './basic-auth.ts';
import { assertNamesHost } from './credential-hosts.ts';
import { parseSshRemote, type SshRemote } from './definitions/index.ts';
import { checkOut, directorySegments, planCheckout } from './git/checkout.ts';
import { cloneError, commitError } from './git/error.ts';
import { type FetchedPack, fetchPack, type UploadPack } from './git/fetch-pack.ts';
import { openHttpUploadPack } from './git/http-transport.ts';
import { Pack } from './git/pack.ts';
import { type RequestedRef, requestedRef } from './git/ref.ts';
import { openSshUploadPack } from './git/ssh-transport.ts';
import { readCommit } from './git/tree.ts';
import { withRetries } from './retry.ts';
import { readServerCredentials } from './server-credentials.ts';
import type { ContentSource, FetchOptions, GitSourceSpec, SourceSecret } from './source.ts';

/** Packets and progress around a pack of the largest size, and the refs before it. */
const framingBytes = 64 * 1024 * 1024;
const smallPacksAtATime = 8;

export interface GitSourceDeps {
  readonly caPem: readonly string[];
  readonly proxies?: ProxySettings | undefined;
  readonly answerDeadlineMs: number;
  readonly clock: Clock;
  /** Clones live below it while they are read. */
  readonly temporaryDir: string;
  /** Where the program `ssh` is looked for, as PATH has it. */
  readonly programPath: string;
  /** Packs that take much memory are opened one at a time in all that shares them. */
  readonly locks: KeyedLocks;
  /** Whether a Secret that names no hosts is for every server. */
  readonly allowsUnnamedHosts: boolean;
}

interface GitRequest {
  readonly source: ContentSource;
  readonly secret?: SourceSecret | undefined;
  readonly staging: Staging;
}

interface Clone extends FetchOptions {
  readonly spec: GitSourceSpec;
  readonly secret: SourceSecret | undefined;
  readonly ref: RequestedRef;
  /** A folder of its own. */
  readonly dir: string;
  readonly maxBytes: number;
  readonly staging: Staging;
}

function sshUrl({ host, port }: SshRemote): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `ssh://${name}:${port ?? 22}`;
}

/** @throws TerminalError InvalidSecret, HostNotNamed, UnverifiedTls */
function authorizationOf(deps: GitSourceDeps, { spec, secret }: Clone): string | undefined {
  const { repository: address, auth } = spec;
  const insecureSkipVerify = auth?.insecureSkipVerify === true;
  try {
    const recipient = { address, insecureSkipVerify, allowsUnnamed: deps.allowsUnnamedHosts };
    const credentials = readServerCredentials(secret, recipient);
    return credentials === undefined ? undefined : basicAuthorization(credentials);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'InvalidSecret') throw thrown;
    throw new TerminalError(thrown.reason, `configuring Auth error: ${thrown.message}`, { cause: thrown });
  }
}

/** Opens a conversation with the server, by the form of the repository's address.
 *  @throws TerminalError InvalidSource, InvalidSecret */
async function connect(deps: GitSourceDeps, clone: Clone): Promise<UploadPack & (Disposable | AsyncDisposable)> {
  const { spec, secret, signal, dir } = clone;
  const address = spec.repository;
  if (address === '')
    throw new TerminalError('InvalidSource', 'missing git source information: repository must be provided');
  const limited = { spec, signal, maxBytes: clone.maxBytes + framingBytes };
  if (/^https?:\/\//.test(address) && URL.canParse(address)) {
    return openHttpUploadPack(deps, { ...limited, authorization: authorizationOf(deps, clone) });
  }
  const remote = parseSshRemote(address);
  if (remote !== undefined) {
    // A private key is never sent; where the Secret names hosts, it is for these.
    assertNamesHost(secret, sshUrl(remote), true);
    await mkdir(`${dir}/ssh`, { mode: 0o700 });
    return await openSshUploadPack({ ...deps, ...limited, secret, remote, folder: `${dir}/ssh` });
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1];
  const problem = scheme === undefined ? 'has no scheme' : `has the unsupported scheme "${scheme}"`;
  const expected = 'expected https://, http:// or ssh://, or user@host:path';
  throw cloneError(new TerminalError('InvalidSource', `repository "${redactUrl(address)}" ${problem}: ${expected}`));
}

function specOf({ git }: ContentSource): GitSourceSpec {
  if (git !== undefined) return git;
  throw new TerminalError('InvalidSource', 'bundle source git configuration is unset');
}

/** Whether a server may have the commit but does not serve commits by hash: servers report that in different words. */
function isUnadvertised(thrown: unknown): boolean {
  if (thrown instanceof TransientError) return thrown.reason === 'CloneFailed';
  return thrown instanceof TerminalError && thrown.reason === 'CommitNotFound';
}

/** @throws TerminalError InvalidSecret, Unauthorized, BodyTooLarge, TooManyObjects … · TransientError CloneFailed, ServerUnavailable */
async function download(deps: GitSourceDeps, clone: Clone): Promise<FetchedPack> {
  const { ref, dir, maxBytes, staging, signal } = clone;
  const onBytes = (sizeBytes: number): void => staging.takeDisk(sizeBytes);
  const onNames = (sizeBytes: number): void => staging.takeMemory(sizeBytes);
  const server = await connect(deps, clone);
  await using _ = server;
  const attempt = (isWhole: boolean): Promise<FetchedPack> =>
    withRetries({ clock: deps.clock, signal }, () =>
      fetchPack(server, { ref, isWhole, path: `${dir}/pack`, maxBytes, signal, onBytes, onNames }),
    );
  try {
    return await attempt(false);
  } catch (thrown) {
    signal.throwIfAborted();
    if (ref.kind === 'name' || !isUnadvertised(thrown)) throw cloneError(thrown);
  }
  try {
    return await attempt(true);
  } catch (thrown) {
    signal.throwIfAborted();
    throw commitError(ref.commit, thrown);
  }
}

function hostOf(address: string): string {
  return parseSshRemote(address)?.host ?? new URL(address).host;
}

/** What was fetched, and for what. */
interface Fetched {
  readonly fetched: FetchedPack;
  readonly clone: Clone;
}

/** Small packs are opened one at a time of those whose hosts share one of a few places, so that a server with many delays few others; larger packs, which
 *  take memory, one at a time of all, the smallest first. Those that take more work than their bytes are worth wait for one another alone. */
async function withPack<Result>(
  { locks }: GitSourceDeps,
  source: Fetched,
  read: (pack: Pack) => Promise<Result>,
): Promise<Result> {
  const { fetched, clone } = source;
  const { spec, signal } = clone;
  const place = Number.parseInt(sha256Digest(hostOf(spec.repository)).slice(-4), 16) % smallPacksAtATime;
  const { size: sizeBytes } = await stat(fetched.path);
  const turns = [
    { size: 'small', key: `git pack ${place}`, wait: { signal } },
    { size: 'large', key: 'large git pack', wait: { signal, sizeBytes } },
  ] as const;
  for (const { size, key, wait } of turns) {
    await using _ = await locks.acquire(key, wait);
    await using pack = await openWithin(size, source);
    if (pack !== undefined) return await read(pack);
  }
  await using _ = await locks.acquire('huge git pack', { signal, sizeBytes });
  await using pack = await Pack.open({ ...fetched, size: 'huge', signal });
  return await read(pack);
}

/** Undefined for one that takes more than packs of that size do. */
async function openWithin(size: 'small' | 'large', source: Fetched): Promise<Pack | undefined> {
  const { fetched, clone } = source;
  await using stack = new AsyncDisposableStack();
  try {
    const pack = stack.use(await Pack.open({ ...fetched, size, signal: clone.signal }));
    if (size === 'large') await planCheckout(...(await checkoutOf(pack, source)));
    stack.move();
    return pack;
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === 'UnpackedTooLarge') return undefined;
    throw thrown;
  }
}

async function checkoutOf(pack: Pack, { fetched, clone }: Fetched): Promise<Parameters<typeof checkOut>> {
  const { ref, spec, staging, signal } = clone;
  if (ref.kind === 'commit' && !pack.has(ref.commit)) {
    throw commitError(
      ref.commit,
      new TerminalError('CommitNotFound', 'not in the repository, neither in a branch nor in a tag'),
    );
  }
  const { oid, tree } = await readCommit(pack, fetched.oid);
  return [
    { pack, format: fetched.format, staging, signal },
    { spec, oid, tree },
  ];
}

async function readPack(pack: Pack, source: Fetched): Promise<string> {
  const [checkout, requested] = await checkoutOf(pack, source);
  await checkOut(checkout, requested);
  return requested.oid;
}

/** Fetches one commit of a repository into the staging area, as shallow as the server allows: regular files only, links dropped,
 *  submodules ignored. The answer is the source pinned by commit. In memory are a table of the objects and single objects; the pack lies on disk.
 *  @throws TerminalError InvalidSource, InvalidSecret, HostNotNamed, Unauthorized, ProgramMissing, CommitNotFound, InvalidPack, ObjectMissing, InvalidObject
 *  and the limits of packs and of the staging area · TransientError CloneFailed, ServerUnavailable, TransferBroken, DeadlineExceeded */
export async function fetchGit(
  deps: GitSourceDeps,
  request: GitRequest,
  options: FetchOptions,
): Promise<ContentSource> {
  const spec = specOf(request.source);
  directorySegments(spec);
  const ref = requestedRef(spec);
  const dir = await mkdtemp(`${deps.temporaryDir}/git-`);
  try {
    const what = ref.kind === 'commit' ? ref.commit : ref.fullName;
    options.onProgress?.(`cloning ${redactUrl(spec.repository)}, ${what}`);
    const { secret, staging } = request;
    const maxBytes = staging.limits.compressedLayerBytes;
    const clone: Clone = { ...options, spec, secret, ref, dir, maxBytes, staging };
    const fetched = await download(deps, clone);
    const oid = await withPack(deps, { fetched, clone }, (pack) => readPack(pack, { fetched, clone }));
    return { ...request.source, git: { ...spec, ref: { commit: oid } } };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
