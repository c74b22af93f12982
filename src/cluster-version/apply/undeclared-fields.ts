import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { isKubeError, type KubeObject } from '../../kube/index.ts';

const undeclared = ': field not declared in schema';
const lastPath = /(?:\.[^\s.[\]:]+|\[[^\]]*\])+$/;
/** A path is sought in as much as this: the time that takes grows with its square, and the text may be that of a webhook. */
const maxPathLength = 2_000;

/** A step into an object, or into a list: by position, or by the members that name an item. */
type Step = { readonly member: string } | { readonly index: number } | { readonly item: JsonObject };

function keysOf(text: string): JsonObject {
  const pairs = [...text.matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)];
  return Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, JSON.parse(value) as JsonValue]));
}

function stepsOf(path: string): Step[] {
  return [...path.matchAll(/\.([^\s.[\]:]+)|\[([^\]]*)\]/g)].map(([, member, inside = '']): Step => {
    if (member !== undefined) return { member };
    return /^\d+$/.test(inside) ? { index: Number(inside) } : { item: keysOf(inside) };
  });
}

function isNamed(value: JsonValue, keys: JsonObject): boolean {
  return isJsonObject(value) && Object.entries(keys).every(([key, expected]) => value[key] === expected);
}

/** `value` without what `steps` lead to. */
function without(value: JsonValue, steps: readonly Step[]): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if ('member' in step) {
    if (!isJsonObject(value)) return value;
    const { [step.member]: child, ...others } = value;
    if (child === undefined || rest.length === 0) return others;
    return { ...value, [step.member]: without(child, rest) };
  }
  if (!Array.isArray(value)) return value;
  return value.map((item, index) => {
    const isMeant = 'index' in step ? index === step.index : isNamed(item, step.item);
    return isMeant ? without(item, rest) : item;
  });
}

/** The path that an error of the server's schema names. */
function undeclaredPath(message: string): string {
  const end = message.indexOf(undeclared);
  return end === -1 ? '' : (lastPath.exec(message.slice(Math.max(0, end - maxPathLength), end))?.[0] ?? '');
}

/** The object without a field that the server's schema lacks, as its error names it: an update by other means would drop it silently, and releases have
 *  such fields. Undefined when the error is another one. */
export function withoutUndeclaredField(object: KubeObject, thrown: unknown): KubeObject | undefined {
  if (!isKubeError(thrown)) return undefined;
  const path = undeclaredPath(thrown.failure.message);
  if (path === '') return undefined;
  return without(object as JsonObject, stepsOf(path)) as unknown as KubeObject;
}
