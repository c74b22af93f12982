import {
  type Clock,
  errorMessage,
  formatTimestamp,
  type JsonObject,
  type Logger,
  printable,
  sha256Digest,
} from '../base/index.ts';
import type { KubeClient } from './client.ts';
import { isAlreadyExists, isKubeError, isNotFound } from './kube-error.ts';
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

interface Pending {
  readonly about: KubeObject;
  readonly event: ObjectEvent;
  readonly isCombined: boolean;
  /** How often it occurred since it was last written. */
  times: number;
}

const maxPending = 1000;
const maxRemembered = 4096;
const maxMessageCharacters = 1024;
const maxSimilar = 10;
const similarMs = 10 * 60_000;
/** Pauses before a write is tried again that the API server could not do: together longer than one of its restarts. */
const retryPausesMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** Leaves room for the fingerprint in the name of an Event. */
const maxNameCharacters = 230;

function messageOf({ event, isCombined }: Pending): string {
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

function refOfEvent({ about }: Pending, key: string): ObjectRef {
  const { name = '', namespace = 'default' } = about.metadata;
  return { apiVersion: 'v1', kind: 'Event', namespace, name: `${name.slice(0, maxNameCharacters)}.${key}` };
}

function eventOf(item: Pending, facts: { ref: ObjectRef; now: string; component: string }): KubeObject {
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
    count: item.times,
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
    if (group === undefined || nowMs - group.sinceMs > similarMs) {
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

  async write(key: string, item: Pending): Promise<void> {
    const { kube, component, clock, signal } = this.#options;
    const ref = refOfEvent(item, key);
    const known = this.#counts.get(key);
    if (known !== undefined && (await this.#raise(ref, item, known))) return this.#remember(key, known + item.times);
    try {
      const event = eventOf(item, { ref, now: formatTimestamp(clock.now()), component });
      await kube.create(event, { fieldManager: component, signal });
      this.#remember(key, item.times);
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown;
      const count = (await kube.get(ref, { signal }))['count'];
      const before = typeof count === 'number' ? count : 1;
      if (await this.#raise(ref, item, before)) this.#remember(key, before + item.times);
    }
  }

  /** False when the Event does not exist any more. */
  async #raise(ref: ObjectRef, item: Pending, before: number): Promise<boolean> {
    const { kube, component, clock, signal } = this.#options;
    const patch = {
      count: before + item.times,
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

/** No connection, overload, and what proxies answer. Not 500: a webhook that fails for one namespace must not delay the Events of all others. */
const passingStatuses: readonly number[] = [0, 408, 429, 502, 503, 504];

/** Whether the API server was overloaded or did not answer. What it refuses it would refuse again. */
function mayPass(thrown: unknown): boolean {
  return isKubeError(thrown) && passingStatuses.includes(thrown.failure.status);
}

/** A recorder that writes one Event at a time, and again where the API server could not. When events arrive faster than they can be written, the oldest are
 *  dropped. */
export function createEventRecorder(options: Options): EventRecorder {
  const { clock, log, signal } = options;
  const similar = new SimilarEvents(clock);
  const writer = new EventWriter(options);
  const pending = new Map<string, Pending>();
  let isBusy = false;

  const write = async (key: string, item: Pending): Promise<void> => {
    for (const pauseMs of retryPausesMs) {
      try {
        return await writer.write(key, item);
      } catch (thrown) {
        if (signal.aborted || !mayPass(thrown)) throw thrown;
        await clock.sleep(pauseMs, { signal });
      }
    }
    await writer.write(key, item);
  };

  const drain = async (): Promise<void> => {
    isBusy = true;
    for (const [key, item] of pending) {
      if (signal.aborted) break;
      pending.delete(key);
      try {
        await write(key, item);
      } catch (thrown) {
        if (!signal.aborted) log.debug({ why: errorMessage(thrown) }, 'event not written');
      }
    }
    isBusy = false;
  };

  return {
    record: (about, event) => {
      const isCombined = similar.isTooMany(about, event);
      const key = keyOf(about, event, isCombined);
      const times = (pending.get(key)?.times ?? 0) + 1;
      pending.set(key, { about, event, isCombined, times });
      forgetOldest(pending, maxPending);
      if (!isBusy) void drain();
    },
  };
}
