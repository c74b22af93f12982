import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../../src/base/index.ts';
import { type Difference, differencesAt, differencesByRest, differentLines } from '../support/differences.ts';
import type { Recording, Snapshot } from './scenario.ts';

/** Go writes members that are required in its types, and empty lists as null. */
function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

/** Conditions by their type, so that a difference names the condition. */
function byType(items: readonly JsonValue[]): JsonObject {
  return Object.fromEntries(items.filter(isJsonObject).map((item) => [textAt(item, 'type'), item]));
}

function comparableValue(value: JsonValue, key: string): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item) => comparableValue(item, ''));
    return key === 'conditions' ? byType(items) : items;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member = null]): [string, JsonValue] => [
    name,
    comparableValue(member, name),
  ]);
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

/** The objects at each point of rest, not only those that changed. */
function accumulated(snapshots: readonly Snapshot[]): Snapshot[] {
  let objects: Snapshot['objects'] = {};
  return snapshots.map((snapshot) => {
    objects = { ...objects, ...snapshot.objects };
    const existing = Object.entries(objects).filter((entry): entry is [string, JsonObject] => entry[1] !== null);
    return { ...snapshot, objects: Object.fromEntries(existing) };
  });
}

function rest({ clusterVersion, objects }: Snapshot): {
  readonly clusterVersion: JsonValue;
  readonly objects: JsonValue;
} {
  return { clusterVersion: comparableValue(clusterVersion, ''), objects: comparableValue(objects as JsonObject, '') };
}

/** Where two recordings of one scenario differ, in the order of its points of rest; empty when they agree. */
export function differencesOf(reference: Recording, ours: Recording): Difference[] {
  return differencesByRest(accumulated(reference.snapshots), accumulated(ours.snapshots), (theirs, own) => {
    const [before, now] = [rest(theirs), rest(own)];
    return [
      ...differencesAt('restless', theirs.restless ?? false, own.restless ?? false),
      ...differencesAt('unreached', theirs.unreached ?? false, own.unreached ?? false),
      ...differencesAt('clusterVersion', before.clusterVersion, now.clusterVersion),
      ...differencesAt('objects', before.objects, now.objects),
      ...differencesAt('writes', theirs.writes as unknown as JsonObject, own.writes as unknown as JsonObject),
      ...differencesAt('levels', [...(theirs.levels ?? [])].join(' → '), [...(own.levels ?? [])].join(' → ')),
      ...differentLines('events', theirs.events, own.events),
    ];
  });
}
