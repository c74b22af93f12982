import type { CrdCheck } from '../check.ts';
import { versionOf, versionsByAge } from '../crd.ts';
import { pairSchemas } from '../schema-pairs.ts';

/** Fields stay in the versions that have them: what objects have in a removed field is dropped when they are next written. */
export const existingFieldRemoval: CrdCheck = {
  name: 'existingFieldRemoval',
  refuses: 'a field of a version is removed; its values would be dropped from existing objects.',
  find: (before, after) =>
    versionsByAge(before).flatMap(({ name, schema }) => {
      const now = versionOf(after, name);
      if (now === undefined) return [];
      const removed = pairSchemas(schema, now.schema).filter((pair) => pair.after === undefined && pair.isField);
      return removed.map(({ path }) => `removed field : ${name}.${path}`).toSorted();
    }),
};
