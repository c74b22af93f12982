import type { Difference } from './compared-objects.ts';

/** Why a difference is right. */
export interface Reason {
  readonly name: string;
  readonly text: string;
  readonly applies: (difference: Difference) => boolean;
}

/** Every reason there is. */
export const reasons: readonly Reason[] = [
  {
    name: 'labels of Jobs',
    text: 'The server gives a Job without labels those of its Pod template. Longshore labels the hooks that it runs, so there is nothing to give.',
    applies: ({ object, path }) => object.startsWith('batch/v1 Job ') && path.startsWith('metadata.labels'),
  },
];

/** The reason of a difference; undefined where there is none. */
export function reasonOf(difference: Difference): Reason | undefined {
  return reasons.find(({ applies }) => applies(difference));
}
