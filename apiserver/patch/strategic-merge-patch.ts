import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { badRequest, StatusError } from '../core/index.ts';
import {
  applyListDirectives,
  checkOrder,
  holdsObjects,
  identityOf,
  liveOrderAfter,
  orderItems,
} from './merge-lists.ts';
import { expectedList, formatAsText, formatGoValue, patchFailure } from './strategic-errors.ts';

const orderWord = '$setElementOrder';
const orderPrefix: string = `${orderWord}/`;
const deletePrefix = '$deleteFromPrimitiveList/';

interface FieldRule {
  readonly schema: Schema | undefined;
  readonly strategy: 'merge' | 'replace' | undefined;
  readonly mergeKey: string;
}

function plainRule(schema: Schema | undefined): FieldRule {
  return { schema, strategy: undefined, mergeKey: '' };
}

function propertyRule(schema: Schema): FieldRule {
  const strategies = (schema['x-kubernetes-patch-strategy'] ?? '').split(',');
  const strategy = strategies.find((name) => name === 'merge' || name === 'replace');
  return { schema, strategy, mergeKey: schema['x-kubernetes-patch-merge-key'] ?? '' };
}

function unknownField(definition: string | undefined, field: string): StatusError {
  const struct = definition?.split('.').at(-1) ?? '';
  return patchFailure(`unable to find api field in struct ${struct} for the json field "${field}"`);
}

function ruleOf(parent: Schema | undefined, field: string): FieldRule {
  const properties = parent?.properties;
  const property = properties !== undefined && Object.hasOwn(properties, field) ? properties[field] : undefined;
  if (property !== undefined) return propertyRule(property);
  const values = parent?.additionalProperties;
  if (typeof values === 'object') return plainRule(values);
  if (properties === undefined) return plainRule(undefined);
  throw unknownField(parent?.definition, field);
}

/** New content without directives and nulls; undefined when a directive removes it. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, '$patch')) return undefined;
  const kept: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const clean = member === null || member === undefined ? undefined : withoutDirectives(member);
    if (clean !== undefined) kept[key] = clean;
  }
  return kept;
}

function applyMapDirective(patch: JsonObject): JsonObject {
  const { $patch: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw patchFailure(`unknown patch type: ${formatAsText(directive)} in map: ${formatGoValue(patch)}`);
}

/** A copy of `original` with only those keys that `$retainKeys`, where there is one, lists. */
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, '$retainKeys')) return { ...original };
  const list = patch['$retainKeys'];
  if (!Array.isArray(list)) throw badRequest('invalid patch format of retainKeys');
  const retained = new Set(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith('$') || retained.has(key)) continue;
    throw badRequest('invalid patch format of retainKeys');
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => retained.has(key)));
}

function listMember(object: JsonObject, key: string): JsonValue[] | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (value === undefined || Array.isArray(value)) return value;
  throw expectedList(value);
}

interface OrderedPatch {
  readonly live: JsonValue[] | undefined;
  readonly items: JsonValue[] | undefined;
  readonly order: JsonValue[];
}

interface FieldPatch {
  readonly key: string;
  readonly value: JsonValue;
  readonly schema: Schema | undefined;
}

/** What may be merged for one patch, in fields of the live object and items of its lists. That is a multiple of what an object and a patch have:
 *  more is merged only into the same items again and again. */
const maxMerged = 1_000_000;

function tooMuch(): StatusError {
  const message = `Request entity too large: the patch merges more than ${maxMerged} fields and items: name each item once`;
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
}

/** The merge of one patch: a patch of few bytes may name a large item very often, all of which is copied each time. */
class StrategicMerge {
  #merged = 0;

  apply(live: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
    return this.#mergeMap(live, patch, schema);
  }

  /** @throws StatusError 413 */
  #count(merged: number): void {
    this.#merged += merged;
    if (this.#merged > maxMerged) throw tooMuch();
  }

