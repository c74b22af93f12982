import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { FieldSet, fieldElement, type PathElement } from './field-set.ts';
import {
  fieldStructure,
  indexItems,
  isDeclared,
  isHollow,
  isUnit,
  itemElement,
  rootStructure,
  type Shape,
  type Structure,
  shapeOf,
  structureBelow,
} from './structure.ts';

type Value = JsonValue | undefined;
type ListShape = Shape & { kind: 'list' };

const unknownField: Structure = { schema: undefined, keepsUnknown: true, isAtomic: false };

function below(parent: Structure, name: string): Structure {
  return fieldStructure(parent, name) ?? unknownField;
}

/** The paths that an applied object owns: leaves, empty maps and lists, nulls, atomic values as a whole, items of lists. */
export function fieldSetOf(value: JsonObject, schema: Schema | undefined): FieldSet {
  const set = new FieldSet();
  collect({ set, path: [] }, value, rootStructure(schema));
  return set;
}

interface Collector {
  readonly set: FieldSet;
  readonly path: readonly PathElement[];
}

function step(at: Collector, element: PathElement): Collector {
  return { set: at.set, path: [...at.path, element] };
}

function collect(at: Collector, value: JsonValue, structure: Structure): void {
  const shape = shapeOf(structure, value);
  if (shape.kind === 'scalar' || shape.isAtomic) at.set.insert(at.path);
  else if (shape.kind === 'list') collectItems(at, Array.isArray(value) ? value : [], shape);
  else if (isJsonObject(value)) collectFields(at, value, structure);
}

function collectFields(at: Collector, value: JsonObject, structure: Structure): void {
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const next = step(at, fieldElement(name));
    collect(next, member, below(structure, name));
    const isEmptyMap = member === null || (isJsonObject(member) && Object.keys(member).length === 0);
    if (isEmptyMap || !isDeclared(structure, name)) at.set.insert(next.path);
  }
}

function collectItems(at: Collector, list: readonly JsonValue[], shape: ListShape): void {
  for (const [element, items] of indexItems(shape, list)) {
    const next = step(at, element);
    const [item] = items;
    if (items.length === 1 && item !== undefined) collect(next, item, shape.items);
    at.set.insert(next.path);
  }
}

/** The paths that differ between two objects. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two objects path by path; a path whose whole subtree came or went is listed with every path in it. */
export function compare(before: JsonObject, after: JsonObject, schema: Schema | undefined): Comparison {
  const comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareValues({ comparison, path: [] }, [before, after], rootStructure(schema));
  return comparison;
}

interface Comparer {
  readonly comparison: Comparison;
  readonly path: readonly PathElement[];
}

type Pair = readonly [before: Value, after: Value];

function compareValues(at: Comparer, [before, after]: Pair, structure: Structure): void {
  if (before === after) return;
  const { added, modified, removed } = at.comparison;
  const isLeaf = isUnit(structure, before, after);
  if (!isLeaf) compareInside(at, [before, after], structure);
  else if (before !== undefined && after !== undefined) compareForms(at, [before, after], structure);
  if (before === undefined) added.insert(at.path);
  else if (after === undefined) removed.insert(at.path);
  else if (isLeaf && !isJsonEqual(before, after)) modified.insert(at.path);
}

/** Where a map gives way to a list or a scalar, or the other way round, its content counts as removed, the new content as added. */
function compareForms(at: Comparer, [before, after]: readonly [JsonValue, JsonValue], structure: Structure): void {
  if (shapeOf(structure, before).kind === shapeOf(structure, after).kind) return;
  if (!isUnit(structure, before, undefined)) compareInside(at, [before, null], structure);
  if (!isUnit(structure, undefined, after)) compareInside(at, [null, after], structure);
}

function compareInside(at: Comparer, [before, after]: Pair, structure: Structure): void {
  const shape = shapeOf(structure, after ?? before);
  if (shape.kind === 'list') compareItems(at, [before, after], shape);
  else compareFields(at, [before, after], structure);
}

