import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Connection, Question } from '../../conformance/connection.ts';
import type { PlatformProcess } from '../hostile-process.ts';

/** What a piece of work cost a process. */
export interface Cost {
  /** Milliseconds of processor time of the main thread while another client waited for its answer: the longest wait. */
  readonly waitMs: number;
  /** Milliseconds of processor time of the main thread in all. */
  readonly cpuMs: number;
}

/** The administrator, who asks meanwhile for a Namespace, and is not the user who does the work. */
const honest: Question = { method: 'GET', path: '/api/v1/namespaces/kube-system', headers: {} };
const nanosecondsAMillisecond = 1e6;

/** Processor time of the main thread of a process. @see proc(5), /proc/pid/task/tid/schedstat */
function mainThreadMs(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / nanosecondsAMillisecond;
}

/** Measures a platform while another client works on it. */
export class MeasuredPlatform {
  readonly #connection: Connection;
  readonly #platform: PlatformProcess;

  constructor(platform: PlatformProcess, connection: Connection) {
    this.#platform = platform;
    this.#connection = connection;
  }

  async #wait(): Promise<number> {
    const begun = mainThreadMs(this.#platform.pid);
    await this.#connection.ask(honest);
    return mainThreadMs(this.#platform.pid) - begun;
  }

  /** Asks again and again while `work` is under way. */
  async #whilst(work: Promise<unknown>): Promise<Cost> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    const begun = mainThreadMs(this.#platform.pid);
    let waitMs = 0;
    while (!isDone) {
      waitMs = Math.max(waitMs, await this.#wait());
      await pause(5);
    }
    return { waitMs, cpuMs: mainThreadMs(this.#platform.pid) - begun };
  }

  /** A request, and what it cost. */
  async ask(question: Question): Promise<Cost & { readonly answer: Answer }> {
    const asked = this.#connection.ask(question);
    const cost = await this.#whilst(asked);
    return { ...cost, answer: await asked };
  }

  /** What the controllers do until the process is calm, for ten seconds at most. */
  async untilCalm(): Promise<Cost> {
    return await this.#whilst(this.#calm());
  }

  async #calm(): Promise<void> {
    const { pid } = this.#platform;
    for (let [calm, round] = [0, 0]; calm < 3 && round < 40; round += 1) {
      const before = mainThreadMs(pid);
      await pause(250);
      calm = mainThreadMs(pid) - before < 60 ? calm + 1 : 0;
    }
  }
}
