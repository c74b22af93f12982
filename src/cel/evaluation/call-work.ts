import { instructionsToCompile } from '../../schema/index.ts';
import { ListValue, MapValue, Opaque, Optional, type Value } from '../values/value.ts';
import { GrowingList } from './loops.ts';

/** What an item takes, in characters that are read. */
const perItem = 32;
/** The keys of a map are listed each time. */
export const perKey = 128;
const perFormattedItem = 64;
const perFormattedCharacter = 8;
/** Texts are compared in blocks. */
const perComparedCharacter = 1 / 32;
/** Of a text that is taken apart into its characters. */
const perCharacter = 12;
/** Of a regular expression. */
const perInstruction = 2000;
const perTimeZone = 2000;
const perCharacterOfDuration = 30;
const perCharacterOfQuery = 40;

/** The work of a call in characters read, at least; `most` is where counting may stop. */
type Work = (args: readonly Value[], most: number) => number;

function lengthOf(value: Value | undefined): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  return value instanceof Opaque ? value.workSize : 0;
}

interface Counting {
  readonly most: number;
  readonly perItem: number;
  readonly perCharacter: number;
}

/** A value with all that is in it. */
function wholeOf(value: Value, counting: Counting): number {
  let sum = counting.perItem + lengthOf(value) * counting.perCharacter;
  if (value instanceof Optional && value.value !== undefined) return sum + wholeOf(value.value, counting);
  if (!(value instanceof ListValue || value instanceof MapValue)) return sum;
  for (const part of value instanceof ListValue ? value : value.keys()) {
    if (sum > counting.most) return sum;
    const most = counting.most - sum;
    sum += wholeOf(part, { ...counting, most });
    if (value instanceof MapValue) sum += perKey + wholeOf(value.find(part) ?? null, { ...counting, most });
  }
  return sum;
}

function comparedOf(value: Value | undefined, most: number): number {
  return wholeOf(value ?? null, { most, perItem, perCharacter: perComparedCharacter });
}

const none: Work = () => 1;
const readAll: Work = (args) => args.reduce((sum: number, arg) => sum + lengthOf(arg), 1);
const takeApart: Work = (args) => readAll(args, 0) * perCharacter;
const walkFirst: Work = ([list], most) => comparedOf(list, most);

const equality: Work = ([a = null, b = null], most) => {
  if (typeof a === 'string' || a instanceof Uint8Array) return 1 + Math.min(lengthOf(a), lengthOf(b)) * 2;
  if (a instanceof ListValue && b instanceof ListValue && a.size !== b.size) return perItem;
  const keys = a instanceof MapValue && b instanceof MapValue ? (a.size + b.size) * perKey : 0;
  return keys + comparedOf(a, most);
};

const membership: Work = ([item = null, container], most) =>
  container instanceof ListValue ? comparedOf(container, most) : 1 + lengthOf(item);

const search: Work = (args, most) => (args[0] instanceof ListValue ? walkFirst(args, most) : takeApart(args, most));

const sets: Work = ([a, b], most) => (a instanceof ListValue ? a.size : 1) * comparedOf(b, most) + comparedOf(a, most);

const addition: Work = (args, most) => {
  const [a, b] = args;
  if (!(a instanceof ListValue && b instanceof ListValue)) return readAll(args, most);
  return ((a instanceof GrowingList ? 0 : a.size) + b.size) * perItem;
};

const formatting: Work = ([text, list = null], most) =>
  lengthOf(text) * perFormattedCharacter +
  wholeOf(list, { most, perItem: perFormattedItem, perCharacter: perFormattedCharacter });

const sizing: Work = ([value]) => (value instanceof MapValue ? value.size * perKey : 1 + lengthOf(value));

const matching: Work = ([text, pattern = null]) => {
  const compiling = typeof pattern === 'string' ? instructionsToCompile(pattern) : 0;
  return 1 + lengthOf(text) + compiling * perInstruction;
};

const readTime: Work = ([, zone]) => (zone === undefined ? 1 : perTimeZone + lengthOf(zone));

/** Functions that do not read all of their texts, or more than these. */
const works: Readonly<Record<string, Work>> = {
  dyn: none,
  type: none,
  'optional.of': none,
  'optional.ofNonZeroValue': none,
  'cel.@mapInsert': none,
  size: sizing,
  '_==_': equality,
  '_!=_': equality,
  '_<_': equality,
  '_<=_': equality,
  '_>_': equality,
  '_>=_': equality,
  '_+_': addition,
  '@in': membership,
  charAt: takeApart,
  substring: takeApart,
  split: takeApart,
  replace: takeApart,
  indexOf: search,
  lastIndexOf: search,
  isSorted: walkFirst,
  sum: walkFirst,
  min: walkFirst,
  max: walkFirst,
  join: walkFirst,
  'optional.unwrap': walkFirst,
  unwrapOpt: walkFirst,
  format: formatting,
  'sets.contains': sets,
  'sets.intersects': sets,
  'sets.equivalent': (args, most) => 2 * sets(args, most),
  matches: matching,
  find: matching,
  findAll: matching,
  getQuery: (args, most) => readAll(args, most) * perCharacterOfQuery,
  getEscapedPath: takeApart,
  getHostname: takeApart,
  duration: (args, most) => readAll(args, most) * perCharacterOfDuration,
  getFullYear: readTime,
  getMonth: readTime,
  getDayOfYear: readTime,
  getDayOfMonth: readTime,
  getDate: readTime,
  getDayOfWeek: readTime,
  getHours: readTime,
  getMinutes: readTime,
  getSeconds: readTime,
  getMilliseconds: readTime,
};

/** How the work of a call of a function is counted: kube-apiserver charges much of it as one unit, however large the arguments are. */
export function workOfCall(name: string): Work {
  return (Object.hasOwn(works, name) ? works[name] : undefined) ?? readAll;
}
