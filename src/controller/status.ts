import {
  type Clock,
  formatTimestamp,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../base/index.ts';
import {
  type Condition,
  conditionsOf,
  type EventRecorder,
  isNotFound,
  isOtherObject,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type ObjectEvent,
  preconditionOf,
  refOf,
  setCondition,
} from '../kube/index.ts';

/** A condition as it is to be. `observedGeneration` is by default the generation of the object. */
export interface ConditionChange {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  /** It is about something new: `lastTransitionTime` is now, though the status may be the same. */
  readonly isFresh?: boolean;
}

/** The object of a reconcile, with the status that was set so far, whether it is written yet or not. */
export interface StatusHolder {
  object: KubeObject;
}

export interface StatusWriterOptions<Holder extends StatusHolder> {
  readonly kube: Pick<KubeClient, 'patch' | 'apply'>;
  readonly fieldManager: string;
  readonly clock: Clock;
  /** Takes in what was written. */
  readonly cache?: Pick<KindCache, 'wrote'>;
  /** Whether conditions of the kind have `observedGeneration`. Default true. */
  readonly hasGenerations?: boolean;
  /** The patch passes only while the object is as it was read: for a status that others write as well. Default false. */
  readonly isGuarded?: boolean;
  /** Writes by server-side apply, which takes the ownership of all that is set. Default: by a merge patch. */
  readonly isApplied?: boolean;
  /** Where `event` records. */
  readonly events?: EventRecorder;
  /** Events of a status that was written, from the object before and after. */
  readonly eventsOf?: (before: KubeObject, after: KubeObject) => readonly ObjectEvent[];
  /** The object to continue with, from the answer to a write; may throw to end the reconcile. Default: the answer. */
  continueWith?(holder: Holder, written: KubeObject): KubeObject;
}

function statusOf(object: KubeObject): JsonObject {
  return isJsonObject(object['status']) ? object['status'] : {};
}

/** The conditions of `after` whose reason or message `before` does not have. */
export function changedConditions(before: KubeObject, after: KubeObject): readonly Condition[] {
  const former = new Map(conditionsOf(before).map((condition) => [condition.type, condition]));
  return conditionsOf(after).filter(({ type, reason, message }) => {
    const was = former.get(type);
    return was?.reason !== reason || was.message !== message;
  });
}

function withStatus(object: KubeObject, changes: JsonObject): KubeObject {
  const status = { ...statusOf(object), ...changes };
  return { ...object, status: Object.fromEntries(Object.entries(status).filter(([, value]) => value !== null)) };
}

function withConditions(object: KubeObject, conditions: readonly Condition[]): KubeObject {
  return withStatus(object, { conditions: conditions as unknown as JsonObject[] });
}

/** The JSON merge patch that turns `before` into `after`; members that only `before` has are null. */
function mergePatch(before: JsonValue | undefined, after: JsonValue): JsonValue {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const removed = Object.keys(before).filter((key) => after[key] === undefined);
  const changed = Object.entries(after).filter(([key, value]) => !isJsonEqual(before[key] ?? null, value ?? null));
  return {
    ...Object.fromEntries(removed.map((key) => [key, null])),
    ...Object.fromEntries(changed.map(([key, value]) => [key, mergePatch(before[key], value ?? null)])),
  };
}

/** `conditions` with those of `after` that differ from `before`, without those that only `before` has. */
function carryConditions(
  conditions: readonly Condition[],
  before: readonly Condition[],
  after: readonly Condition[],
): readonly Condition[] {
  const find = (all: readonly Condition[], type: string) => all.find((condition) => condition.type === type);
  const isRemoved = ({ type }: Condition) => find(before, type) !== undefined && find(after, type) === undefined;
  const changed = after.filter((condition) => {
    const { type } = condition;
    return !isJsonEqual(condition as unknown as JsonValue, (find(before, type) ?? null) as unknown as JsonValue);
  });
  const others = conditions.filter((condition) => !isRemoved(condition));
  const merged = others.map((condition) => find(changed, condition.type) ?? condition);
  return [...merged, ...changed.filter(({ type }) => find(others, type) === undefined)];
}

/** Whether the object was deleted, even if another one has its name. */
function isDeleted(thrown: unknown): boolean {
  return isNotFound(thrown) || isOtherObject(thrown);
}

/** Writes the status of one object. Steps set conditions and fields on the object that they hold; nothing is written before `flush`, which writes what
 *  differs from what the server has, in one request, and records the Events. */
export class StatusWriter<Holder extends StatusHolder = StatusHolder> {
  readonly #options: StatusWriterOptions<Holder>;
  /** As the server has it, as far as is known. */
  #live: KubeObject;
  #events: ObjectEvent[] = [];

  constructor(object: KubeObject, options: StatusWriterOptions<Holder>) {
    this.#options = options;
    this.#live = object;
  }

  /** Sets conditions: others stay, and `lastTransitionTime` changes only with the status. */
  set(holder: StatusHolder, changes: readonly ConditionChange[]): void {
    const nowMs = this.#options.clock.now();
    const { generation = 0 } = holder.object.metadata;
    const observed = this.#options.hasGenerations === false ? {} : { observedGeneration: generation };
    let conditions = conditionsOf(holder.object);
    for (const { isFresh = false, ...change } of changes) {
      conditions = setCondition(conditions, { ...observed, ...change }, nowMs);
      if (!isFresh) continue;
      const lastTransitionTime = formatTimestamp(nowMs);
      conditions = conditions.map((one) => (one.type === change.type ? { ...one, lastTransitionTime } : one));
    }
    if (conditions.length > 0) holder.object = withConditions(holder.object, conditions);
  }

  /** Removes conditions of a type. */
  remove(holder: StatusHolder, type: string): void {
    const conditions = conditionsOf(holder.object);
    if (!conditions.some((condition) => condition.type === type)) return;
    holder.object = withConditions(
      holder.object,
      conditions.filter((condition) => condition.type !== type),
    );
  }

  /** Sets members of the status; those that are `null` are removed. */
  setFields(holder: StatusHolder, fields: JsonObject): void {
    holder.object = withStatus(holder.object, fields);
  }

  /** Records an Event once the status is written. */
  event(event: ObjectEvent): void {
    this.#events.push(event);
  }

  /** Continues with the answer to another write of the object; what was set and not written yet stays set. */
  rebase(holder: StatusHolder, written: KubeObject): void {
    if (written === holder.object) return;
    const [before, after] = [statusOf(this.#live), statusOf(holder.object)];
    const own = Object.keys({ ...before, ...after }).filter(
      (key) => key !== 'conditions' && !isJsonEqual(before[key] ?? null, after[key] ?? null),
    );
    const conditions = carryConditions(conditionsOf(written), conditionsOf(this.#live), conditionsOf(holder.object));
    this.#live = written;
    holder.object =
      own.length === 0 ? written : withStatus(written, Object.fromEntries(own.map((key) => [key, after[key] ?? null])));
    const isSame = isJsonEqual(conditions as unknown as JsonValue, conditionsOf(written) as unknown as JsonValue);
    if (!isSame) holder.object = withConditions(holder.object, conditions);
  }

  /** Writes what was set since the last write. An object that was deleted meanwhile is not an error. */
  async flush(holder: Holder, signal: AbortSignal): Promise<void> {
    const events = this.#events.splice(0);
    const before = this.#live;
    const patch = mergePatch(statusOf(before), statusOf(holder.object)) as JsonObject;
    if (Object.keys(patch).length > 0) await this.#write(holder, patch, signal);
    for (const event of events) this.#options.events?.record(holder.object, event);
  }

  async #send(object: KubeObject, patch: JsonObject, signal: AbortSignal): Promise<KubeObject> {
    const { kube, fieldManager, isApplied = false, isGuarded = false } = this.#options;
    const options = { fieldManager, subresource: 'status', signal } as const;
    const { apiVersion, kind, metadata } = object;
    // Another object of the same name must not get the status of this one.
    const identity = metadata.uid === undefined ? {} : { uid: metadata.uid };
    if (!isApplied) {
      const condition = isGuarded ? preconditionOf(this.#live) : identity;
      return await kube.patch(refOf(object), { metadata: condition, status: patch }, options);
    }
    const { namespace = '', name } = refOf(object);
    const place = namespace === '' ? { name } : { name, namespace };
    const desired = { apiVersion, kind, metadata: { ...place, ...identity }, status: statusOf(object) };
    return (await kube.apply(desired, { ...options, force: true })).object;
  }

  async #write(holder: Holder, status: JsonObject, signal: AbortSignal): Promise<void> {
    const { cache, events, eventsOf } = this.#options;
    const [before, after] = [this.#live, holder.object];
    try {
      const written = await this.#send(after, status, signal);
      cache?.wrote(written);
      this.#live = written;
      for (const event of eventsOf?.(before, after) ?? []) events?.record(written, event);
      holder.object = this.#options.continueWith?.(holder, written) ?? written;
    } catch (thrown) {
      if (!isDeleted(thrown)) throw thrown;
      this.#live = holder.object;
    }
  }
}
