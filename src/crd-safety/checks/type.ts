import { goQuote } from '../../base/index.ts';

import type { SchemaCheck } from '../check.ts';

/** A value stays what it is. */
export const type: SchemaCheck = {
  name: 'type',
  refuses: 'the type of a field changes.',
  keywords: ['type'],
  find: ({ type: before = '' }, { type: after = '' }) =>
    before === after ? undefined : `type changed : ${goQuote(before)} -> ${goQuote(after)}`,
};
