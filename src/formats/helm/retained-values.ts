import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../../base/index.ts';
import type { Rendered } from '../format.ts';

/** What two renderings of a chart with the same values, and the one that is installed, have at one place. */
interface Leaf {
  readonly next: string;
  readonly again: string;
  readonly before: string;
}

/** Objects whose random values are retained: charts store what they generate there. */
const storingKinds: ReadonlySet<string> = new Set(['Secret', 'ConfigMap']);
/** Certificates, keys and hashes belong to something else, which may have changed: an upgrade renders them again. */
const derived = /-----BEGIN |\$2[abxy]?\$|\{SHA\}/;
/** Shorter texts are no token that is looked for in other texts. */
const minTokenLength = 8;
const maxTokens = 1000;

function keyOf(object: JsonObject): string {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  return [textAt(object, 'kind'), textAt(metadata, 'namespace'), textAt(metadata, 'name')].join('/');
}

function storingObjects(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const storing = objects.filter((object) => storingKinds.has(textAt(object, 'kind')));
  return new Map(storing.map((object) => [keyOf(object), object]));
}

function decoded(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes.toString('latin1') : text;
}

function commonLength(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  let start = 0;
  while (start < max && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < max - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return start + end;
}

/** Whether a text is random as a whole, not a document with a random part. */
function isRandom(a: string, b: string): boolean {
  return commonLength(a, b) <= Math.max(2, Math.floor(a.length / 5));
}

function isRetained({ next, again, before }: Leaf): boolean {
  if (next === again || next === before || before === '') return false;
  const [a, b, c] = [decoded(next), decoded(again), decoded(before)];
  return isRandom(a, b) && ![a, c].some((text) => derived.test(text));
}

function textsOf(object: JsonObject, member: string): Readonly<Record<string, JsonValue | undefined>> {
  const texts = object[member];
  return isJsonObject(texts) ? texts : {};
}

/** As base64, whichever of its two members has it. */
function valueOf(object: JsonObject, key: string): string | undefined {
  if (textAt(object, 'kind') === 'ConfigMap') {
    const text = textsOf(object, 'data')[key];
    return typeof text === 'string' ? text : undefined;
  }
  const plain = textsOf(object, 'stringData')[key];
  if (typeof plain === 'string') return Buffer.from(plain).toString('base64');
  const packed = textsOf(object, 'data')[key];
  return typeof packed === 'string' ? packed.replaceAll(/\s/g, '') : undefined;
}

function leavesOf(next: JsonObject, again: JsonObject, before: JsonObject): readonly Leaf[] {
  const keys = new Set(['data', 'stringData'].flatMap((member) => Object.keys(textsOf(next, member))));
  return [...keys].flatMap((key): Leaf[] => {
    const [a, b, c] = [valueOf(next, key), valueOf(again, key), valueOf(before, key)];
    return a === undefined || b === undefined || c === undefined ? [] : [{ next: a, again: b, before: c }];
  });
}

/** A text and its forms in other objects. */
function formsOf(packed: string, isSecret: boolean): readonly string[] {
  if (!isSecret) return [packed, Buffer.from(packed).toString('base64')];
  const plain = Buffer.from(packed, 'base64').toString('utf8');
  return plain.includes('\uFFFD') ? [packed] : [plain, packed];
}

/** What is replaced, by what: the longest first, so that no token is part of an earlier one. */
function replacementsOf(rendered: Rendered, again: Rendered, before: readonly JsonObject[]): Map<string, string> {
  const [repeated, installed] = [storingObjects(again.objects), storingObjects(before)];
  const found: [string, string][] = [];
  for (const [key, next] of storingObjects(rendered.objects)) {
    const [other, old] = [repeated.get(key), installed.get(key)];
    if (other === undefined || old === undefined) continue;
    const isSecret = textAt(next, 'kind') === 'Secret';
    for (const leaf of leavesOf(next, other, old).filter(isRetained)) {
      const [from, to] = [formsOf(leaf.next, isSecret), formsOf(leaf.before, isSecret)];
      if (from.length === to.length)
        found.push(...from.map((text, index): [string, string] => [text, to[index] ?? '']));
    }
  }
  return new Map(found.slice(0, maxTokens).toSorted(([a], [b]) => b.length - a.length));
}

function replaced(text: string, replacements: ReadonlyMap<string, string>): string {
  const whole = replacements.get(text);
  if (whole !== undefined) return whole;
  let result = text;
  for (const [from, to] of replacements) {
    if (from.length >= minTokenLength && result.includes(from)) result = result.replaceAll(from, () => to);
  }
  return result;
}

function withReplaced(value: JsonValue, replacements: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string') return replaced(value, replacements);
  if (Array.isArray(value)) return value.map((item) => withReplaced(item, replacements));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withReplaced(item ?? null, replacements)] as const);
  return Object.fromEntries(entries);
}

/** The rendering of another version or of other values, with the random passwords and tokens that are installed: those are random that differ between two
 *  renderings, and texts that contain them are changed with them. `before` is what is installed. */
export function retainRandomValues(rendered: Rendered, again: Rendered, before: readonly JsonObject[]): Rendered {
  const replacements = replacementsOf(rendered, again, before);
  if (replacements.size === 0) return rendered;
  const change = (object: JsonObject): JsonObject => withReplaced(object, replacements) as JsonObject;
  const { hooks = [] } = rendered;
  return {
    ...rendered,
    objects: rendered.objects.map(change),
    hooks: hooks.map((hook) => ({ ...hook, object: change(hook.object) })),
  };
}
