import type { SchemaCheck } from '../check.ts';

/** Whether null is a value or nothing stays as it is: clients read one or the other. */
export const nullable: SchemaCheck = {
  name: 'nullable',
  refuses: '`nullable` changes.',
  keywords: ['nullable'],
  find: ({ nullable: before = false }, { nullable: after = false }) => {
    if (before === after) return undefined;
    return after ? 'nullable added : false -> true' : 'nullable removed : true -> false';
  },
};
