import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { atOnce, type KubeObject, type Steps } from '../core/index.ts';
import { FieldSet } from './field-set.ts';
import {
  compareAge,
  formatManagers,
  identityOf,
  type ManagerEntry,
  type Managers,
  parseManagers,
} from './managed-fields.ts';
import { disown, filterComparison, ownable, withoutReset } from './ownership.ts';
import { compare } from './value-walk.ts';
import { withZeroNulls } from './zero-values.ts';

const maxUpdateEntries = 10;

/** Who writes, and when. */
export interface Actor {
  readonly manager: string;
  /** Of the request: `apps/v1`. */
  readonly apiVersion: string;
  /** `status`, `scale`, …; empty or absent for the object itself. */
  readonly subresource?: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /** Whether the kind has such a version: entries of others are dropped. Left out: all are kept. */
  readonly isKnownVersion?: ((apiVersion: string) => boolean) | undefined;
}

export interface TrackUpdateOptions extends Actor {
  /** Undefined when the object is created. */
  readonly live: KubeObject | undefined;
  readonly updated: KubeObject;
  /** Undefined: structure deduced from the values. */
  readonly schema: Schema | undefined;
  /** Fields that this endpoint neither takes nor owns (reference 7.7), with everything below them. */
  readonly resetFields?: FieldSet | undefined;
}

/** The object without `metadata.managedFields`. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _dropped, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object with these entries as `metadata.managedFields`; none when there are none. */
export function withManagers(object: KubeObject, managers: Managers): KubeObject {
  const entries = formatManagers(managers);
  const bare = withoutManagedFields(object);
  return entries.length === 0 ? bare : { ...bare, metadata: { ...bare.metadata, managedFields: entries } };
}

/** Reads managed fields; those that cannot be read count as none. */
export function readManagers(entries: readonly JsonValue[] | undefined): Managers {
  try {
    return parseManagers(entries);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return new Map();
    throw thrown;
  }
}

function isReset(entries: JsonValue | undefined): boolean {
  if (!Array.isArray(entries)) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isJsonObject(first) && Object.keys(first).length === 0);
}

function startingManagers(options: TrackUpdateOptions): Managers {
  return ofKnownVersions(sentOrStored(options), options);
}

/** The managers whose version the kind has. */
export function ofKnownVersions(managers: Managers, { isKnownVersion }: Actor): Managers {
  if (isKnownVersion === undefined) return managers;
  const isKnown = ({ apiVersion }: ManagerEntry): boolean => isKnownVersion(apiVersion);
  if ([...managers.values()].every(isKnown)) return managers;
  return new Map([...managers].filter(([, entry]) => isKnown(entry)));
}

function sentOrStored({ live, updated, subresource }: TrackUpdateOptions): Managers {
  const stored = readManagers(live?.metadata.managedFields);
  const requested = updated.metadata.managedFields as JsonValue | undefined;
  if (subresource !== undefined && subresource !== '') return stored;
  if (isReset(requested)) return new Map();
  const sent = Array.isArray(requested) ? readManagers(requested) : new Map<string, ManagerEntry>();
  return sent.size === 0 ? stored : sent;
}

/** Merges the oldest Update entries of one version into `ancient-changes` until ten are left. */
function capUpdateEntries(managers: Managers): Managers {
  const updates = [...managers].filter(([, entry]) => entry.operation === 'Update');
  let surplus = updates.length - maxUpdateEntries;
  if (surplus <= 0) return managers;
  updates.sort(([, a], [, b]) => compareAge(a, b));
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  const merged = new Map<string, FieldSet[]>();
  for (const [identity, entry] of updates) {
    if (surplus <= 0) break;
    const { apiVersion } = entry;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, identity);
      continue;
    }
    const place = { manager: 'ancient-changes', operation: 'Update' as const, apiVersion, subresource: '' };
    const bucket = identityOf(place);
    const before = capped.get(bucket) ?? capped.get(first);
    if (!capped.has(bucket)) capped.delete(first);
    capped.delete(identity);
    const fields = merged.get(bucket) ?? [before?.fields ?? new FieldSet()];
    merged.set(bucket, fields);
    fields.push(entry.fields);
    capped.set(bucket, { ...place, time: entry.time, fields: entry.fields });
    surplus -= 1;
  }
  return withFields(capped, merged);
}

