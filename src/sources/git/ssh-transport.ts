import {
  errorMessage,
  isLinkLocalAddress,
  lookupInTurn,
  serverText,
  TerminalError,
  TransientError,
} from '../../base/index.ts';
import type { SshRemote } from '../definitions/index.ts';
import type { GitSourceSpec, SourceSecret } from '../source.ts';
import { ByteReader } from './byte-reader.ts';
import type { UploadPack } from './fetch-pack.ts';
import { identityFile, knownHostsFile, writeIdentity } from './ssh-identity.ts';
import { missingProgram, type ProgramEnd, SshProgram } from './ssh-program.ts';

interface SshOptions {
  readonly remote: SshRemote;
  readonly answerDeadlineMs: number;
  readonly programPath: string;
  /** An empty folder for the key and the known hosts. */
  readonly folder: string;
  readonly spec: GitSourceSpec;
  readonly secret: SourceSecret | undefined;
  /** Bounds all that the server sends in one conversation. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

function checksHost(spec: GitSourceSpec): boolean {
  return spec.auth?.insecureSkipVerify !== true;
}

/** As a POSIX shell on the other side reads it, and as git writes it. */
function shellQuoted(path: string): string {
  return `'${path.replace(/['!]/g, (character) => `'\\${character}'`)}'`;
}

/** Nothing of the machine's or the user's own configuration is read, and nothing is asked. */
function sshArguments({ remote, answerDeadlineMs, spec }: SshOptions): readonly string[] {
  const seconds = Math.ceil(answerDeadlineMs / 1000);
  const isChecked = checksHost(spec);
  const settings = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PreferredAuthentications=publickey',
    'GlobalKnownHostsFile=/dev/null',
    `UserKnownHostsFile=${isChecked ? knownHostsFile : '/dev/null'}`,
    `StrictHostKeyChecking=${isChecked ? 'yes' : 'no'}`,
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
  const port = remote.port === undefined ? [] : ['-p', String(remote.port)];
  const options = settings.flatMap((setting) => ['-o', setting]);
  const command = `git-upload-pack ${shellQuoted(remote.path)}`;
  return [
    '-F',
    '/dev/null',
    '-T',
    '-i',
    identityFile,
    ...options,
    ...port,
    '--',
    `${remote.user}@${remote.host}`,
    command,
  ];
}

interface Complaint {
  readonly pattern: RegExp;
  readonly error: (text: string, host: string) => TerminalError | TransientError;
}

/** What ssh and the server report when trying again would not help; they have no codes, so their words decide. */
const complaints: readonly Complaint[] = [
  { pattern: /ssh: (command )?not found|ssh: No such file/, error: () => missingProgram() },
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
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    error: (_, host) =>
      new TerminalError(
        'HostKeyChanged',
        `the host ${host} presents a key that differs from the one in "ssh-knownhosts": either the server has a new key, or the connection is intercepted. When the owner of the server confirms the new key, put the line that "ssh-keyscan ${host}" prints into the Secret`,
      ),
  },
  {
    pattern: /REVOKED HOST KEY DETECTED/,
    error: (_, host) =>
      new TerminalError(
        'HostKeyRevoked',
        `the host ${host} presents a key that a line of "ssh-knownhosts" marks as @revoked: either the server still has the old key, or it is an impostor with a stolen one. Ask the owner of the server for its new key`,
      ),
  },
  {
    pattern: /Host key verification failed/,
    error: (text, host) =>
      new TerminalError(
        'HostUnknown',
        `no line of "ssh-knownhosts" has the key of the host ${host}; "ssh-keyscan ${host}" prints it: ${text}`,
      ),
  },
  { pattern: /Permission denied \(/, error: (text) => new TerminalError('Unauthorized', text) },
  {
    pattern: /Connection (refused|reset|closed|timed out)|Could not resolve|No route to host|timeout/i,
    error: (text) => new TransientError('ServerUnavailable', text),
  },
];

/** What ssh and the server report, in one line of a bounded length. */
function shown(tail: string): string {
  const lines = tail
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => /[^@\s]/.test(line));
  return serverText(lines.join('; ').slice(-1000));
}

function connectionError({ code, tail }: ProgramEnd, host: string): TerminalError | TransientError {
  const text = shown(tail);
  const found = complaints.find(({ pattern }) => pattern.test(tail));
  if (found !== undefined) return found.error(text, host);
  return new TransientError('CloneFailed', text === '' ? `ssh ended with code ${code}` : text);
}

/** As for HTTP: others choose which host that is. A number such as 2852039166 is an address, too.
 *  @throws TerminalError AddressRefused · TransientError ServerUnavailable */
async function assertAskable({ host }: SshRemote, signal: AbortSignal): Promise<void> {
  let addresses: string[];
  try {
    addresses = (await lookupInTurn(host, signal)).map(({ address }) => address);
  } catch (thrown) {
    signal.throwIfAborted();
    throw new TransientError('ServerUnavailable', errorMessage(thrown), { cause: thrown });
  }
  const refused = addresses.find(isLinkLocalAddress);
  if (refused === undefined) return;
  const text = `${host}: the address ${refused} is link-local or a metadata service: nothing is sent there`;
  throw new TerminalError('AddressRefused', text);
}

class SshUploadPack implements UploadPack, AsyncDisposable {
  readonly #options: SshOptions;
  #program: SshProgram | undefined;
  #reader: ByteReader | undefined;

  constructor(options: SshOptions) {
    this.#options = options;
  }

  async advertise(): Promise<ByteReader> {
    await this[Symbol.asyncDispose]();
    const { folder, programPath, answerDeadlineMs, remote, signal, maxBytes } = this.#options;
    await assertAskable(remote, signal);
    const program = new SshProgram({
      what: remote.address,
      args: sshArguments(this.#options),
      folder,
      environment: { PATH: programPath, HOME: folder, LC_ALL: 'C', SSH_ASKPASS: 'false' },
      silenceMs: answerDeadlineMs,
      signal,
    });
    this.#program = program;
    this.#reader = new ByteReader(this.#output(program), { what: remote.address, maxBytes });
    return this.#reader;
  }

  async request(body: string): Promise<ByteReader> {
    if (this.#program === undefined || this.#reader === undefined) throw new Error('nothing was advertised yet');
    this.#program.write(body);
    return this.#reader;
  }

  /** A program that ends with an error explains an answer that is not whole. */
  async *#output(program: SshProgram): AsyncGenerator<Buffer> {
    yield* program.output();
    const ended = await program.end();
    if (ended.code !== 0) throw connectionError(ended, this.#options.remote.host);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program?.[Symbol.asyncDispose]();
    this.#program = undefined;
  }
}

/** Opens a conversation with `git-upload-pack` by the program ssh; dispose it to end the program.
 *  @throws TerminalError InvalidSecret, naming what is missing */
export async function openSshUploadPack(options: SshOptions): Promise<UploadPack & AsyncDisposable> {
  const { folder, secret, remote, spec } = options;
  await writeIdentity(folder, secret, { host: remote.host, checksHost: checksHost(spec) });
  return new SshUploadPack(options);
}
