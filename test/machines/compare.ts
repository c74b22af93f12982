import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../../src/base/index.ts';
import { type Difference, differencesAt, differencesByRest, differentLines } from '../support/differences.ts';
import type { Recording, Snapshot } from './scenario.ts';

/** Go writes members that are required in its types, and leaves out others that are empty or 0. */
function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '' || value === 0) return true;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

function comparable(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item));
    if (key !== 'conditions') return items;
    return Object.fromEntries(items.filter(isJsonObject).map((item) => [textAt(item, 'type'), item]));
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member = null]): [string, JsonValue] => [
    name,
    comparable(member, name),
  ]);
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

/** The calls for each machine in their order; those of different machines come in any. */
function byMachine(calls: readonly string[]): string[] {
  const nameOf = (call: string): string => call.replace(/^\S+ /, '');
  return calls.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));
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

/** Where two recordings of one scenario differ, in the order of its points of rest; empty when they agree. */
export function differencesOf(reference: Recording, ours: Recording): Difference[] {
  return differencesByRest(accumulated(reference.snapshots), accumulated(ours.snapshots), (theirs, own) => [
    ...differencesAt('unreached', theirs.unreached ?? false, own.unreached ?? false),
    ...differencesAt('objects', comparable(theirs.objects as JsonObject), comparable(own.objects as JsonObject)),
    ...differencesAt('calls', byMachine(theirs.calls), byMachine(own.calls)),
    ...differentLines('events', theirs.events, own.events),
  ]);
}
