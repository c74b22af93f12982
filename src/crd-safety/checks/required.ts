import type { SchemaCheck } from '../check.ts';

/** Nothing becomes required: objects without the field could not be written any more. */
export const required: SchemaCheck = {
  name: 'required',
  refuses: 'a field of an existing object becomes required.',
  keywords: ['required'],
  find: ({ required: before = [] }, { required: after = [] }) => {
    const old = new Set(before);
    const added = after.filter((field) => !old.has(field));
    return added.length === 0 ? undefined : `new required fields: [${added.toSorted().join(' ')}]`;
  },
};
