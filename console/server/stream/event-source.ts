import { type JsonObject, objectAt, textAt } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import type { EventRow } from '../wire.ts';
import { KindRows, type WatchDeps } from './kind-rows.ts';
import { Listeners, type Source, type SourceState } from './source.ts';

const maxRows = 300;
const maxMessageLength = 1_000;

interface Row extends EventRow {
  readonly key: string;
}

function rowOf(object: KubeObject): Row {
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
    type: textAt(event, 'type'),
    reason: textAt(event, 'reason'),
    message: textAt(event, 'message').slice(0, maxMessageLength),
    kind: textAt(about, 'kind'),
    namespace: textAt(about, 'namespace'),
    name: textAt(about, 'name'),
    count: typeof count === 'number' ? count : 1,
    time: times.find((time) => time !== '') ?? '',
  };
}

/** The latest Events of the cluster, or of a namespace. */
export class EventSource implements Source {
  readonly #listeners = new Listeners();
  readonly #events: KindRows<Row>;

  constructor(deps: WatchDeps, namespace?: string) {
    const target = { apiVersion: 'v1', kind: 'Event', ...(namespace === undefined ? {} : { namespace }) };
    this.#events = new KindRows(deps, target, { project: rowOf, onChange: () => this.#listeners.call() });
  }

  state(): SourceState {
    return this.#events.state();
  }

  rows(): ReadonlyMap<string, string> {
    const latest = this.#events.values().toSorted((a, b) => (a.time < b.time ? 1 : -1));
    return new Map(latest.slice(0, maxRows).map(({ key, ...row }) => [key, JSON.stringify(row)]));
  }

  subscribe(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }

  [Symbol.dispose](): void {
    this.#events[Symbol.dispose]();
  }
}
