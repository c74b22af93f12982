import fs from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, TerminalError, TransientError } from '../base/index.ts';
import { cloneError, commitError } from './git-error.ts';
import type { GitRemoteOptions } from './git-http-remote.ts';
import type { WantedRef } from './git-ref.ts';
import type { Repository } from './git-repository.ts';
import { missingProgram, type ProgramEnd, runProgram } from './program.ts';
import { withRetries } from './retry.ts';
import type { SshRemote } from './ssh-address.ts';
import { identityFile, knownHostsFile, writeIdentity } from './ssh-identity.ts';

interface GitSshDeps {
  readonly remote: SshRemote;
  readonly answerDeadlineMs: number;
  readonly clock: Clock;
  readonly programPath: string;
}

const fetchedRef = 'refs/longshore/fetched';
const maxShownCharacters = 1000;

/** Nothing of the machine's or the user's own configuration is read, nothing is asked, and no program but ssh is started. */
const gitSettings = [
  ['core.hooksPath', '/dev/null'],
  ['protocol.allow', 'never'],
  ['protocol.ssh.allow', 'always'],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.unpackLimit', '1'],
  ['maintenance.auto', 'false'],
  ['gc.auto', '0'],
  ['credential.helper', ''],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

function sshCommand(deps: GitSshDeps, checksHost: boolean): string {
  const seconds = Math.ceil(deps.answerDeadlineMs / 1000);
  const settings = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PreferredAuthentications=publickey',
    'GlobalKnownHostsFile=/dev/null',
    `UserKnownHostsFile=${checksHost ? knownHostsFile : '/dev/null'}`,
    `StrictHostKeyChecking=${checksHost ? 'yes' : 'no'}`,
    'UpdateHostKeys=no',
    `ConnectTimeout=${seconds}`,
    `ServerAliveInterval=${seconds}`,
    'ServerAliveCountMax=1',
    'ControlMaster=no',
    'ControlPath=none',
    'ClearAllForwardings=yes',
    'ForwardAgent=no',
    'PermitLocalCommand=no',
    'LogLevel=ERROR',
  ];
  return `ssh -F /dev/null -T -i ${identityFile} ${settings.map((setting) => `-o ${setting}`).join(' ')}`;
}

async function folderBytes(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const facts = await stat(`${folder}/${name}`).catch(() => undefined);
    if (facts?.isFile() === true) total += facts.size;
  }
  return total;
}

/** The git program in a private home. */
class GitProgram {
  readonly #deps: GitSshDeps;
  readonly #home: string;
  readonly #options: GitRemoteOptions;
  readonly gitdir: string;

  constructor(deps: GitSshDeps, repository: Repository, options: GitRemoteOptions) {
    this.#deps = deps;
    this.#options = options;
    this.gitdir = repository.gitdir;
    this.#home = dirname(repository.gitdir);
  }

  /** Makes an empty repository and the files that prove who asks. */
  async prepare(): Promise<void> {
    await mkdir(`${this.#home}/empty`, { mode: 0o700 });
    await writeIdentity(this.#home, this.#options.secret, {
      host: this.#deps.remote.host,
      checksHost: this.#checksHost,
    });
    const { code, tail } = await this.#run(['init', '--quiet', '--bare', '--template=', this.gitdir]);
    if (code !== 0) throw new TransientError('CloneFailed', shown(tail));
  }

  get #checksHost(): boolean {
    return this.#options.spec.auth?.insecureSkipVerify !== true;
  }

  /** @throws TerminalError Unauthorized, HostUnknown, CommitNotFound, … · TransientError CloneFailed */
  async fetch(refspecs: readonly string[], depth: readonly string[]): Promise<void> {
    const quiet = ['--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--progress', '--force'];
    const args = ['fetch', ...quiet, ...depth, '--', this.#deps.remote.address, ...refspecs];
    const end = await this.#run([...gitSettings, `--git-dir=${this.gitdir}`, ...args]);
    if (end.code !== 0) throw fetchError(end, this.#deps.remote.host);
  }

  async #run(args: readonly string[]): Promise<ProgramEnd> {
    const { onProgress, maxBytes, signal } = this.#options;
    return await runProgram('git', args, {
      what: this.#deps.remote.address,
      folder: this.#home,
      environment: this.#environment(),
      silenceMs: this.#deps.answerDeadlineMs,
      maxBytes,
      measure: () => folderBytes(this.gitdir),
      onLine: (line) => {
        if (line.startsWith('Receiving objects: '))
          onProgress?.(`cloning ${this.#deps.remote.address}, ${line.slice(0, 100)}`);
      },
      signal,
    });
  }

  #environment(): Record<string, string> {
    return {
      PATH: this.#deps.programPath,
      HOME: this.#home,
      XDG_CONFIG_HOME: `${this.#home}/empty`,
      LC_ALL: 'C',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: 'false',
      SSH_ASKPASS: 'false',
      GIT_SSH_COMMAND: sshCommand(this.#deps, this.#checksHost),
      GIT_SSH_VARIANT: 'ssh',
    };
  }
}

