import { TerminalError } from '../base/index.ts';
import { compareVersions, parseVersion, type Version } from './version.ts';

type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '~' | '^';

/** How many parts of a version were written. */
type Precision = 'none' | 'major' | 'minor' | 'patch';

interface Comparator {
  readonly operator: Operator;
  /** Missing parts are 0. */
  readonly version: Version;
  readonly precision: Precision;
}

/** Versions that a person asks for: any of the lists, all comparators of which hold. */
export interface VersionChoice {
  /** As it was written. */
  readonly text: string;
  readonly alternatives: readonly (readonly Comparator[])[];
}

const maxChoiceCharacters = 4096;
const operators: ReadonlyMap<string, Operator> = new Map([
  ['', '='],
  ['=', '='],
  ['!=', '!='],
  ['>', '>'],
  ['<', '<'],
  ['>=', '>='],
  ['=>', '>='],
  ['<=', '<='],
  ['=<', '<='],
  ['~', '~'],
  ['~>', '~'],
  ['^', '^'],
]);
const part = String.raw`(?:0|[1-9][0-9]*|[xX*])`;
const tail = String.raw`(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?`;
const versionText = String.raw`v?${part}(?:\.${part}){0,2}${tail}`;
const comparatorText = new RegExp(String.raw`(!=|>=|=>|<=|=<|~>|[=<>~^]|)\s*(${versionText})(?:\s*,\s*|\s+|$)`, 'y');
const betweenText = new RegExp(String.raw`(${versionText})\s+-\s+(${versionText})`, 'g');
const versionParts = new RegExp(String.raw`^v?(${part})(?:\.(${part}))?(?:\.(${part}))?(-[^+]*)?(?:\+.*)?$`);

function refuse(text: string): never {
  throw new TerminalError('InvalidVersionChoice', text);
}

function isOpen(text: string | undefined): text is undefined {
  return text === undefined || /^[xX*]$/.test(text);
}

function readParts(text: string): Pick<Comparator, 'version' | 'precision'> {
  const [, major, minor, patch, prerelease = ''] = versionParts.exec(text) ?? [];
  const written = [major, minor, patch];
  const open = written.findIndex(isOpen);
  const known = open < 0 ? written : written.slice(0, open);
  const precision = (['none', 'major', 'minor', 'patch'] as const)[known.length] ?? 'patch';
  const numbers = [...known, '0', '0', '0'].slice(0, 3).join('.');
  return { version: parseVersion(`${numbers}${prerelease}`), precision };
}

function readAlternative(text: string): readonly Comparator[] {
  const piece = text.trim();
  const comparators: Comparator[] = [];
  comparatorText.lastIndex = 0;
  while (comparators.length === 0 || comparatorText.lastIndex < piece.length) {
    const match = comparatorText.exec(piece);
    const operator = operators.get(match?.[1] ?? '');
    if (match === null || operator === undefined) return refuse(`improper constraint: ${text}`);
    comparators.push({ operator, ...readParts(match[2] ?? '') });
  }
  return piece.endsWith(',') ? refuse(`improper constraint: ${text}`) : comparators;
}

/** What a person writes to choose versions: `1.x`, `>=1.2, <2`, `~1.2`, `^1.2.3 || 3.0.0`, `1.2 - 1.4`. Another notation than that of
 *  bundles (`parseVersionRange`), and the two do not mix.
 *  @throws TerminalError InvalidVersionChoice, InvalidVersion
 *  @see docs/spec/catalogs.md#dialect-m */
export function parseVersionChoice(text: string): VersionChoice {
  if (text.length > maxChoiceCharacters) return refuse(`longer than ${maxChoiceCharacters} characters`);
  const alternatives = text.replace(betweenText, '>=$1, <=$2').split('||').map(readAlternative);
  return { text, alternatives };
}

/** Whether the parts that were written are the same. */
function shares(a: Version, b: Version, precision: Precision): boolean {
  if (precision === 'patch') return compareVersions(a, b) === 0;
  const isMajor = precision === 'none' || a.major === b.major;
  return isMajor && (precision !== 'minor' || a.minor === b.minor);
}

/** `^` lets everything but the first part that is not 0 change. */
function isCompatible(version: Version, { version: from, precision }: Comparator): boolean {
  if (precision === 'none') return true;
  if (from.major > 0n || precision === 'major') return version.major === from.major;
  if (from.minor > 0n || precision === 'minor') return shares(version, from, 'minor');
  return shares(version, from, 'minor') && version.patch === from.patch;
}

const holds: Readonly<Record<Operator, (order: number, version: Version, by: Comparator) => boolean>> = {
  '=': (order, version, by) => order >= 0 && shares(version, by.version, by.precision),
  '!=': (_order, version, by) => !shares(version, by.version, by.precision),
  '>': (order, version, by) => order > 0 && !shares(version, by.version, by.precision),
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order, version, by) => order <= 0 || shares(version, by.version, by.precision),
  '~': (order, version, by) =>
    order >= 0 && shares(version, by.version, by.precision === 'patch' ? 'minor' : by.precision),
  '^': (order, version, by) => order >= 0 && isCompatible(version, by),
};

function accepts(comparator: Comparator, version: Version): boolean {
  if (version.prerelease.length > 0 && comparator.version.prerelease.length === 0) return false;
  return holds[comparator.operator](compareVersions(version, comparator.version), version, comparator);
}

/** Whether the range contains the version. A pre-release matches only if every comparator names one itself; build metadata does
 *  not count. */
export function isChosen(version: Version, { alternatives }: VersionChoice): boolean {
  return alternatives.some((comparators) => comparators.every((one) => accepts(one, version)));
}
