import type { ServerResponse } from 'node:http';
import type { Source, SourceState } from './source.ts';

/** What the browser has of a watch. */
interface Sent {
  readonly watch: string;
  readonly source: Source;
  readonly rows: Map<string, string>;
  state: string;
  isDirty: boolean;
  isNew: boolean;
}

const flushMs = 100;
const beatMs = 1_000;
const blockedMs = 60_000;
const rowsAtATime = 500;

interface Difference {
  readonly put: readonly (readonly [string, string])[];
  readonly removed: readonly string[];
}

function differenceOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Difference {
  const put = [...after].filter(([key, json]) => before.get(key) !== json);
  const removed = [...before.keys()].filter((key) => !after.has(key));
  return { put, removed };
}

/** One server-sent event; rows are JSON already. */
function eventText({ watch, isNew }: Sent, { state, message }: SourceState, { put, removed }: Difference): string {
  const rows = put.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',');
  const head = JSON.stringify({ watch, state, message, removed, isWhole: isNew }).slice(0, -1);
  return `data: ${head},"put":{${rows}}}\n\n`;
}

/** Sends the changes of several watches to one browser. What changes while the connection is full is sent as it is then: the memory of a slow browser is
 *  bounded by the rows. A browser that takes nothing for a minute is disconnected. */
export class EventStream implements Disposable {
  readonly #response: ServerResponse;
  readonly #watches: readonly Sent[];
  readonly #subscriptions: readonly Disposable[];
  readonly #beat: NodeJS.Timeout;
  #flush: NodeJS.Timeout | undefined;
  #blockedSinceMs: number | undefined;

  constructor(response: ServerResponse, sources: readonly (readonly [string, Source])[]) {
    this.#response = response;
    this.#watches = sources.map(([watch, source]) => {
      return { watch, source, rows: new Map(), state: '', isDirty: true, isNew: true };
    });
    this.#subscriptions = this.#watches.map((sent) =>
      sent.source.subscribe(() => {
        sent.isDirty = true;
        this.#flushSoon();
      }),
    );
    response.on('drain', () => {
      this.#blockedSinceMs = undefined;
      this.#flushSoon();
    });
    // States of sources change without an event.
    this.#beat = setInterval(() => this.#tick(), beatMs);
    this.#write('retry: 1000\n\n');
    this.#send();
  }

  #tick(): void {
    if (this.#blockedSinceMs !== undefined && performance.now() - this.#blockedSinceMs > blockedMs) {
      this.#response.destroy();
      return;
    }
    this.#write('event: beat\ndata: {}\n\n');
    this.#send();
  }

  #flushSoon(): void {
    this.#flush ??= setTimeout(() => {
      this.#flush = undefined;
      this.#send();
    }, flushMs);
  }

  #send(): void {
    for (const sent of this.#watches) {
      if (this.#blockedSinceMs !== undefined || this.#response.destroyed) return;
      this.#sendChanges(sent);
    }
  }

  #sendChanges(sent: Sent): void {
    const state = sent.source.state();
    const stateText = `${state.state} ${state.message}`;
    if (!sent.isDirty && sent.state === stateText) return;
    sent.isDirty = false;
    sent.state = stateText;
    const { put, removed } = differenceOf(sent.rows, sent.source.rows());
    for (let start = 0; start === 0 || start < put.length; start += rowsAtATime) {
      const part = { put: put.slice(start, start + rowsAtATime), removed: start === 0 ? removed : [] };
      this.#write(eventText(sent, state, part));
      sent.isNew = false;
      for (const [key, json] of part.put) sent.rows.set(key, json);
    }
    for (const key of removed) sent.rows.delete(key);
  }

  #write(text: string): void {
    if (this.#response.destroyed) return;
    const isTaken = this.#response.write(text);
    if (!isTaken) this.#blockedSinceMs ??= performance.now();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#beat);
    clearTimeout(this.#flush);
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }
}
