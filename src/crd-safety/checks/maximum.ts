import { goFloat } from '../../schema/index.ts';
import type { SchemaCheck } from '../check.ts';

function upperBound(name: 'maximum' | 'maxItems' | 'maxLength' | 'maxProperties', what: string): SchemaCheck {
  const show = name === 'maximum' ? goFloat : String;
  return {
    name,
    refuses: `an upper bound of ${what} is added or lowered.`,
    keywords: [name],
    find: ({ [name]: before }, { [name]: after }) => {
      if (after === undefined) return undefined;
      if (before === undefined) return `maximum constraint added when there was none previously : ${show(after)}`;
      return after < before ? `maximum decreased : ${show(before)} -> ${show(after)}` : undefined;
    },
  };
}

/** Upper bounds may rise or go. */
export const upperBounds: readonly SchemaCheck[] = [
  upperBound('maximum', 'a number'),
  upperBound('maxItems', 'the length of a list'),
  upperBound('maxLength', 'the length of a string'),
  upperBound('maxProperties', 'the number of members of a map'),
];
