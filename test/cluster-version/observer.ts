import type { ApiServer, ClusterEvent } from '../../apiserver/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { canonicalObject, canonicalText, keyOf } from './canonical.ts';

/** What the cluster makes of other objects, and what every namespace has. */
const unobservedKinds = new Set([
  'Pod',
  'ReplicaSet',
  'ControllerRevision',
  'Lease',
  'Endpoints',
  'EndpointSlice',
  'APIService',
  'Node',
]);
const ofEveryNamespace = new Set(['ConfigMap kube-root-ca.crt', 'ServiceAccount default']);

function isObserved(object: JsonObject): boolean {
  const kind = textAt(object, 'kind');
  return !unobservedKinds.has(kind) && !ofEveryNamespace.has(`${kind} ${textAt(objectAt(object, 'metadata'), 'name')}`);
}

/** The managers whose entries differ. */
function managersOf(object: JsonObject, previous: JsonObject | undefined): string[] {
  const before = new Set(
    objectsAt(objectAt(previous ?? {}, 'metadata'), 'managedFields').map((e) => JSON.stringify(e)),
  );
  const entries = objectsAt(objectAt(object, 'metadata'), 'managedFields');
  return entries.filter((entry) => !before.has(JSON.stringify(entry))).map((entry) => textAt(entry, 'manager'));
}

function withoutStatus(object: JsonObject): string {
  const { status: _status, ...rest } = canonicalObject(object);
  return JSON.stringify(rest);
}

function isMarked(object: JsonObject | undefined): boolean {
  return objectAt(object ?? {}, 'metadata')?.['deletionTimestamp'] !== undefined;
}

function verbOf({ type, object, previous }: ClusterEvent): 'create' | 'update' | 'delete' | undefined {
  const [now, before] = [object as unknown as JsonObject, previous as unknown as JsonObject | undefined];
  if (type === 'ADDED') return 'create';
  if (type === 'DELETED') return isMarked(before) ? undefined : 'delete';
  if (isMarked(now)) return isMarked(before) ? undefined : 'delete';
  return before !== undefined && withoutStatus(before) === withoutStatus(now) ? undefined : 'update';
}

/** Sees every write to the cluster, in order. */
export class Observer implements Disposable {
  readonly #subscription: Disposable;
  readonly #isManager: (manager: string) => boolean;
  readonly objects: Map<string, JsonObject> = new Map();
  readonly events: Set<string> = new Set();
  /** `create Kind namespace/name`, of the engine. */
  writes: string[] = [];
  /** The object that the scenario is writing itself. */
  #own: string | undefined;
  readonly #ownDeletions = new Set<string>();
  clusterVersion: JsonObject = {};
  lastChangeMs: number = Date.now();

  constructor(server: ApiServer, isManager: (manager: string) => boolean) {
    this.#isManager = isManager;
    this.#subscription = server.cluster.subscribe((event) => this.#take(event));
  }

  /** Leaves out what the scenario writes itself. */
  async ownWrite(key: string, isDeletion: boolean, write: () => Promise<unknown>): Promise<void> {
    if (isDeletion) this.#ownDeletions.add(key);
    this.#own = key;
    try {
      await write();
    } finally {
      this.#own = undefined;
    }
  }

  /** By the scenario, with its namespace or alone. */
  #isDeletedByScenario(key: string, object: JsonObject): boolean {
    const namespace = textAt(objectAt(object, 'metadata'), 'namespace');
    return this.#ownDeletions.has(key) || this.#ownDeletions.has(`Namespace ${namespace}`);
  }

  #take(event: ClusterEvent): void {
    const object = event.object as unknown as JsonObject;
    if (object['kind'] === 'Event') return this.#takeEvent(object);
    if (!isObserved(object)) return;
    this.#takeWrite(event, object);
    const key = keyOf(object);
    const before = key === 'ClusterVersion version' ? this.clusterVersion : this.objects.get(key);
    const now = canonicalObject(object);
    if (event.type === 'DELETED') this.objects.delete(key);
    else if (key === 'ClusterVersion version') this.clusterVersion = now;
    else this.objects.set(key, now);
    if (event.type === 'DELETED' || JSON.stringify(before) !== JSON.stringify(now)) this.lastChangeMs = Date.now();
  }

  #takeWrite(event: ClusterEvent, object: JsonObject): void {
    const key = keyOf(object);
    const verb = verbOf(event);
    if (verb === undefined || key === 'ClusterVersion version') return;
    if (this.#own === key) {
      this.#own = undefined;
      return;
    }
    const previous = event.previous as unknown as JsonObject | undefined;
    const isEngine =
      verb === 'delete'
        ? !this.#isDeletedByScenario(key, object)
        : managersOf(object, previous).some((name) => this.#isManager(name));
    if (isEngine) this.writes.push(`${verb} ${key}`);
  }

  #takeEvent(event: JsonObject): void {
    const about = objectAt(event, 'involvedObject') ?? {};
    if (textAt(about, 'kind') !== 'ClusterVersion') return;
    const message = textAt(event, 'message').replace(/^\(combined from similar events\): /, '');
    const line = canonicalText(`${textAt(event, 'type')} ${textAt(event, 'reason')}: ${message}`);
    if (!this.events.has(line)) this.lastChangeMs = Date.now();
    this.events.add(line);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}
