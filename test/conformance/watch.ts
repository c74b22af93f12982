import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import type { Asker, Connection } from './connection.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

export interface WatchOptions {
  /** Default true. */
  readonly record?: boolean;
  readonly accept?: string;
  readonly as?: Asker;
  /** Narrows what is recorded of an event. */
  readonly keep?: (event: WatchEvent) => unknown;
}

/** An open watch. */
export interface Watch {
  /** All events so far. */
  readonly events: readonly WatchEvent[];
  /** The status of the response. */
  readonly status: number;
  readonly hasEnded: boolean;
  /** Waits, half a minute at most, until the events are as asked. */
  until(isMet: (events: readonly WatchEvent[]) => boolean): Promise<void>;
  /** Waits until the server ends it. */
  ended(): Promise<void>;
  /** Ends it, and records its events. */
  close(): void;
}

interface WatchContext {
  readonly connection: Connection;
  readonly record: (step: JsonObject) => void;
  readonly path: string;
}

const patience = 30_000;

class LiveWatch implements Watch {
  readonly events: WatchEvent[] = [];
  readonly status: number;
  hasEnded = false;
  readonly #abort: AbortController;
  readonly #report: (watch: LiveWatch) => void;
  #wake: () => void = () => {};
  #isClosed = false;

  constructor(status: number, abort: AbortController, report: (watch: LiveWatch) => void) {
    this.status = status;
    this.#abort = abort;
    this.#report = report;
  }

  async read(response: AsyncIterable<unknown>): Promise<void> {
    let rest = '';
    try {
      for await (const chunk of response) {
        const lines = (rest + (chunk as Buffer).toString('utf8')).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.#take(line);
      }
      this.#take(rest);
    } catch {
      // Closed from this side, or the connection was lost: the events so far are what there is.
    }
    this.hasEnded = true;
    this.#wake();
  }

  async until(isMet: (events: readonly WatchEvent[]) => boolean): Promise<void> {
    await this.#waitFor(() => isMet(this.events), 'its events are not as awaited');
  }

  async ended(): Promise<void> {
    await this.#waitFor(() => this.hasEnded, 'the server does not end it');
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#report(this);
    this.#abort.abort();
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    const value: unknown = JSON.parse(line);
    this.events.push(isJsonObject(value) ? (value as unknown as WatchEvent) : { type: line, object: {} });
    this.#wake();
  }

  async #waitFor(isMet: () => boolean, complaint: string): Promise<void> {
    const endMs = performance.now() + patience;
    while (!isMet()) {
      const leftMs = endMs - performance.now();
      const seen = (): string => JSON.stringify(this.events.map(({ type, object }) => [type, object['metadata']]));
      if (leftMs <= 0) throw new Error(`watch: ${complaint}: ${seen().slice(0, 1500)}`);
      if (this.hasEnded) throw new Error(`watch: it ended, and ${complaint}: ${seen().slice(0, 1500)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** Opens a watch; `path` has the query with `watch=true` in it. */
export async function openWatch(context: WatchContext, options: WatchOptions): Promise<Watch> {
  const abort = new AbortController();
  const headers = {
    'user-agent': 'conformance/1',
    ...(options.accept === undefined ? {} : { accept: options.accept }),
  };
  const question = { method: 'GET', path: context.path, headers, as: options.as };
  const response = await context.connection.open(question, abort.signal);
  const keep = options.keep ?? ((event: WatchEvent): unknown => event);
  const report = (watch: LiveWatch): void => {
    if (options.record === false) return;
    context.record({ watch: context.path, status: watch.status, events: watch.events.map(keep) as JsonObject[] });
  };
  const watch = new LiveWatch(response.statusCode ?? 0, abort, report);
  void watch.read(response);
  return watch;
}
