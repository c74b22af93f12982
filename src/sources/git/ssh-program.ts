import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { TerminalError, TransientError } from '../../base/index.ts';

const maxTailCharacters = 16 * 1024;
/** Becomes ssh. Beside it waits what ends the process group when no process holds the other end of descriptor 3 any more: where this process is killed, or its
 *  thread ends, nothing else would end a program that its server keeps busy. */
const guarded = '(read -r _ <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 & exec 3<&-; exec ssh "$@"';

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
export function missingProgram(): TerminalError {
  const text = `git over SSH needs the program "ssh", which is not installed where Longshore runs: install an OpenSSH client, then restart Longshore`;
  return new TerminalError('ProgramMissing', text);
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

/** Servers choose what the programs have to do, such as new keys again and again, and there may be more than a hundred: this process goes first. */
function yieldProcessor(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already.
  }
}

/** The program ssh, in a process group of its own, that does not outlive this object. */
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
    const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const;
    this.#child = spawn('/bin/sh', ['-c', guarded, 'sh', ...args], { cwd, env, detached: true, stdio: [...stdio] });
    yieldProcessor(this.#child.pid);
    const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
    this.#ended = promise;
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#tail = (this.#tail + text).slice(-maxTailCharacters);
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.once('error', (thrown) => {
      this.#fault ??= thrown;
      resolve({ code: null, tail: this.#tail });
    });
    // What waits beside ssh holds it open.
    this.#child.once('exit', () => this.#child.stdio[3]?.destroy());
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
