import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { TerminalError, TransientError } from '../../base/index.ts';

const maxTailCharacters = 16 * 1024;

export interface SshProgramOptions {
  /** Names the work in messages. */
  readonly what: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** When nothing comes from the program for this long, it is ended. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}

/** How a program ended by itself. */
export interface ProgramEnd {
  readonly code: number | null;
  /** The last lines of standard error. */
  readonly tail: string;
}

/** The error of a program that this machine does not have. */
export function missingProgram(cause?: unknown): TerminalError {
  const text = `git over SSH needs the program "ssh", which is not installed where Longshore runs: install an OpenSSH client, then restart Longshore`;
  return new TerminalError('ProgramMissing', text, { cause });
}

/** Ends a whole process group, and what it started. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** The program ssh, run without a shell in a process group of its own, that does not outlive this object. */
export class SshProgram implements AsyncDisposable {
  readonly #options: SshProgramOptions;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<ProgramEnd>;
  readonly #onAbort: () => void;
  #tail = '';
  /** Why it was ended from here. */
  #fault: Error | undefined;

  constructor(options: SshProgramOptions) {
    const { args, folder: cwd, environment: env, signal } = options;
    signal.throwIfAborted();
    this.#options = options;
    this.#child = spawn('ssh', args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
    this.#ended = promise;
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#tail = (this.#tail + text).slice(-maxTailCharacters);
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.once('error', (thrown) => {
      this.#fault ??= (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? missingProgram(thrown) : thrown;
      resolve({ code: null, tail: this.#tail });
    });
    this.#child.once('close', (code) => resolve({ code, tail: this.#tail }));
    this.#onAbort = () => this.#end(signal.reason as Error);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  #end(why: Error): void {
    this.#fault ??= why;
    killGroup(this.#child.pid);
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  /** What the program writes, until it ends.
   *  @throws TransientError DeadlineExceeded · TerminalError ProgramMissing · the signal's reason */
  async *output(): AsyncGenerator<Buffer> {
    const { silenceMs, what } = this.#options;
    const pieces = this.#child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    for (;;) {
      const timer = setTimeout(() => {
        this.#end(new TransientError('DeadlineExceeded', `${what}: nothing received for ${silenceMs / 1000} s`));
      }, silenceMs);
      try {
        const step = await pieces.next();
        if (step.done === true) break;
        yield step.value;
      } catch (thrown) {
        throw this.#fault ?? thrown;
      } finally {
        clearTimeout(timer);
      }
    }
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Waits for the program to end by itself, for a short time at most.
   *  @throws as `output` */
  async end(): Promise<ProgramEnd> {
    this.#child.stdin.end();
    this.#child.stdout.resume();
    const { silenceMs, what } = this.#options;
    const timer = setTimeout(() => {
      this.#end(new TransientError('DeadlineExceeded', `${what}: nothing received for ${silenceMs / 1000} s`));
    }, silenceMs);
    const ended = await this.#ended;
    clearTimeout(timer);
    if (this.#fault !== undefined) throw this.#fault;
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    killGroup(this.#child.pid);
    // What was not read would keep the pipe open, and the program from counting as ended.
    this.#child.stdout.destroy();
    await this.#ended;
  }
}
