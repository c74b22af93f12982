import { type JsonObject, objectAt, textAt } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import type { EventRow } from '../wire.ts';
import { jsonBytes, KindRows, type WatchDeps } from './kind-rows.ts';
import { Listeners, type Row, rowOf, type Source, type SourceState } from './source.ts';

const maxRows = 300;
const maxMessageLength = 1_000;
const maxWordLength = 300;

interface Event extends EventRow {
  readonly key: string;
}

function eventOf(object: KubeObject): Event {
  const event = object as unknown as JsonObject;
  const about = objectAt(event, 'involvedObject');
  const series = objectAt(event, 'series');
  const times = [
    textAt(series, 'lastObservedTime'),
    textAt(event, 'lastTimestamp'),
    textAt(event, 'eventTime'),
    object.metadata.creationTimestamp ?? '',
  ];
  const count = series?.['count'] ?? event['count'];
  return {
    key: object.metadata.uid ?? '',
    type: textAt(event, 'type').slice(0, maxWordLength),
    reason: textAt(event, 'reason').slice(0, maxWordLength),
    message: textAt(event, 'message').slice(0, maxMessageLength),
    kind: textAt(about, 'kind').slice(0, maxWordLength),
    namespace: textAt(about, 'namespace').slice(0, maxWordLength),
    name: textAt(about, 'name').slice(0, maxWordLength),
    count: typeof count === 'number' ? count : 1,
    time: times.find((time) => time !== '') ?? '',
  };
}

function eventRow({ key, ...event }: Event): Row {
  return rowOf(key, event);
}

/** The latest of many, the latest first: all of them are not sorted whenever one is added. */
export function latestOf<T extends { readonly time: string }>(items: readonly T[], count: number): readonly T[] {
  const sorted = (some: readonly T[]): T[] => some.toSorted((a, b) => (a.time < b.time ? 1 : -1)).slice(0, count);
  let found: T[] = [];
  let oldest = '';
  for (const item of items) {
    if (item.time >= oldest) found.push(item);
    if (found.length < 2 * count) continue;
    found = sorted(found);
    oldest = found.at(-1)?.time ?? '';
  }
  return sorted(found);
}

/** The latest Events of the cluster, or of a namespace. */
export class EventSource implements Source {
  readonly #listeners = new Listeners();
  readonly #events: KindRows<Event>;
  /** Those that are shown. */
  #known: ReadonlyMap<Event, Row> = new Map();

  constructor(deps: WatchDeps, namespace?: string) {
    const target = { apiVersion: 'v1', kind: 'Event', ...(namespace === undefined ? {} : { namespace }) };
    this.#events = new KindRows(deps, target, {
      project: eventOf,
      sizeOf: jsonBytes,
      onChange: () => this.#listeners.call(),
    });
  }

  state(): SourceState {
    return this.#events.state();
  }

  rows(): readonly Row[] {
    const latest = latestOf(this.#events.values(), maxRows);
    const rows = latest.map((one) => [one, this.#known.get(one) ?? eventRow(one)] as const);
    this.#known = new Map(rows);
    return rows.map(([, row]) => row);
  }

  subscribe(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }

  [Symbol.dispose](): void {
    this.#events[Symbol.dispose]();
  }
}
