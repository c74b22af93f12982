import { TerminalError } from '../base/index.ts';

/** A semantic version. Its numbers are unsigned integers of 64 bits. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly (bigint | string)[];
  /** Does not count when versions are compared. */
  readonly build: readonly string[];
}

/** A longer text is not a version. */
const maxVersionCharacters = 1024;

function refuse(text: string): never {
  throw new TerminalError('InvalidVersion', text);
}

const maxNumber = 2n ** 64n - 1n;

/** In the words of the reference, whose numbers have 64 bits. */
function assertInRange(text: string): bigint {
  const value = BigInt(text);
  return value <= maxNumber ? value : refuse(`strconv.ParseUint: parsing "${text}": value out of range`);
}

function readNumber(name: string, text: string): bigint {
  if (!/^[0-9]+$/.test(text)) return refuse(`Invalid character(s) found in ${name} number "${text}"`);
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (text.length > 1 && text.startsWith('0'))
    return refuse(`${title} number must not contain leading zeroes "${text}"`);
  return assertInRange(text);
}

/** One part of a pre-release: `rc`, `1`.
 *  @throws TerminalError InvalidVersion */
export function parsePrereleasePart(text: string): bigint | string {
  if (text === '') return refuse('Prerelease is empty');
  if (!/^[0-9A-Za-z-]+$/.test(text)) return refuse(`Invalid character(s) found in prerelease "${text}"`);
  if (!/^[0-9]+$/.test(text)) return text;
  if (text.length > 1 && text.startsWith('0')) {
    return refuse(`Numeric PreRelease version must not contain leading zeroes "${text}"`);
  }
  return assertInRange(text);
}

function readBuild(text: string): string {
  if (text === '') return refuse('Build meta data is empty');
  if (!/^[0-9A-Za-z-]+$/.test(text)) return refuse(`Invalid character(s) found in build meta data "${text}"`);
  return text;
}

/** Cuts at the first `separator`; the second part is undefined when there is none. */
function cut(text: string, separator: string): readonly [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

function readNumbers(text: string): readonly [bigint, bigint, bigint] {
  const parts = text.split('.');
  if (parts.length < 3) return refuse('No Major.Minor.Patch elements found');
  const [major = '', minor = '', ...patch] = parts;
  return [readNumber('major', major), readNumber('minor', minor), readNumber('patch', patch.join('.'))];
}

/** `MAJOR.MINOR.PATCH[-pre][+build]`, nothing else.
 *  @throws TerminalError InvalidVersion */
export function parseVersion(text: string): Version {
  if (text === '') return refuse('Version string empty');
  if (text.length > maxVersionCharacters) return refuse(`longer than ${maxVersionCharacters} characters`);
  const [numbersAndPre, build] = cut(text, '+');
  const [numbers, prerelease] = cut(numbersAndPre, '-');
  const [major, minor, patch] = readNumbers(numbers);
  return {
    major,
    minor,
    patch,
    prerelease: prerelease === undefined ? [] : prerelease.split('.').map(parsePrereleasePart),
    build: build === undefined ? [] : build.split('.').map(readBuild),
  };
}

/** As `parseVersion`, but with spaces around, a leading `v`, leading zeros, and missing parts where nothing follows them.
 *  @throws TerminalError InvalidVersion */
export function parseTolerantVersion(text: string): Version {
  const bare = text.trim().replace(/^v/, '');
  const parts = bare.split('.', 4);
  const [major = '', minor, ...rest] = parts;
  if (parts.length < 3) {
    const last = parts.at(-1) ?? '';
    if (/[+-]/.test(last)) return refuse('Short version cannot contain PreRelease/Build meta data');
    return parseVersion([major, minor ?? '0', '0'].map(withoutZeros).join('.'));
  }
  const tail = bare.slice(major.length + (minor ?? '').length + 2);
  return parseVersion(
    [withoutZeros(major), withoutZeros(minor ?? ''), rest.length === 0 ? tail : withoutZeros(tail)].join('.'),
  );
}

function withoutZeros(text: string): string {
  return text.replace(/^0+(?=[0-9])/, '');
}

function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

function comparePart(a: bigint | string, b: bigint | string): number {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? compareNumbers(a, b) : -1;
  if (typeof b === 'bigint') return 1;
  return a < b ? -1 : Number(a > b);
}

function comparePrereleases(a: Version['prerelease'], b: Version['prerelease']): number {
  if (a.length === 0 || b.length === 0) return Number(a.length === 0) - Number(b.length === 0);
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const order = comparePart(a[index] ?? '', b[index] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

/** Negative, 0 or positive by precedence; build metadata does not count. */
export function compareVersions(a: Version, b: Version): number {
  return (
    compareNumbers(a.major, b.major) ||
    compareNumbers(a.minor, b.minor) ||
    compareNumbers(a.patch, b.patch) ||
    comparePrereleases(a.prerelease, b.prerelease)
  );
}

/** The strict form. */
export function formatVersion(version: Version): string {
  const pre = version.prerelease.length === 0 ? '' : `-${version.prerelease.map(String).join('.')}`;
  const build = version.build.length === 0 ? '' : `+${version.build.join('.')}`;
  return `${version.major}.${version.minor}.${version.patch}${pre}${build}`;
}
