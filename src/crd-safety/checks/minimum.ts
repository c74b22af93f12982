import { goFloat } from '../../schema/index.ts';
import type { SchemaCheck } from '../check.ts';

function lowerBound(name: 'minimum' | 'minItems' | 'minLength' | 'minProperties', what: string): SchemaCheck {
  const show = name === 'minimum' ? goFloat : String;
  return {
    name,
    refuses: `a lower bound of ${what} is added or raised.`,
    keywords: [name],
    find: ({ [name]: before }, { [name]: after }) => {
      if (after === undefined) return undefined;
      if (before === undefined) return `minimum constraint added when there was none previously : ${show(after)}`;
      return after > before ? `minimum increased : ${show(before)} -> ${show(after)}` : undefined;
    },
  };
}

/** Lower bounds may fall or go. */
export const lowerBounds: readonly SchemaCheck[] = [
  lowerBound('minimum', 'a number'),
  lowerBound('minItems', 'the length of a list'),
  lowerBound('minLength', 'the length of a string'),
  lowerBound('minProperties', 'the number of members of a map'),
];
