import {
  type Clock,
  errorMessage,
  formatTimestamp,
  type JsonObject,
  type Logger,
  sha256Digest,
} from '../base/index.ts';
import type { KubeClient } from './client.ts';
import { isNotFound } from './kube-error.ts';
import type { KubeObject, ObjectRef } from './kube-object.ts';

/** Tells users through Kubernetes Events what happened to an object. */
export interface EventRecorder {
  /** Returns at once; the Event is written in the background, and a failure to write it is only logged.
   *  The same news about the same object raises the count of its Event instead of making another. */
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
}

const maxPending = 1000;
const maxRemembered = 4096;
const maxMessageCharacters = 1024;

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
    message: news.message.slice(0, maxMessageCharacters),
    count: 1,
    firstTimestamp: facts.now,
    lastTimestamp: facts.now,
    source: { component: facts.component },
    reportingComponent: facts.component,
    reportingInstance: facts.component,
  };
}

function eventRefOf(item: Pending, nowMs: number): ObjectRef {
  const { uid = '', name = '', namespace = 'default' } = item.about.metadata;
  const fingerprint = sha256Digest(`${uid}\n${item.news.reason}\n${item.news.message}\n${nowMs}`).slice(7, 23);
  return { apiVersion: 'v1', kind: 'Event', namespace, name: `${name}.${fingerprint}` };
}

/** A recorder that writes one Event at a time. When news comes faster than it can be written, the oldest are dropped. */
export function createEventRecorder(options: Options): EventRecorder {
  const { kube, component, clock, log, signal } = options;
  const written = new Map<string, { ref: ObjectRef; count: number }>();
  const pending: Pending[] = [];
  let isBusy = false;

  const write = async (item: Pending): Promise<void> => {
    const { uid = '' } = item.about.metadata;
    const key = `${uid}\n${item.news.reason}\n${item.news.message}`;
    const now = formatTimestamp(clock.now());
    const fieldManager = component;
    const before = written.get(key);
    if (before !== undefined) {
      before.count++;
      try {
        await kube.patch(before.ref, { count: before.count, lastTimestamp: now }, { fieldManager, signal });
        return;
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown;
      }
    }
    const ref = eventRefOf(item, clock.now());
    await kube.create(eventOf(item, { ref, now, component }), { fieldManager, signal });
    written.delete(key);
    written.set(key, { ref, count: 1 });
    const oldest = written.keys().next();
    if (written.size > maxRemembered && oldest.done !== true) written.delete(oldest.value);
  };

  const drain = async (): Promise<void> => {
    isBusy = true;
    for (let item = pending.shift(); item !== undefined && !signal.aborted; item = pending.shift()) {
      try {
        await write(item);
      } catch (thrown) {
        if (!signal.aborted) log.debug({ why: errorMessage(thrown) }, 'event not written');
      }
    }
    isBusy = false;
  };

  return {
    record: (about, news) => {
      if (pending.length >= maxPending) pending.shift();
      pending.push({ about, news });
      if (!isBusy) void drain();
    },
  };
}
