import { type Clock, formatTimestamp, type JsonObject, type Logger, printable, sha256Digest } from '../base/index.ts';
import type { KubeClient } from './client.ts';
import { EventQueue } from './event-queue.ts';
import { isAlreadyExists, isNotFound } from './kube-error.ts';
import type { KubeObject, ObjectRef } from './kube-object.ts';

/** Reports to users through Kubernetes Events what happened to an object. */
export interface EventRecorder {
  /** Returns at once; the Event is written in the background, and a failure to write it is only logged.
   *  A repeated event raises the count of its Event instead of creating another, after a restart too. Of many
   *  different events with one reason those after the tenth share one Event, which has the latest message. */
  record(about: KubeObject, event: ObjectEvent): void;
}

export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

interface Options {
  readonly kube: KubeClient;
  readonly component: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

interface EventToWrite {
  readonly about: KubeObject;
  readonly event: ObjectEvent;
  readonly isCombined: boolean;
}

const maxRemembered = 4096;
const maxMessageCharacters = 1024;
const maxSimilar = 10;
const similarMs = 10 * 60_000;
/** Leaves room for the fingerprint in the name of an Event. */
const maxNameCharacters = 230;

/** The part of an object that its Events have: thousands that wait must not hold as many whole objects. */
function identityOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  const known = Object.entries({ name, namespace, uid, resourceVersion }).filter(([, value]) => value !== undefined);
  return { apiVersion, kind, metadata: Object.fromEntries(known) };
}

function messageOf({ event, isCombined }: EventToWrite): string {
  const text = isCombined ? `(combined from similar events): ${event.message}` : event.message;
  return printable(text).slice(0, maxMessageCharacters);
}

/** Stands for a text that is too long to be remembered thousands of times. */
function fingerprintOf(text: string): string {
  return sha256Digest(text).slice(7, 23);
}

/** The same for a repeated event. */
function keyOf(about: KubeObject, { reason, message }: ObjectEvent, isCombined: boolean): string {
  return fingerprintOf(`${about.metadata.uid ?? ''}\n${reason}\n${isCombined ? 'combined' : `of ${message}`}`);
}

function refOfEvent({ about }: EventToWrite, key: string): ObjectRef {
  const { name = '', namespace = 'default' } = about.metadata;
  return { apiVersion: 'v1', kind: 'Event', namespace, name: `${name.slice(0, maxNameCharacters)}.${key}` };
}

function eventOf(
  item: EventToWrite,
  facts: { readonly ref: ObjectRef; readonly now: string; readonly component: string; readonly times: number },
): KubeObject {
  const { about, event } = item;
  const { uid = '', name = '', resourceVersion = '' } = about.metadata;
  const involvedObject: JsonObject = { apiVersion: about.apiVersion, kind: about.kind, name, uid, resourceVersion };
  if (about.metadata.namespace !== undefined) involvedObject['namespace'] = about.metadata.namespace;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: facts.ref.name, namespace: facts.ref.namespace ?? 'default' },
    involvedObject,
    type: event.type,
    reason: event.reason,
    message: messageOf(item),
    count: facts.times,
    firstTimestamp: facts.now,
    lastTimestamp: facts.now,
    source: { component: facts.component },
    reportingComponent: facts.component,
    reportingInstance: facts.component,
  };
}

function forgetOldest(map: Map<string, unknown>, limit: number): void {
  const oldest = map.keys().next();
  if (map.size > limit && oldest.done !== true) map.delete(oldest.value);
}

/** Detects that an object has so many different events with one reason that further ones are combined. */
class SimilarEvents {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #groups = new Map<string, { readonly sinceMs: number; readonly messages: string[] }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isTooMany(about: KubeObject, { reason, message }: ObjectEvent): boolean {
    const key = `${about.metadata.uid ?? ''}\n${reason}`;
    const nowMs = this.#clock.now();
    let group = this.#groups.get(key);
    // Also where the clock was set back.
    if (group === undefined || Math.abs(nowMs - group.sinceMs) > similarMs) {
      group = { sinceMs: nowMs, messages: [] };
      this.#groups.delete(key);
      this.#groups.set(key, group);
      this.#forget(nowMs);
    }
    const fingerprint = fingerprintOf(message);
    if (group.messages.includes(fingerprint)) return false;
    if (group.messages.length >= maxSimilar) return true;
    group.messages.push(fingerprint);
    return false;
  }

  #forget(nowMs: number): void {
    for (const [key, { sinceMs }] of this.#groups) {
      if (nowMs - sinceMs <= similarMs) break;
      this.#groups.delete(key);
    }
    forgetOldest(this.#groups, maxRemembered);
  }
}

/** Writes Events, and remembers the count of each. */
class EventWriter {
  readonly #options: Options;
  readonly #counts = new Map<string, number>();

  constructor(options: Options) {
    this.#options = options;
  }

  async write(key: string, item: EventToWrite, times: number): Promise<void> {
    const { kube, component, clock, signal } = this.#options;
    const ref = refOfEvent(item, key);
    const known = this.#counts.get(key);
    if (known !== undefined && (await this.#raise(ref, item, known + times))) return this.#remember(key, known + times);
    try {
      const event = eventOf(item, { ref, now: formatTimestamp(clock.now()), component, times });
      await kube.create(event, { fieldManager: component, signal });
      this.#remember(key, times);
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown;
      const count = (await kube.get(ref, { signal }))['count'];
      const total = (typeof count === 'number' ? count : 1) + times;
      if (await this.#raise(ref, item, total)) this.#remember(key, total);
    }
  }

  /** False when the Event does not exist any more. */
  async #raise(ref: ObjectRef, item: EventToWrite, count: number): Promise<boolean> {
    const { kube, component, clock, signal } = this.#options;
    const patch = {
      count,
      lastTimestamp: formatTimestamp(clock.now()),
      ...(item.isCombined ? { message: messageOf(item) } : {}),
    };
    try {
      await kube.patch(ref, patch, { fieldManager: component, signal });
      return true;
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
      return false;
    }
  }

  #remember(key: string, count: number): void {
    this.#counts.delete(key);
    this.#counts.set(key, count);
    forgetOldest(this.#counts, maxRemembered);
  }
}

/** A recorder that writes a few Events at a time, and again where the API server could not. When events arrive faster than they can be written for so long
 *  that thousands wait, the oldest are dropped, and that is logged. */
export function createEventRecorder(options: Options): EventRecorder {
  const similar = new SimilarEvents(options.clock);
  const writer = new EventWriter(options);
  const queue = new EventQueue<EventToWrite>({
    ...options,
    write: (key, event, times) => writer.write(key, event, times),
  });
  return {
    record: (about, event) => {
      const isCombined = similar.isTooMany(about, event);
      queue.add(keyOf(about, event, isCombined), { about: identityOf(about), event, isCombined });
    },
  };
}
