import { goQuote } from '../../base/index.ts';

import type { SchemaCheck } from '../check.ts';

function verb(before: string, after: string): string {
  if (before === '') return 'added';
  return after === '' ? 'removed' : 'changed';
}

/** Patterns must not change: which of two allows more cannot be decided. */
export const pattern: SchemaCheck = {
  name: 'pattern',
  refuses: 'the pattern of a string is added, changed or removed.',
  keywords: ['pattern'],
  find: ({ pattern: before = '' }, { pattern: after = '' }) =>
    before === after ? undefined : `pattern ${verb(before, after)} : ${goQuote(before)} -> ${goQuote(after)}`,
};
