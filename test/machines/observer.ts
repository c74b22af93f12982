import type { ApiServer } from '../../apiserver/index.ts';
import { type JsonObject, objectAt, textAt } from '../../src/base/index.ts';
import { canonicalObject, canonicalText, isRecorded, keyOf } from './canonical.ts';

type ClusterEvent = Parameters<Parameters<ApiServer['cluster']['subscribe']>[0]>[0];

/** What a cluster shows: recorded objects in canonical form, and Events about them. */
export class Observer implements Disposable {
  readonly #subscription: Disposable;
  readonly objects: Map<string, JsonObject> = new Map();
  readonly events: Set<string> = new Set();
  /** Names that were generated, by the order of the machines of their set: `workers-x2kfj` is `workers-#1`. */
  readonly generated: Map<string, string> = new Map();
  readonly #counts = new Map<string, number>();
  lastChangeMs: number = Date.now();

  constructor({ cluster }: ApiServer) {
    this.#subscription = cluster.subscribe((event) => this.#take(event));
  }

  #take(event: ClusterEvent): void {
    const object = event.object as unknown as JsonObject;
    if (textAt(object, 'kind') === 'Event') return this.#takeEvent(object);
    if (!isRecorded(object)) return;
    this.#name(object);
    const key = keyOf(object);
    const before = this.objects.get(key);
    if (event.type === 'DELETED') this.objects.delete(key);
    else this.objects.set(key, canonicalObject(object));
    if (JSON.stringify(before) !== JSON.stringify(this.objects.get(key))) this.lastChangeMs = Date.now();
  }

  #name(object: JsonObject): void {
    const metadata = objectAt(object, 'metadata') ?? {};
    const [prefix, name] = [textAt(metadata, 'generateName'), textAt(metadata, 'name')];
    if (prefix === '' || this.generated.has(name)) return;
    const count = (this.#counts.get(prefix) ?? 0) + 1;
    this.#counts.set(prefix, count);
    this.generated.set(name, `${prefix}#${count}`);
  }

  #takeEvent(event: JsonObject): void {
    const about = objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding') ?? {};
    const kind = textAt(about, 'kind');
    if (!['Machine', 'MachineSet', 'MachineHealthCheck'].includes(kind)) return;
    const message = textAt(event, 'message') || textAt(event, 'note');
    const line = `${kind} ${textAt(about, 'name')}: ${textAt(event, 'type')} ${textAt(event, 'reason')}: ${message}`;
    this.events.add(canonicalText(line.replace(/^\(combined from similar events\): /, '')));
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}
