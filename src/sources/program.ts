import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { TerminalError, TransientError } from '../base/index.ts';

const watchMs = 200;
const maxTailCharacters = 16 * 1024;

export interface ProgramOptions {
  /** Names the work in messages. */
  readonly what: string;
  readonly folder: string;
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Without a word on standard error or growth for this long, the program is ended. */
  readonly silenceMs: number;
  readonly maxBytes: number;
  /** How much the program has written to disk so far. */
  readonly measure: () => Promise<number>;
  /** Every whole line of standard error. */
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** How a program ended by itself. */
export interface ProgramEnd {
  readonly code: number | null;
  /** The last lines of standard error. */
  readonly tail: string;
}

/** Ends a whole process group, and whatever it started. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Hands out whole lines, where a carriage return ends one too; keeps the last of them. */
class Lines {
  readonly #onLine: (line: string) => void;
  #open = '';
  #tail = '';
  count = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  get tail(): string {
    return this.#tail + this.#open;
  }

  push(text: string): void {
    this.count += 1;
    const lines = (this.#open + text).split(/[\r\n]+/);
    this.#open = (lines.pop() ?? '').slice(-maxTailCharacters);
    for (const line of lines) {
      this.#tail = `${this.#tail}${line.slice(0, maxTailCharacters)}\n`.slice(-maxTailCharacters);
      this.#onLine(line);
    }
  }
}

async function assertBounded({ what, maxBytes, measure }: ProgramOptions): Promise<number> {
  const sizeBytes = await measure();
  if (sizeBytes <= maxBytes) return sizeBytes;
  throw new TerminalError('BodyTooLarge', `${what}: larger than the limit of ${maxBytes} bytes`);
}

interface Watch {
  readonly lines: Lines;
  readonly over: AbortSignal;
}

/** Ends the program when it writes too much, or nothing for too long. */
async function watch(options: ProgramOptions, { lines, over }: Watch): Promise<void> {
  let seen = { sizeBytes: 0, lineCount: 0, atMs: performance.now() };
  while (!over.aborted) {
    const sizeBytes = await assertBounded(options);
    const isNews = sizeBytes !== seen.sizeBytes || lines.count !== seen.lineCount;
    if (isNews) seen = { sizeBytes, lineCount: lines.count, atMs: performance.now() };
    if (performance.now() - seen.atMs > options.silenceMs) {
      const seconds = options.silenceMs / 1000;
      throw new TransientError('DeadlineExceeded', `${options.what}: nothing received for ${seconds} s`);
    }
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, watchMs);
      over.addEventListener('abort', () => (clearTimeout(timer), resolve(undefined)), { once: true });
    });
  }
}

function missing(program: string, thrown: unknown): Error {
  if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') return thrown as Error;
  return missingProgram(program, thrown);
}

/** The error of a program that this machine does not have. */
export function missingProgram(program: string, cause?: unknown): TerminalError {
  const text = `git over SSH needs the program "${program}", which is not installed where Longshore runs: install git and an OpenSSH client, then restart Longshore`;
  return new TerminalError('ProgramMissing', text, { cause });
}

/** Runs a program without a shell and without input, in a process group of its own that does not outlive the call.
 *  @throws TerminalError ProgramMissing, BodyTooLarge · TransientError DeadlineExceeded · the signal's reason */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramEnd> {
  const { folder: cwd, environment: env, signal } = options;
  signal.throwIfAborted();
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  const over = new AbortController();
  const lines = new Lines(options.onLine);
  const end = (why: Error): void => {
    reject(why);
    killGroup(child.pid);
  };
  const onAbort = (): void => end(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  const errors = child.stderr as Readable;
  errors.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  child.once('error', (thrown) => reject(missing(program, thrown)));
  child.once('close', (code) => resolve({ code, tail: lines.tail }));
  const watching = watch(options, { lines, over: over.signal }).catch(end);
  try {
    const ended = await promise;
    await assertBounded(options);
    return ended;
  } finally {
    over.abort();
    signal.removeEventListener('abort', onAbort);
    killGroup(child.pid);
    await watching;
  }
}