/** These entries with the union of their sets. They may be thousands: one by one would cost the square. */
function withFields(managers: Managers, sets: ReadonlyMap<string, readonly FieldSet[]>): Managers {
  return new Map(
    [...managers].map(([identity, entry]) => {
      const own = sets.get(identity);
      return [identity, own === undefined ? entry : { ...entry, fields: FieldSet.unionOf(own) }];
    }),
  );
}

/** What is compared: without managed fields, with all that the kind always writes. */
export function comparable(object: KubeObject, schema: Schema | undefined): JsonObject {
  return withZeroNulls(withoutManagedFields(object) as JsonObject, schema);
}

function emptyObject(schema: Schema | undefined): JsonObject {
  return withZeroNulls({}, schema);
}

/** The managers after an update from `before` to `after`, both as `comparable` gives them. */
function* trackChange(
  managers: Managers,
  change: readonly [JsonObject, JsonObject],
  options: TrackChange,
): Steps<Managers> {
  const [before, after] = change;
  const { manager, apiVersion, now, schema, resetFields } = options;
  const comparison = filterComparison(compare(before, after, schema), resetFields);
  yield;
  const rest = disown(managers, undefined, comparison);
  const gained = withoutReset(ownable(comparison.added.union(comparison.modified)), resetFields);
  if (!gained.isEmpty) {
    const entry = { manager: manager || 'unknown', operation: 'Update' as const, apiVersion };
    const identified = { ...entry, subresource: options.subresource ?? '' };
    const identity = identityOf(identified);
    const fields = gained.union(rest.get(identity)?.fields ?? new FieldSet());
    rest.set(identity, { ...identified, time: now, fields });
  }
  return capUpdateEntries(rest);
}

export type TrackChange = Actor & Pick<TrackUpdateOptions, 'schema' | 'resetFields'>;

/** The managers of an existing object that is not tracked yet: all of it belongs to one of this name. */
export function trackFromNothing(object: KubeObject, options: TrackChange): Managers {
  return atOnce(trackChange(new Map(), [emptyObject(options.schema), comparable(object, options.schema)], options));
}

/** The updated object with `metadata.managedFields` brought up to date for a create, an update or a patch other than apply.
 *  Managed fields that the request brought replace the stored ones; `[]` and `[{}]` clear them, and an object whose fields were
 *  cleared is not tracked until it is applied. Times stay as they are when nothing changed. Never fails. */
export function* trackUpdate(options: TrackUpdateOptions): Steps<KubeObject> {
  const { live, updated, schema } = options;
  const managers = startingManagers(options);
  yield;
  if (live !== undefined && managers.size === 0) return withoutManagedFields(updated);
  const before = live === undefined ? emptyObject(schema) : comparable(live, schema);
  const tracked = yield* trackChange(managers, [before, comparable(updated, schema)], options);
  yield;
  const object = withManagers(updated, tracked);
  yield;
  return keepTimes(object, live);
}

/** Whether two objects are the same apart from `metadata.managedFields[].time`, `resourceVersion` and `generation`:
 *  then a write is not stored. */
function isSameIgnoringTimes(a: KubeObject, b: KubeObject): boolean {
  // What differs most often comes first: managed fields may be many thousands.
  return isJsonEqual(unmanaged(a), unmanaged(b)) && isJsonEqual(timelessEntries(a), timelessEntries(b));
}

function unmanaged(object: KubeObject): JsonObject {
  const { managedFields: _managed, resourceVersion: _version, generation: _generation, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as JsonObject;
}

function timelessEntries({ metadata }: KubeObject): JsonValue[] {
  return (metadata.managedFields ?? []).map(({ time: _time, ...entry }) => entry as unknown as JsonObject);
}

/** The object with the managed fields of `live` when they differ in times alone and nothing else changed. */
export function keepTimes(object: KubeObject, live: KubeObject | undefined): KubeObject {
  if (live?.metadata.managedFields === undefined || !isSameIgnoringTimes(object, live)) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: live.metadata.managedFields } };
}
