import { type JsonObject, objectAt } from '../../../src/base/index.ts';
import { SeededRandom } from '../../conformance/random.ts';
import type { CostlyKind } from './kinds.ts';
import { leastOf } from './least-objects.ts';
import { countFor, type Place } from './places.ts';

/** An object with very many values. */
export interface CostlyObject {
  readonly kind: CostlyKind;
  readonly places: readonly Place[];
  readonly named: (name: string) => JsonObject;
}

/** What is written into a namespace: a large object, and before it maybe a crowd of smaller ones that something may compare it with. */
export interface Draw {
  readonly object: CostlyObject;
  readonly crowd: CostlyObject | undefined;
}

const objectBytes = 1_300_000;
const crowdBytes = 8_000;

function drawObject(kind: CostlyKind, bytes: number, random: SeededRandom): CostlyObject {
  const count = 1 + random.below(bytes === objectBytes ? 3 : 1);
  const places = [...new Set(Array.from({ length: count }, () => random.pick(kind.places)))];
  let object: JsonObject = { apiVersion: kind.apiVersion, kind: kind.kind, ...leastOf(kind.kind) };
  for (const place of places) {
    const values = { isFull: random.happens(0.4), isRepeated: random.happens(0.2) };
    object = place.fill(object, { ...values, count: countFor(place, bytes / places.length, values) });
  }
  return { kind, places, named: (name) => ({ ...object, metadata: { ...objectAt(object, 'metadata'), name } }) };
}

/** The same for the same kinds, seed and number. */
export function drawObjects(
  kinds: readonly [CostlyKind, ...CostlyKind[]],
  numbers: { readonly seed: number; readonly number: number },
): Draw {
  const random = new SeededRandom(numbers.seed * 1_000_003 + numbers.number);
  const object = drawObject(random.pick(kinds), objectBytes, random);
  const crowdKind = random.pick(kinds);
  const hasCrowd = random.happens(0.5) && crowdKind.path.includes('{namespace}');
  return { object, crowd: hasCrowd ? drawObject(crowdKind, crowdBytes, random) : undefined };
}

/** `Pod metadata.labels{} × spec.tolerations`. */
export function describeObject({ kind, places }: CostlyObject): string {
  return `${kind.kind} ${places.map(({ path }) => path).join(' × ')}`;
}
