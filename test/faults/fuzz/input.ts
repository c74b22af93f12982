import type { JsonValue } from '../../../src/base/index.ts';
import { below, mutateBytes, mutateJson, type Random, randomOf } from '../mutation.ts';
import type { FuzzTarget } from './target.ts';

function parsed(bytes: Buffer): JsonValue | undefined {
  try {
    return JSON.parse(bytes.toString()) as JsonValue;
  } catch {
    return undefined;
  }
}

/** A seed that is JSON is corrupted as a document as often as it is corrupted as bytes. */
function mutateDocument(bytes: Buffer, random: Random): Buffer {
  let document = parsed(bytes);
  if (document === undefined) return mutateBytes(bytes, random);
  for (let changes = 1 + below(random, 3); changes > 0; changes -= 1) document = mutateJson(document, random);
  return Buffer.from(JSON.stringify(document));
}

function strew(bytes: Buffer, words: readonly string[], random: Random): Buffer {
  const at = below(random, bytes.length + 1);
  const word = Buffer.from(words[below(random, words.length)] ?? '');
  const times = below(random, 20) === 0 ? 500 : 1;
  const rest = bytes.subarray(at + below(random, 2) * word.length);
  return Buffer.concat([bytes.subarray(0, at), ...Array.from({ length: times }, () => word), rest]);
}

/** The beginning of one seed and the end of another. */
function splice(bytes: Buffer, other: Buffer, random: Random): Buffer {
  return Buffer.concat([
    bytes.subarray(0, below(random, bytes.length + 1)),
    other.subarray(below(random, other.length + 1)),
  ]);
}

/** The input of a number: the same for the same seeds, for every caller. */
export function fuzzInput(target: Pick<FuzzTarget, 'seeds' | 'words'>, seed: number, number: number): Buffer {
  const random = randomOf(seed * 1_000_003 + number);
  const pick = (): Buffer => target.seeds[below(random, target.seeds.length)] ?? Buffer.alloc(0);
  const ways: readonly ((bytes: Buffer) => Buffer)[] = [
    (bytes) => mutateBytes(bytes, random),
    (bytes) => mutateDocument(bytes, random),
    (bytes) => mutateDocument(bytes, random),
    (bytes) => strew(bytes, target.words, random),
    (bytes) => splice(bytes, pick(), random),
  ];
  let input = pick();
  for (let rounds = below(random, 4); rounds > 0; rounds -= 1) {
    input = (ways[below(random, ways.length)] ?? mutateDocument.bind(undefined, input, random))(input);
  }
  return input;
}
