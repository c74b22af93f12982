import { goQuote } from '../../base/index.ts';

import type { CrdCheck } from '../check.ts';

/** `spec.scope` never changes: objects of the other scope could not be read any more. */
export const scope: CrdCheck = {
  name: 'scope',
  refuses: '`spec.scope` changes between `Namespaced` and `Cluster`.',
  find: (before, after) =>
    before.scope === after.scope ? [] : [`scope changed : ${goQuote(before.scope)} -> ${goQuote(after.scope)}`],
};
