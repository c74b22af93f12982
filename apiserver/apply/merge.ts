import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import type { PathElement } from './field-set.ts';
import {
  fieldStructure,
  indexItems,
  isUnit,
  itemElement,
  rootStructure,
  type Shape,
  type Structure,
  shapeOf,
} from './structure.ts';

type Value = JsonValue | undefined;
type ListShape = Shape & { kind: 'list' };

function mergeValues(live: Value, applied: Value, structure: Structure | undefined): Value {
  if (applied === undefined) return live;
  if (live === undefined || structure === undefined || isUnit(structure, live, applied)) return applied;
  const shape = shapeOf(structure, applied === null ? live : applied);
  const listOf = (value: JsonValue): JsonValue[] => (Array.isArray(value) ? value : []);
  if (shape.kind === 'list') return mergeLists(listOf(live), listOf(applied), shape);
  const mapOf = (value: JsonValue): JsonObject => (isJsonObject(value) ? value : {});
  return mergeFields(mapOf(live), mapOf(applied), structure);
}

function mergeFields(live: JsonObject, applied: JsonObject, structure: Structure): JsonObject {
  const merged: JsonObject = { ...live };
  for (const [name, value] of Object.entries(applied)) {
    const own = Object.hasOwn(live, name) ? live[name] : undefined;
    merged[name] = mergeValues(own, value, fieldStructure(structure, name));
  }
  return merged;
}

/** Applied items in their order; items that only the live list has keep their place before the live items that follow them. */
function mergeLists(live: readonly JsonValue[], applied: readonly JsonValue[], shape: ListShape): JsonValue[] {
  const elementOf = (item: JsonValue): PathElement => {
    const element = itemElement(shape, item);
    return typeof element === 'string' ? element : '';
  };
  const liveIndex = indexItems(shape, live);
  const left = live.map(elementOf);
  const right = applied.map(elementOf);
  const inApplied = new Set(right);
  const sharedOrder = right.filter((element) => liveIndex.has(element));
  // Counted, not shifted: that would move the whole list for each item.
  let shared = 0;
  const done = new Set<PathElement>();
  const merged: JsonValue[] = [];
  const takeApplied = (index: number): void => {
    const element = right[index] ?? '';
    const same = liveIndex.get(element) ?? [];
    const value = mergeValues(same.length === 1 ? same[0] : undefined, applied[index], shape.items);
    if (value !== undefined) merged.push(value);
    done.add(element);
    if (sharedOrder[shared] === element) shared += 1;
  };
  let next = 0;
  for (const [index, element] of left.entries()) {
    if (!inApplied.has(element)) {
      merged.push(live[index] ?? null);
      continue;
    }
    if (done.has(element) || sharedOrder[shared] !== element) continue;
    for (; !done.has(element) && next < right.length; next += 1) takeApplied(next);
  }
  for (; next < right.length; next += 1) takeApplied(next);
  return merged;
}

/** The live object with the applied one laid over it: maps and structs field by field, keyed lists item by item, sets united,
 *  all else replaced. Neither is changed. */
export function mergeApplied(live: JsonObject, applied: JsonObject, schema: Schema | undefined): JsonObject {
  return mergeFields(live, applied, rootStructure(schema));
}

/** Without the nulls that stand where `before` has a value. */
export function withoutNewNulls(value: JsonValue, before: JsonValue): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(before) || value === before) return value;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const old = Object.hasOwn(before, name) ? (before[name] ?? null) : null;
    if (member !== undefined && (member !== null || old === null)) kept[name] = withoutNewNulls(member, old);
  }
  return kept;
}
