import type { ServerResponse } from 'node:http';
import type { Row, Source, SourceState } from './source.ts';

/** What the browser has of a watch. */
interface Sent {
  readonly watch: string;
  readonly source: Source;
  /** Digests of the rows, by their keys. */
  readonly rows: Map<string, string>;
  state: string;
  isDirty: boolean;
  isNew: boolean;
}

const flushMs = 100;
const beatMs = 1_000;
const blockedMs = 60_000;
const charactersAtATime = 256 * 1024;
/** Of one browser. */
const maxUnsentBytes = 512 * 1024;

interface Difference {
  readonly put: readonly Row[];
  readonly removed: readonly string[];
}

function differenceOf(before: ReadonlyMap<string, string>, rows: readonly Row[]): Difference {
  const put = rows.filter(({ key, digest }) => before.get(key) !== digest);
  const present = new Set(rows.map(({ key }) => key));
  return { put, removed: [...before.keys()].filter((key) => !present.has(key)) };
}

/** Rows in parts that are sent at a time; at least one part, which may be empty. */
function* partsOf(rows: readonly Row[]): Iterable<readonly Row[]> {
  let part: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    if (part.length > 0 && characters + row.json.length > charactersAtATime) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(row);
    characters += row.json.length;
  }
  yield part;
}

/** One server-sent event; rows are JSON already. */
function eventText({ watch, isNew }: Sent, { state, message }: SourceState, { put, removed }: Difference): string {
  const rows = put.map(({ key, json }) => `${JSON.stringify(key)}:${json}`).join(',');
  const head = JSON.stringify({ watch, state, message, removed, isWhole: isNew }).slice(0, -1);
  return `data: ${head},"put":{${rows}}}\n\n`;
}

/** Sends the changes of several watches to one browser. What does not fit into the connection, or changes while it is full, is sent as it is when there is
 *  room again: a slow browser takes no memory. A browser that takes nothing for a minute is disconnected. */
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
      if (this.#blockedSinceMs === undefined) return;
      this.#blockedSinceMs = undefined;
      this.#send();
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
    for (const key of removed) sent.rows.delete(key);
    let gone = removed;
    for (const part of partsOf(put)) {
      if (this.#blockedSinceMs !== undefined) {
        sent.isDirty = true;
        return;
      }
      this.#write(eventText(sent, state, { put: part, removed: gone }));
      sent.isNew = false;
      gone = [];
      for (const { key, digest } of part) sent.rows.set(key, digest);
    }
  }

  #write(text: string): void {
    if (this.#response.destroyed) return;
    const isTaken = this.#response.write(text);
    if (!isTaken && this.#response.writableLength > maxUnsentBytes) this.#blockedSinceMs ??= performance.now();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#beat);
    clearTimeout(this.#flush);
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }
}
