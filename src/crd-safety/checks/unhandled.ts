import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { SchemaCheck } from '../check.ts';
import { goFieldName, isSameDemand, shownChange, wordsOnly } from '../wording.ts';

const rulesKeyword = 'x-kubernetes-validations';
/** Checked place by place. */
const places = new Set(['properties', 'items']);

function ruleTexts(rules: JsonValue | undefined): string[] {
  const list = Array.isArray(rules) ? rules.filter(isJsonObject) : [];
  return list.map(({ rule, optionalOldSelf }) => {
    return `${typeof rule === 'string' ? rule : ''}${optionalOldSelf === true ? ' (optionalOldSelf)' : ''}`;
  });
}

/** Rules may go, and their messages may change. */
function rulesChange(before: JsonValue | undefined, after: JsonValue | undefined): string | undefined {
  const [old, now] = [new Set(ruleTexts(before)), new Set(ruleTexts(after))];
  const added = ruleTexts(after).filter((rule) => !old.has(rule));
  if (added.length === 0) return undefined;
  const removed = ruleTexts(before).filter((rule) => !now.has(rule));
  return `XValidations ${removed.length === 0 ? '<empty>' : removed.join(', ')} -> ${added.join(', ')}`;
}

/** Lists are atomic by default; false and an empty list have no meaning. */
function meaningOf(keyword: string, value: JsonValue | undefined): JsonValue | undefined {
  if (keyword === 'x-kubernetes-list-type' && value === 'atomic') return undefined;
  return value === false || (Array.isArray(value) && value.length === 0) ? undefined : value;
}

function isCheckedBelow(keyword: string, before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  return keyword === 'additionalProperties' && isJsonObject(before) && isJsonObject(after);
}

function keywordChange(keyword: string, before: JsonObject, after: JsonObject): string | undefined {
  const [old, now] = [meaningOf(keyword, before[keyword]), meaningOf(keyword, after[keyword])];
  if (keyword === rulesKeyword) return rulesChange(old, now);
  if (isCheckedBelow(keyword, old, now) || isSameDemand(old, now)) return undefined;
  return `${goFieldName(keyword)} ${shownChange(old, now)}`;
}

/** The check of keywords that no other check handles: whether such a change is safe is unknown. `handled` are their keywords. */
export function unhandledBeside(handled: readonly string[]): SchemaCheck {
  const known = new Set([...handled, ...places, ...wordsOnly]);
  return {
    name: 'unhandled',
    refuses:
      'any other constraint of a schema changes: `format`, `anyOf`, `allOf`, `not`, `multipleOf`, `x-kubernetes-*`; of CEL rules, that one is added or changed.',
    keywords: [],
    find: (before: Schema, after: Schema) => {
      const [old, now] = [before as unknown as JsonObject, after as unknown as JsonObject];
      const keywords = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((key) => !known.has(key));
      const changes = keywords
        .toSorted()
        .map((keyword) => keywordChange(keyword, old, now))
        .filter((change) => change !== undefined);
      return changes.length === 0 ? undefined : `unhandled changes found (${changes.join('; ')})`;
    },
  };
}
