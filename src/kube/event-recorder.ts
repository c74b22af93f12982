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
import { isAlreadyExists, isNotFound } from './kube-error.ts';
import type { KubeObject, ObjectRef } from './kube-object.ts';

/** Tells users through Kubernetes Events what happened to an object. */
export interface EventRecorder {
  /** Returns at once; the Event is written in the background, and a failure to write it is only logged.
   *  The same news about the same object raises the count of its Event instead of making another, after a restart too. Of many
   *  different news with one reason those after the tenth share one Event, whose message is the latest. */
  record(about: KubeObject, news: EventNews): void;
}

export interface EventNews {
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
  readonly news: EventNews;
  readonly isCombined: boolean;
  /** How often it was told since it was last written. */
  times: number;
}

const maxPending = 1000;
const maxRemembered = 4096;
const maxMessageCharacters = 1024;
const maxSimilar = 10;
const similarMs = 10 * 60_000;
/** Leaves room for the fingerprint in the name of an Event. */
const maxNameCharacters = 230;

function messageOf({ news, isCombined }: Pending): string {
  const text = isCombined ? `(combined from similar events): ${news.message}` : news.message;
  return printable(text).slice(0, maxMessageCharacters);
}

/** Stands for a text that is too long to be remembered thousands of times. */
function fingerprintOf(text: string): string {
  return sha256Digest(text).slice(7, 23);
}

/** The same for the same news. */
function keyOf(about: KubeObject, { reason, message }: EventNews, isCombined: boolean): string {
  return fingerprintOf(`${about.metadata.uid ?? ''}\n${reason}\n${isCombined ? 'combined' : `of ${message}`}`);
}

function refOfEvent({ about }: Pending, key: string): ObjectRef {
  const { name = '', namespace = 'default' } = about.metadata;
  return { apiVersion: 'v1', kind: 'Event', namespace, name: `${name.slice(0, maxNameCharacters)}.${key}` };
}

function eventOf(item: Pending, facts: { ref: ObjectRef; now: string; component: string }): KubeObject {
  const { about, news } = item;
  const { uid = '', name = '', resourceVersion = '' } = about.metadata;
  const involvedObject: JsonObject = { apiVersion: about.apiVersion, kind: about.kind, name, uid, resourceVersion };
  if (about.metadata.namespace !== undefined) involvedObject['namespace'] = about.metadata.namespace;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: facts.ref.name, namespace: facts.ref.namespace ?? 'default' },
    involvedObject,
    type: news.type,
    reason: news.reason,
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

/** Tells when an object has had so many different news with one reason that further ones are to be combined. */
class SimilarNews {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #groups = new Map<string, { readonly sinceMs: number; readonly messages: string[] }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isTooMany(about: KubeObject, { reason, message }: EventNews): boolean {
    const key = `${about.metadata.uid ?? ''}\n${reason}`;
    const nowMs = this.#clock.now();
    let group = this.#groups.get(key);
    if (group === undefined || nowMs - group.sinceMs > similarMs) {
      group = { sinceMs: nowMs, messages: [] };
      this.#groups.delete(key);
      this.#groups.set(key, group);
      this.#forget(nowMs);
    }
    const said = fingerprintOf(message);
    if (group.messages.includes(said)) return false;
    if (group.messages.length >= maxSimilar) return true;
    group.messages.push(said);
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

/** Writes Events, and remembers how often each was told. */
class EventWriter {
  readonly #options: Options;
  readonly #counts = new Map<string, number>();

  constructor(options: Options) {
    this.#options = options;
  }

  async write(key: string, item: Pending): Promise<void> {
    const { kube, component, clock, signal } = this.#options;
    const ref = refOfEvent(item, key);
    const told = this.#counts.get(key);
    if (told !== undefined && (await this.#raise(ref, item, told))) return this.#remember(key, told + item.times);
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

  /** False when the Event is gone. */
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

/** A recorder that writes one Event at a time. When news comes faster than it can be written, the oldest are dropped. */
export function createEventRecorder(options: Options): EventRecorder {
  const { clock, log, signal } = options;
  const similar = new SimilarNews(clock);
  const writer = new EventWriter(options);
  const pending = new Map<string, Pending>();
  let isBusy = false;

  const drain = async (): Promise<void> => {
    isBusy = true;
    for (const [key, item] of pending) {
      if (signal.aborted) break;
      pending.delete(key);
      try {
        await writer.write(key, item);
      } catch (thrown) {
        if (!signal.aborted) log.debug({ why: errorMessage(thrown) }, 'event not written');
      }
    }
    isBusy = false;
  };

  return {
    record: (about, news) => {
      const isCombined = similar.isTooMany(about, news);
      const key = keyOf(about, news, isCombined);
      const times = (pending.get(key)?.times ?? 0) + 1;
      pending.set(key, { about, news, isCombined, times });
      forgetOldest(pending, maxPending);
      if (!isBusy) void drain();
    },
  };
}
