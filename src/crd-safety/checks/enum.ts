import type { JsonValue } from '../../base/index.ts';
import type { SchemaCheck } from '../check.ts';

function listed(values: readonly string[]): string {
  return `[${values.toSorted().join(' ')}]`;
}

function textsOf(values: readonly JsonValue[] = []): string[] {
  return values.map((value) => JSON.stringify(value));
}

/** What was allowed stays allowed; a list may grow, or go. */
export const enumValues: SchemaCheck = {
  name: 'enum',
  refuses: 'a list of allowed values is added, or a value is removed from one.',
  keywords: ['enum'],
  find: (before, after) => {
    const [old, now] = [textsOf(before.enum), textsOf(after.enum)];
    if (now.length === 0) return undefined;
    if (old.length === 0) return `enum constraint added when there was none previously : ${listed(now)}`;
    const allowed = new Set(now);
    const removed = old.filter((value) => !allowed.has(value));
    return removed.length === 0 ? undefined : `allowed enum values removed : ${listed(removed)}`;
  },
};
