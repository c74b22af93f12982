import type { Property } from '../constraints/index.ts';
import { dependenciesOf, neededCharacters, readProperties } from './bundle-facts.ts';
import type { Participant } from './standing.ts';

type Annotations = Readonly<Record<string, string>>;

/** The bundle of a deployment, with the annotations that describe it. */
export interface AnnotatedBundle {
  /** Of the deployment. */
  readonly name: string;
  readonly annotations: Annotations;
}

/** What is known of bundles. */
export interface ReadParticipants {
  readonly read: readonly Participant[];
  /** Those that need too much for it to be read, without what they need. */
  readonly unread: readonly Participant[];
}

/** How much is read of what they need; of those that need the most, it does not count. About a tenth of a second, which others wait: five hundred
 *  ordinary bundles need a third of it. */
const maxDependencyCharacters = 262_144;

/** The shortest ones, within a number of characters together, and the others. */
export function shortest<Item extends { readonly characters: number }>(
  items: readonly Item[],
  maxCharacters: number,
): readonly [Item[], Item[]] {
  let left = maxCharacters;
  const sorted = items.toSorted((a, b) => a.characters - b.characters);
  const count = sorted.findIndex(({ characters }) => {
    left -= characters;
    return left < 0;
  });
  return count < 0 ? [sorted, []] : [sorted.slice(0, count), sorted.slice(count)];
}

interface Described extends AnnotatedBundle {
  readonly properties: readonly Property[];
  readonly characters: number;
}

function describedBy({ name, annotations }: AnnotatedBundle): Described {
  const properties = readProperties(annotations);
  return { name, annotations, properties, characters: neededCharacters(properties, annotations) };
}

/** What bundles are and need, whose authors decide how long it takes to read that. */
export function readParticipants(bundles: readonly AnnotatedBundle[]): ReadParticipants {
  const [short, long] = shortest(bundles.map(describedBy), maxDependencyCharacters);
  return {
    read: short.map(({ name, annotations, properties }) => {
      return { name, properties, dependencies: dependenciesOf(properties, annotations) };
    }),
    unread: long.map(({ name, properties }) => ({ name, properties, dependencies: [] })),
  };
}
