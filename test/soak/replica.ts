import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { programPath } from '../e2e/program.ts';

const clockPath = new URL('clock.ts', import.meta.url).href;
const restartMs = 1_000;
/** More than a small disk holds. */
const fillingBytes = 64 * 1024 * 1024;
const keptCharacters = 20_000;
/** What a process that has a fault of its own prints or ends with, and one that was stopped, overtaken or left alone does not. */
const ownFault = /unhandled|uncaught|TypeError|ReferenceError|RangeError|heap out of memory|ERR_INTERNAL/i;

export interface ReplicaOptions {
  readonly name: string;
  /** Of `longshore`. */
  readonly args: readonly string[];
  readonly folder: string;
  /** A program, with arguments, that starts it: `unshare`. */
  readonly wrap?: readonly string[];
  /** A folder that it alone sees. */
  readonly disk?: string;
}

/** A process that is started again whenever it ends, as a kubelet would. */
export class Replica implements AsyncDisposable {
  readonly name: string;
  readonly #options: ReplicaOptions;
  readonly #clockFile: string;
  readonly #running: Promise<void>;
  #child: ChildProcess | undefined;
  #isOver = false;
  #printed = '';
  /** How often it has ended, and why it should not have. */
  endings = 0;
  readonly problems: string[] = [];
  peakBytes = 0;

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.#options = options;
    this.#clockFile = `${options.folder}/clock-of-${options.name}`;
    this.#running = this.#keepRunning();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Sets its clock off the machine's. */
  async setClock(offsetMs: number): Promise<void> {
    await writeFile(this.#clockFile, String(offsetMs));
  }

  /** Fills its disk, where it has one of its own, until the answer is called. */
  async fillDisk(): Promise<() => Promise<void>> {
    const { disk } = this.#options;
    if (disk === undefined) return () => Promise.resolve();
    const path = `/proc/${this.pid}/root${disk}/filling`;
    await writeFile(path, Buffer.alloc(fillingBytes)).catch((thrown: NodeJS.ErrnoException) => {
      // The process may have ended meanwhile.
      if (thrown.code !== 'ENOSPC' && thrown.code !== 'ENOENT') throw thrown;
    });
    return () => rm(path, { force: true });
  }

  /** Looks at its memory. */
  async look(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8').catch(() => '');
    const bytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
    this.peakBytes = Math.max(this.peakBytes, bytes);
    return bytes;
  }

  async #keepRunning(): Promise<void> {
    await this.setClock(0);
    while (!this.#isOver) {
      await this.#runOnce();
      if (!this.#isOver) await pause(restartMs);
    }
  }

  async #runOnce(): Promise<void> {
    const { args, wrap = [] } = this.#options;
    const [program = '', ...rest]: string[] = [...wrap, process.execPath, '--import', clockPath, programPath, ...args];
    const env = { ...process.env, LONGSHORE_SOAK_CLOCK: this.#clockFile };
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.#child = child;
    this.#printed = '';
    const take = (chunk: Buffer): void => {
      this.#printed = (this.#printed + chunk.toString()).slice(-keptCharacters);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (this.#isOver) return;
    this.endings += 1;
    const isExpected = signal === 'SIGKILL' || code === 0 || code === 1;
    if (isExpected && !ownFault.test(this.#printed)) return;
    this.problems.push(`${this.name} ended with ${signal ?? code}: ${this.#printed.slice(-2_000)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#child?.kill('SIGKILL');
    await this.#running;
    if (ownFault.test(this.#printed)) this.problems.push(`${this.name} printed: ${this.#printed.slice(-2_000)}`);
  }
}
