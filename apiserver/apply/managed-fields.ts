import { isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../../src/base/index.ts';
import { FieldSet } from './field-set.ts';

/** One entry of `metadata.managedFields`. */
export interface ManagerEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339; undefined where the entry came to be without a change of the object. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Entries by identity, see `identityOf`. */
export type Managers = ReadonlyMap<string, ManagerEntry>;

/** What makes two entries one: an Apply entry does not depend on the version. */
export function identityOf(entry: Omit<ManagerEntry, 'time' | 'fields'>): string {
  const version = entry.operation === 'Apply' ? '' : entry.apiVersion;
  return JSON.stringify([entry.manager, entry.operation, version, entry.subresource]);
}

function textOf(entry: JsonObject, name: string): string {
  const value = entry[name];
  return typeof value === 'string' ? value : '';
}

function invalid(why: string): TerminalError {
  return new TerminalError('InvalidManagedFields', `metadata.managedFields: ${why}`);
}

function parseEntry(entry: JsonValue): ManagerEntry {
  if (!isJsonObject(entry)) throw invalid('an entry must be an object');
  const operation = textOf(entry, 'operation');
  if (operation !== 'Apply' && operation !== 'Update') throw invalid('operation must be `Apply` or `Update`');
  const apiVersion = textOf(entry, 'apiVersion');
  if (apiVersion === '') throw invalid('apiVersion must not be empty');
  if (textOf(entry, 'fieldsType') !== 'FieldsV1') throw invalid(`invalid fieldsType "${textOf(entry, 'fieldsType')}"`);
  const time = textOf(entry, 'time');
  return {
    manager: textOf(entry, 'manager'),
    operation,
    apiVersion,
    subresource: textOf(entry, 'subresource'),
    time: time === '' ? undefined : time,
    fields: FieldSet.parse(entry['fieldsV1']),
  };
}

/** Reads `metadata.managedFields`.
 *  @throws TerminalError InvalidManagedFields, InvalidFieldSet */
export function parseManagers(entries: readonly JsonValue[] | undefined): Managers {
  const managers = new Map<string, ManagerEntry>();
  for (const item of entries ?? []) {
    const entry = parseEntry(item);
    managers.set(identityOf(entry), entry);
  }
  return managers;
}

function secondsOf(entry: ManagerEntry): number {
  return entry.time === undefined ? 0 : Math.floor(Date.parse(entry.time) / 1000);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Older entries first; equal ones by manager, apiVersion, subresource. */
export function compareAge(a: ManagerEntry, b: ManagerEntry): number {
  return (
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** The same of entries that may hold one twice: the later one counts. */
export function writeManagers(entries: readonly ManagerEntry[]): JsonObject[] {
  return formatManagers(new Map(entries.map((entry) => [identityOf(entry), entry])));
}

/** `metadata.managedFields` in canonical order: Apply before Update, then by age. Empty sets are left out. */
export function formatManagers(managers: Managers): JsonObject[] {
  const entries = [...managers.values()].filter((entry) => !entry.fields.isEmpty);
  entries.sort((a, b) => compareText(a.operation, b.operation) || compareAge(a, b));
  return entries.map((entry) => ({
    ...(entry.manager === '' ? {} : { manager: entry.manager }),
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    ...(entry.time === undefined ? {} : { time: entry.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: entry.fields.toJson(),
    ...(entry.subresource === '' ? {} : { subresource: entry.subresource }),
  }));
}