  #mergeMap(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
    if (Object.hasOwn(patch, '$patch')) return applyMapDirective(patch);
    this.#count(Object.keys(original).length);
    const merged = retainKeys(original, patch);
    const ordered = this.#applyElementOrders(merged, patch, schema);
    for (const [key, value] of Object.entries(patch)) {
      if (key === '$retainKeys' || key.startsWith(orderPrefix) || ordered.has(key)) continue;
      if (key.startsWith(deletePrefix)) this.#deleteScalars(merged, key.slice(deletePrefix.length), value);
      else this.#mergeField(merged, { key, value: value ?? null, schema });
    }
    return merged;
  }

  /** Merges the lists that have a `$setElementOrder`; gives their names. */
  #applyElementOrders(merged: JsonObject, patch: JsonObject, schema: Schema | undefined): Set<string> {
    const done = new Set<string>();
    for (const [directive, order] of Object.entries(patch)) {
      if (!directive.startsWith(orderWord)) continue;
      if (!directive.startsWith(orderPrefix)) throw badRequest('invalid patch format of setElementOrder list');
      if (!Array.isArray(order)) throw expectedList(order);
      const key = directive.slice(orderPrefix.length);
      const [live, items] = [listMember(merged, key), listMember(patch, key)];
      const rule = ruleOf(schema, key);
      checkOrder(items ?? [], order, rule.mergeKey);
      if (items !== undefined) done.add(key);
      const ordered = this.#orderedList({ live, items, order }, rule);
      if (ordered !== undefined) merged[key] = ordered;
    }
    return done;
  }

  #orderedList({ live, items, order }: OrderedPatch, rule: FieldRule): JsonValue[] | undefined {
    const list = this.#mergeOptionalLists(live, items, rule);
    if (list === undefined) return undefined;
    const [before, changed] = [live ?? [], items ?? []];
    this.#count(before.length + changed.length + order.length);
    if (before.length + changed.length === 0) throw patchFailure('no elements in any of the given slices');
    const serverOrder = liveOrderAfter(before, changed, rule.mergeKey);
    return orderItems(list, { patchOrder: order, serverOrder, mergeKey: rule.mergeKey });
  }

  #mergeOptionalLists(
    live: JsonValue[] | undefined,
    items: JsonValue[] | undefined,
    rule: FieldRule,
  ): readonly JsonValue[] | undefined {
    if (live === undefined) return items === undefined ? undefined : (withoutDirectives(items) as JsonValue[]);
    return items === undefined ? live : this.#mergeLists(live, items, rule);
  }

  #deleteScalars(merged: JsonObject, key: string, value: JsonValue | undefined): void {
    const live = merged[key];
    if (!Array.isArray(live) || !Array.isArray(value)) return;
    this.#count(live.length + value.length);
    if (holdsObjects(live, value)) throw patchFailure(`cannot delete maps from ${key}`);
    const deleted = new Set(value);
    merged[key] = live.filter((item) => !deleted.has(item));
  }

  #mergeField(merged: JsonObject, { key, value, schema }: FieldPatch): void {
    const live = Object.hasOwn(merged, key) ? merged[key] : undefined;
    const next = value === null ? undefined : this.#mergeValue(live, { key, value, schema });
    if (next === undefined) delete merged[key];
    else merged[key] = next;
  }

  #mergeValue(live: JsonValue | undefined, { key, value, schema }: FieldPatch): JsonValue | undefined {
    if (isJsonObject(live) && isJsonObject(value)) {
      const rule = ruleOf(schema, key);
      return rule.strategy === 'replace' ? value : this.#mergeMap(live, value, rule.schema);
    }
    if (Array.isArray(live) && Array.isArray(value)) return this.#mergeLists(live, value, ruleOf(schema, key));
    return withoutDirectives(value);
  }

  #mergeLists(live: readonly JsonValue[], patch: JsonValue[], rule: FieldRule): JsonValue[] {
    if (rule.strategy !== 'merge') return patch;
    this.#count(live.length + patch.length);
    if (live.length === 0 && patch.length === 0) return [];
    if (!holdsObjects(live, patch)) {
      const merged = [...new Set([...live, ...patch])];
      return orderItems(merged, { patchOrder: patch, serverOrder: live, mergeKey: '' });
    }
    if (rule.mergeKey === '')
      throw patchFailure(`cannot merge lists without merge key for ${rule.schema?.definition ?? ''}`);
    return this.#mergeKeyedLists(live, patch, rule);
  }

  #mergeKeyedLists(live: readonly JsonValue[], patch: readonly JsonValue[], rule: FieldRule): JsonValue[] {
    const { mergeKey } = rule;
    const { original, patch: items } = applyListDirectives(live, patch, mergeKey);
    const merged = [...original];
    const places = new Map<JsonValue, number>();
    for (const [index, item] of merged.entries()) {
      const identity = isJsonObject(item) ? item[mergeKey] : undefined;
      if (identity !== undefined && !places.has(identity)) places.set(identity, index);
    }
    for (const item of items) {
      const identity = identityOf(item, mergeKey);
      const place = places.get(identity);
      if (place === undefined) {
        places.set(identity, merged.length);
        // What is new is taken as it is: directives in it are unknown fields.
        merged.push(item);
      } else {
        merged[place] = this.#mergeMap(merged[place] as JsonObject, item, rule.schema?.items);
      }
    }
    return orderItems(merged, { patchOrder: items, serverOrder: original, mergeKey });
  }
}

/** Applies a strategic merge patch by the patch strategies and merge keys of the schema; directives (`$patch`, `$retainKeys`,
 *  `$setElementOrder/…`, `$deleteFromPrimitiveList/…`) never reach the result. Neither argument is changed.
 *  @throws StatusError 400, 422 or 500 with kube-apiserver's texts · 413 for what is merged into the same items again and again */
export function applyStrategicMergePatch(live: JsonObject, patch: JsonValue, schema: Schema | undefined): JsonObject {
  if (!isJsonObject(patch)) {
    const kind = Array.isArray(patch) ? 'array' : typeof patch;
    throw badRequest(`json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
  }
  return new StrategicMerge().apply(live, patch, schema);
}
