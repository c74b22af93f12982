import { isJsonObject, type JsonObject, type JsonValue, objectAt, valueAt } from '../../src/base/index.ts';
import type { KubeObject } from './kube-object.ts';

/** The object as plain JSON, to read and set fields of any kind. The same object, not a copy. */
export function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

export function numberAt(parent: JsonObject | undefined, key: string): number | undefined {
  const value = valueAt(parent, key);
  return typeof value === 'number' ? value : undefined;
}

/** 0 when absent, as Go reads it. */
export function countAt(parent: JsonObject | undefined, key: string): number {
  return numberAt(parent, key) ?? 0;
}

/** The texts of a map such as labels or data. */
export function textsAt(parent: JsonObject | undefined, ...path: string[]): Record<string, string> {
  const entries = Object.entries(objectAt(parent, ...path) ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** The object at `key`, made when absent. */
export function ensureObject(parent: JsonObject, key: string): JsonObject {
  const value = valueAt(parent, key);
  if (isJsonObject(value)) return value;
  const made: JsonObject = {};
  parent[key] = made;
  return made;
}

/** Sets what is absent, null or (texts only) empty: the way Go defaulting sees zero values. */
export function setDefaults(parent: JsonObject, defaults: JsonObject): void {
  for (const [key, value] of Object.entries(defaults)) {
    const current = valueAt(parent, key);
    if (current === undefined || current === null || current === '') parent[key] = structuredClone(value);
  }
}

/** `spec` of an object, made when it is missing. */
export function specOf(object: KubeObject): JsonObject {
  return ensureObject(asJson(object), 'spec');
}

/** A time as Go writes it: whole seconds. */
export function goTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The objects of a list; anything else in it is left out. */
export function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** A text, or nothing. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The texts of a list. */
export function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** An object, empty where there is none. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value as JsonValue) ? (value as JsonObject) : {};
}
