import { goQuote, isJsonEqual, type JsonValue } from '../../base/index.ts';

import type { SchemaCheck } from '../check.ts';

function shown(value: JsonValue): string {
  return goQuote(JSON.stringify(value));
}

/** A default is neither added nor changed nor taken away: objects without the field would mean something else. */
export const defaultValue: SchemaCheck = {
  name: 'default',
  refuses: 'the default of an existing field is added, changed or removed.',
  keywords: ['default'],
  find: ({ default: before }, { default: after }) => {
    if (before === undefined && after === undefined) return undefined;
    if (before === undefined) return `default added when there was none previously : ${shown(after ?? null)}`;
    if (after === undefined) return `default value removed : ${shown(before)}`;
    return isJsonEqual(before, after) ? undefined : `default value changed : ${shown(before)} -> ${shown(after)}`;
  },
};
