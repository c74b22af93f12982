import { errorMessage, TerminalError } from '../base/index.ts';
import { compareVersions, formatVersion, parseVersion, type Version } from './version.ts';

type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=';

interface Comparator {
  readonly operator: Operator;
  readonly version: Version;
}

/** Any of the lists, all comparators of which hold. */
export interface VersionRange {
  /** As it was written. */
  readonly text: string;
  readonly alternatives: readonly (readonly Comparator[])[];
}

const maxRangeCharacters = 4096;
const operators: ReadonlyMap<string, Operator> = new Map([
  ['', '='],
  ['=', '='],
  ['==', '='],
  ['!', '!='],
  ['!=', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['=<', '<='],
  ['>', '>'],
  ['>=', '>='],
  ['=>', '>='],
]);

function refuse(text: string): never {
  throw new TerminalError('InvalidRange', text);
}

/** Spaces behind an operator do not count, and a piece of one character means nothing. */
function piecesOf(text: string): readonly string[] {
  return text
    .replace(/([<>=])\s+/g, '$1')
    .split(' ')
    .filter((piece) => piece.length > 1);
}

/** The range of a wildcard: from `low`, and below `next`. */
interface Wildcard {
  readonly low: Version;
  readonly next: Version;
}

function wildcardOf(text: string): Wildcard | undefined {
  const match = /^([0-9]+)\.(?:x|([0-9]+)\.x|x\.x)$/.exec(text);
  if (match === null) return undefined;
  const [, major = '', minor] = match;
  const low = parseVersion(`${major}.${minor ?? '0'}.0`);
  const isMajor = text === `${major}.x`;
  const next = isMajor ? { ...low, major: low.major + 1n } : { ...low, minor: low.minor + 1n };
  return { low, next };
}

function expand(operator: Operator, { low, next }: Wildcard): readonly Comparator[] {
  const from = (version: Version): Comparator => ({ operator: '>=', version });
  const below = (version: Version): Comparator => ({ operator: '<', version });
  const expansions: Readonly<Record<Operator, readonly Comparator[]>> = {
    '=': [from(low), below(next)],
    '!=': [below(low), from(next)],
    '>': [from(next)],
    '>=': [from(low)],
    '<': [below(low)],
    '<=': [below(next)],
  };
  return expansions[operator];
}

function comparatorsOf(piece: string): readonly Comparator[] {
  const start = piece.search(/[0-9]/);
  if (start < 0) return refuse(`Could not get version from string: "${piece}"`);
  const sign = piece.slice(0, start);
  const operator = operators.get(sign);
  if (operator === undefined)
    return refuse(`Could not parse Range "${piece}": Could not parse comparator "${sign}" in "${piece}"`);
  const text = piece.slice(start);
  const wildcard = wildcardOf(text);
  if (wildcard !== undefined) return expand(operator, wildcard);
  try {
    return [{ operator, version: parseVersion(text) }];
  } catch (thrown) {
    const why = `Could not parse version "${text}" in "${piece}": ${errorMessage(thrown)}`;
    return refuse(`Could not parse Range "${piece}": ${why}`);
  }
}

/** A range as dependencies and `olm.skipRange` write it: comparators that all hold, and alternatives between `||`.
 *  @throws TerminalError InvalidRange
 *  @see docs/spec/bundle-format.md#range-syntax */
export function parseVersionRange(text: string): VersionRange {
  if (text.length > maxRangeCharacters) return refuse(`longer than ${maxRangeCharacters} characters`);
  const alternatives: string[][] = [[]];
  for (const piece of piecesOf(text)) {
    if (piece !== '||') alternatives.at(-1)?.push(piece);
    else if (alternatives.at(-1)?.length === 0) refuse("First element in range is '||'");
    else alternatives.push([]);
  }
  if (alternatives.at(-1)?.length === 0) refuse("Last element in range is '||'");
  return { text, alternatives: alternatives.map((pieces) => pieces.flatMap(comparatorsOf)) };
}

const holds: Readonly<Record<Operator, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Whether the version lies in the range. Pre-releases are versions like any other. */
export function isInRange(version: Version, { alternatives }: VersionRange): boolean {
  return alternatives.some((comparators) =>
    comparators.every((one) => holds[one.operator](compareVersions(version, one.version))),
  );
}

/** The range with wildcards written out: `>=1.2.0 <1.3.0 || =2.0.0`. */
export function formatRange({ alternatives }: VersionRange): string {
  return alternatives
    .map((comparators) => comparators.map(({ operator, version }) => `${operator}${formatVersion(version)}`).join(' '))
    .join(' || ');
}