/** What git and ssh say, without what moves the cursor, in one line of a bounded length. */
function shown(tail: string): string {
  const lines = tail
    .split('\n')
    // oxlint-disable-next-line no-control-regex -- control characters are what it removes
    .map((line) => line.replace(/[\0-\x1f\x7f]/g, '').trim())
    .filter((line) => line !== '' && !/^(remote: )?(Enumerating|Counting|Compressing|Receiving|Resolving) /.test(line));
  return lines.join('; ').slice(-maxShownCharacters);
}

interface Complaint {
  readonly pattern: RegExp;
  readonly error: (text: string, host: string) => TerminalError | TransientError;
}

/** What the two programs say when trying again would not help; they have no codes, so their words in the C locale decide. */
const complaints: readonly Complaint[] = [
  { pattern: /cannot run ssh|ssh: (command )?not found|ssh: No such file/, error: () => missingProgram('ssh') },
  {
    pattern: /No user exists for uid/,
    error: (text) =>
      new TerminalError('ProgramMissing', `ssh needs the user that Longshore runs as in /etc/passwd: ${text}`),
  },
  {
    pattern: /error in libcrypto|invalid format/,
    error: (text) =>
      new TerminalError('InvalidSecret', `configuring Auth error: ssh cannot use the private key: ${text}`),
  },
  {
    pattern: /Host key verification failed/,
    error: (text, host) =>
      new TerminalError('HostUnknown', `the key of the host ${host} is not the one in "ssh-knownhosts": ${text}`),
  },
  { pattern: /Permission denied \(/, error: (text) => new TerminalError('Unauthorized', text) },
  {
    pattern: /not our ref|unadvertised object|no such remote ref [0-9a-f]{40}/,
    error: (text) => new TerminalError('CommitNotFound', text),
  },
  {
    pattern: /Connection (refused|reset|closed|timed out)|Could not resolve|No route to host|timeout/i,
    error: (text) => new TransientError('ServerUnavailable', text),
  },
];

function fetchError({ code, tail }: ProgramEnd, host: string): TerminalError | TransientError {
  const text = shown(tail);
  const found = complaints.find(({ pattern }) => pattern.test(tail));
  if (found !== undefined) return found.error(text, host);
  return new TransientError('CloneFailed', text === '' ? `git ended with code ${code}` : text);
}

async function fetchCommit(program: GitProgram, commit: string): Promise<void> {
  try {
    await program.fetch([`${commit}:${fetchedRef}`], ['--depth=1']);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'CommitNotFound') throw thrown;
    // The server gives no commits by their hashes: it may be in a branch or tag.
    await program.fetch(['+refs/heads/*:refs/longshore/heads/*', '+refs/tags/*:refs/longshore/tags/*'], []);
  }
}

async function readFetched({ git, gitdir, cache }: Repository, ref: WantedRef): Promise<string> {
  if (ref.kind === 'name') {
    const oid = await git.resolveRef({ fs, gitdir, ref: fetchedRef });
    return (await git.readCommit({ fs, gitdir, cache, oid })).oid;
  }
  try {
    return (await git.readCommit({ fs, gitdir, cache, oid: ref.commit })).oid;
  } catch (thrown) {
    const text = 'not in the repository, neither in a branch nor in a tag';
    throw commitError(ref.commit, new TerminalError('CommitNotFound', text, { cause: thrown }));
  }
}

/** Fetches one commit over SSH with the programs git and ssh into an empty folder, as shallow as the server allows. Answers its hash.
 *  @throws TerminalError InvalidSecret, ProgramMissing, HostUnknown, Unauthorized, CommitNotFound, BodyTooLarge
 *  · TransientError CloneFailed, ServerUnavailable, DeadlineExceeded */
export async function fetchOverSsh(
  deps: GitSshDeps,
  repository: Repository,
  options: GitRemoteOptions,
): Promise<string> {
  const { ref, signal } = options;
  const program = new GitProgram(deps, repository, options);
  try {
    await program.prepare();
    await withRetries({ clock: deps.clock, signal }, async () => {
      if (ref.kind === 'commit') await fetchCommit(program, ref.commit);
      else await program.fetch([`+${ref.fullName}:${fetchedRef}`], ['--depth=1']);
    });
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof TerminalError && thrown.reason === 'InvalidSecret') throw thrown;
    throw cloneError(thrown);
  }
  return await readFetched(repository, ref);
}