function compareFields(at: Comparer, [before, after]: Pair, structure: Structure): void {
  const old = isJsonObject(before) ? before : {};
  const fresh = isJsonObject(after) ? after : {};
  const own = (object: JsonObject, name: string): Value => (Object.hasOwn(object, name) ? object[name] : undefined);
  const compareField = (name: string): void => {
    const [left, right] = [own(old, name), own(fresh, name)];
    if (left === right) return;
    const next = { comparison: at.comparison, path: [...at.path, fieldElement(name)] };
    compareValues(next, [left, right], below(structure, name));
  };
  for (const name of Object.keys(old)) compareField(name);
  for (const name of Object.keys(fresh)) if (!Object.hasOwn(old, name)) compareField(name);
}

function compareItems(at: Comparer, [before, after]: Pair, shape: ListShape): void {
  // To index the items takes much longer, and most writes leave most lists as they are.
  if (before !== undefined && after !== undefined && isJsonEqual(before, after)) return;
  const old = indexItems(shape, Array.isArray(before) ? before : []);
  const fresh = indexItems(shape, Array.isArray(after) ? after : []);
  for (const element of new Set([...old.keys(), ...fresh.keys()])) {
    const next = { comparison: at.comparison, path: [...at.path, element] };
    compareItemGroups(next, [old.get(element) ?? [], fresh.get(element) ?? []], shape);
  }
}

/** More than one item of equal key may stand in stored lists: such a group is tracked as a whole. */
function compareItemGroups(at: Comparer, [old, fresh]: readonly [JsonValue[], JsonValue[]], shape: ListShape): void {
  const { added, modified, removed } = at.comparison;
  if (old.length <= 1 && fresh.length <= 1) return compareValues(at, [old[0], fresh[0]], shape.items);
  if (old.length >= 2 && fresh.length >= 2) {
    if (!isJsonEqual(old, fresh)) modified.insert(at.path);
  } else if (old.length >= 2) {
    if (fresh[0] !== undefined) compareValues(at, [undefined, fresh[0]], shape.items);
    removed.insert(at.path);
  } else {
    if (old[0] !== undefined) compareValues(at, [old[0], undefined], shape.items);
    added.insert(at.path);
  }
  return undefined;
}

/** The value without the paths of `removed` and what is below them; undefined when nothing is left of a map or list. */
export function removePaths(value: JsonValue, removed: FieldSet, structure: Structure): JsonValue | undefined {
  const shape = shapeOf(structure, value);
  if (shape.kind === 'scalar') return value;
  if (shape.isAtomic || isHollow(value)) return undefined;
  if (shape.kind === 'map') return isJsonObject(value) ? removeFields(value, removed, structure) : undefined;
  return Array.isArray(value) ? removeItems(value, removed, shape) : undefined;
}

function removeFields(value: JsonObject, removed: FieldSet, structure: Structure): JsonObject | undefined {
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const element = fieldElement(name);
    if (member === undefined || removed.members.has(element)) continue;
    const inner = removed.below(element);
    kept[name] =
      inner === undefined || inner.isEmpty ? member : (removePaths(member, inner, below(structure, name)) ?? null);
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function removeItems(list: readonly JsonValue[], removed: FieldSet, shape: ListShape): JsonValue[] | undefined {
  const kept: JsonValue[] = [];
  for (const item of list) {
    const element = itemElement(shape, item);
    const name = typeof element === 'string' ? element : '';
    if (removed.members.has(name)) continue;
    const inner = removed.below(name);
    kept.push(inner === undefined || inner.isEmpty ? item : (removePaths(item, inner, shape.items) ?? null));
  }
  return kept.length === 0 ? undefined : kept;
}

/** The set with every parent that is a field named by the schema as a member of its own. */
export function withNamedParents(set: FieldSet, structure: Structure | undefined): FieldSet {
  const members = new Set(set.members);
  const children: [PathElement, FieldSet][] = [];
  for (const [element, child] of set.children) {
    const isNamed = structure !== undefined && element.startsWith('f:') && isDeclared(structure, element.slice(2));
    if (isNamed) members.add(element);
    const inner = structure === undefined ? undefined : structureBelow(structure, element);
    children.push([element, withNamedParents(child, inner)]);
  }
  return new FieldSet(members, children);
}
