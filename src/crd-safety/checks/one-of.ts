import type { Schema } from '../../schema/index.ts';
import type { SchemaCheck } from '../check.ts';
import { canonicalText } from '../wording.ts';

function textsOf(branches: readonly Schema[] = []): string[] {
  return branches.map((branch) => canonicalText(branch)).toSorted();
}

function without(texts: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return texts.filter((text) => !known.has(text));
}

/** The branches of `oneOf` stay: one more, and a value that satisfied one may satisfy two. */
export const oneOf: SchemaCheck = {
  name: 'oneOf',
  refuses: 'a branch of `oneOf` is added, changed or removed.',
  keywords: ['oneOf'],
  find: (before, after) => {
    const [old, now] = [textsOf(before.oneOf), textsOf(after.oneOf)];
    if (old.length === 0 && now.length > 0) return 'oneOf constraint added when there was none previously';
    const removed = without(old, now);
    if (removed.length > 0) return `allowed oneOf schemas removed: [${removed.join(' ')}]`;
    const added = without(now, old);
    if (added.length > 0) return `allowed oneOf schemas added: [${added.join(' ')}]`;
    return old.length === now.length ? undefined : `allowed oneOf schemas added: [${now.join(' ')}]`;
  },
};
