import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { serverText, TransientError, withoutSecret } from '../../../base/index.ts';
import type { Ask } from './external.ts';
import { answerDeadlineMs, maxAnswerBytes } from './protocol.ts';

export interface ProgramProviderOptions {
  /** A path, or a name in PATH. It is started without a shell and without arguments, with the environment of this process. */
  readonly program: string;
  /** Of this process, and so of the program. Values of credentials in it are left out of what the program writes. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly deadlineMs?: number;
}

const maxTailCharacters = 2048;

const secretName = /credential|key|passw|secret|token/i;
/** Shorter values are words that occur in other texts as well. */
const minSecretCharacters = 8;

/** The text without the credentials that the program has in its environment: what it writes becomes Events and conditions. */
function withoutCredentials(text: string, environment: ProgramProviderOptions['environment'] = {}): string {
  const secrets = Object.entries(environment).flatMap(([name, value = '']) =>
    secretName.test(name) && value.length >= minSecretCharacters ? [value] : [],
  );
  return secrets.reduce(withoutSecret, text);
}

/** Ends the program and what it started. */
function kill({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Standard output and the end of standard error, within limits. */
class Output {
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  tail = '';

  constructor(child: ChildProcessWithoutNullStreams, onExcess: () => void) {
    child.stdout.on('data', (piece: Buffer) => {
      this.#bytes += piece.length;
      if (this.#bytes <= maxAnswerBytes) this.#pieces.push(piece);
      else onExcess();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.tail = (this.tail + text).slice(-maxTailCharacters);
    });
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }
}

async function run(
  options: ProgramProviderOptions & { readonly deadlineMs: number },
  text: string,
  signal: AbortSignal,
): Promise<string> {
  const { program, deadlineMs, environment } = options;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn(program, [], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let why: Error | undefined;
  const end = (reason: string): void => {
    why ??= new TransientError('ProviderUnavailable', `${program}: ${reason}`);
    kill(child);
    // What it started in another group may hold the pipes open: they are not waited for.
    reject(why);
  };
  const output = new Output(child, () => end(`the answer is longer than ${maxAnswerBytes} bytes`));
  const timer = setTimeout(() => end(`no answer within ${deadlineMs / 1000} s`), deadlineMs);
  const onAbort = (): void => end('the process stops');
  signal.addEventListener('abort', onAbort, { once: true });
  // A program may answer without reading the request.
  child.stdin.on('error', () => undefined).end(text);
  child.once('error', ({ message }) => {
    reject(new TransientError('ProviderUnavailable', `${program}: ${message}`));
  });
  // What it leaves behind would hold its output open.
  child.once('exit', () => kill(child));
  child.once('close', (status, endedBy) => {
    const tail = output.tail === '' ? '' : `: ${serverText(withoutCredentials(output.tail, environment), 500)}`;
    const ended = `ended with ${status === null ? (endedBy ?? 'no status') : `status ${status}`}${tail}`;
    if (why === undefined && status === 0) resolve(withoutCredentials(output.text, environment));
    else reject(why ?? new TransientError('ProviderUnavailable', `${program}: ${ended}`));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    kill(child);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }
}

/** Asks a provider by a program that reads a JSON document and writes its answer.
 *  @see docs/actuators.md */
export function askByProgram({ deadlineMs = answerDeadlineMs, ...options }: ProgramProviderOptions): Ask {
  return async (text, { signal }) => await run({ ...options, deadlineMs }, text, signal);
}
