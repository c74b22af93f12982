import { goQuote } from '../../base/index.ts';

import type { SchemaCheck } from '../check.ts';

/** The type of a value must not change. */
export const type: SchemaCheck = {
  name: 'type',
  refuses: 'the type of a field changes.',
  keywords: ['type'],
  find: ({ type: before = '' }, { type: after = '' }) =>
    before === after ? undefined : `type changed : ${goQuote(before)} -> ${goQuote(after)}`,
};
