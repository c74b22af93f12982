import type { JsonObject } from '../../../src/base/index.ts';
import { asJson, type KubeObject } from '../../core/index.ts';

function renamed(object: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [Object.hasOwn(names, key) ? (names[key] ?? key) : key, value]),
  );
}

const eventNames = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
};

/** A core Event in the form of events.k8s.io/v1. */
export function eventToServed(object: KubeObject): KubeObject {
  const event: JsonObject = { ...renamed(asJson(object), eventNames), apiVersion: 'events.k8s.io/v1' };
  for (const key of ['reportingController', 'reportingInstance']) if (event[key] === '') delete event[key];
  return event as unknown as KubeObject;
}

/** An events.k8s.io/v1 Event in the core form, in which events are stored. */
export function eventToStorage(object: KubeObject): KubeObject {
  const back = Object.fromEntries(Object.entries(eventNames).map(([core, events]) => [events, core]));
  return { ...renamed(asJson(object), back), apiVersion: 'v1' } as unknown as KubeObject;
}
