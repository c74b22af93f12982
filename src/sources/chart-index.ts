import {
  cutText,
  isJsonObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parseYaml,
  printableLine,
  redactUrl,
  TerminalError,
  TransientError,
  trimEnd,
  turnTaker,
} from '../base/index.ts';
import {
  compareVersions,
  isChosen,
  parseTolerantVersion,
  parseVersionChoice,
  type Version,
  type VersionChoice,
} from '../constraints/index.ts';

/** Which chart of a chart repository. */
export interface ChartChoice {
  readonly name: string;
  /** Undefined: the newest that is no pre-release. */
  readonly versions: VersionChoice | undefined;
}

/** Where a repository has a packed chart. */
export interface IndexedChart {
  readonly url: string;
  readonly digest: string | undefined;
  readonly version: string;
}

/** Of an index file. */
export const maxIndexBytes: number = 64 * 1024 * 1024;
const fragmentPattern = /^#chart=([a-z0-9][a-z0-9._-]{0,252})(?:&version=([^&#]{1,500}))?$/i;
const maxShownVersions = 5;

/** The choice that the fragment of an address names, `#chart=NAME&version=RANGE`; undefined for another fragment.
 *  @throws TerminalError InvalidSource */
export function readChartFragment(fragment: string): ChartChoice | undefined {
  const [, name, versions] = fragmentPattern.exec(fragment) ?? [];
  if (name === undefined) return undefined;
  try {
    return { name, versions: versions === undefined ? undefined : parseVersionChoice(decodeURIComponent(versions)) };
  } catch (thrown) {
    const text = `"${cutText(printableLine(fragment), 200)}": expected a version after &version=, or a range such as ~1.2 or >=1.2, <2`;
    throw new TerminalError('InvalidSource', text, { cause: thrown });
  }
}

/** The address of the index of a repository, which may be named by its folder. */
export function indexAddress(address: string): string {
  const url = new URL(address);
  if (!/\.ya?ml$/.test(url.pathname)) url.pathname = `${trimEnd(url.pathname, '/')}/index.yaml`;
  return url.href;
}

interface Entry {
  readonly version: Version;
  readonly text: string;
  readonly url: string;
  readonly digest: string;
}

function isAccepted(version: Version, { versions }: ChartChoice): boolean {
  return versions === undefined ? version.prerelease.length === 0 : isChosen(version, versions);
}

function versionOf(text: string): Version | undefined {
  try {
    return parseTolerantVersion(text);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

function entryOf({ version: text, digest, urls }: JsonObject): Entry | undefined {
  const version = typeof text === 'string' ? versionOf(text) : undefined;
  const [url] = Array.isArray(urls) ? urls : [];
  if (version === undefined || typeof text !== 'string' || typeof url !== 'string') return undefined;
  return { version, text, url, digest: typeof digest === 'string' ? digest : '' };
}

/** Of an index: the newest version that is asked for, and the newest of all, for messages. Versions may be long, so that all are looked at once,
 *  and other work has turns. */
async function newestOf(
  entries: readonly JsonObject[],
  choice: ChartChoice,
  signal: AbortSignal | undefined,
): Promise<{ readonly chosen: Entry | undefined; readonly shown: readonly Entry[] }> {
  const turns = turnTaker(signal);
  let chosen: Entry | undefined;
  const shown: Entry[] = [];
  const isNewer = (entry: Entry, than: Entry | undefined): boolean =>
    than === undefined || compareVersions(entry.version, than.version) > 0;
  for (const value of entries) {
    await turns();
    const entry = entryOf(value);
    if (entry === undefined) continue;
    if (isNewer(entry, chosen) && isAccepted(entry.version, choice)) chosen = entry;
    if (shown.length === maxShownVersions && !isNewer(entry, shown.at(-1))) continue;
    const at = shown.findIndex((other) => isNewer(entry, other));
    shown.splice(at < 0 ? shown.length : at, 0, entry);
    shown.length = Math.min(shown.length, maxShownVersions);
  }
  return { chosen, shown };
}

/** Finds a chart in the index of a repository: the newest version that is asked for.
 *  @throws TransientError ChartNotFound, because it may be published later · TerminalError InvalidYaml, InvalidIndex */
export async function findInIndex(
  { address, content }: { readonly address: string; readonly content: string },
  choice: ChartChoice,
  signal?: AbortSignal,
): Promise<IndexedChart> {
  const what = redactUrl(address);
  const index = parseYaml(what, content);
  const entries = isJsonObject(index) ? objectAt(index, 'entries') : undefined;
  if (entries === undefined) {
    throw new TerminalError('InvalidIndex', `${what}: is no index of a chart repository: expected a mapping entries`);
  }
  const versions = Object.hasOwn(entries, choice.name) ? objectsAt(entries, choice.name) : [];
  const { chosen, shown } = await newestOf(versions, choice, signal);
  if (chosen !== undefined) return located(address, chosen);
  const found =
    shown.length === 0 ? 'no chart of that name' : `the versions ${shown.map(({ text }) => text).join(', ')}`;
  const expected = choice.versions === undefined ? 'a version that is no pre-release' : choice.versions.text;
  throw new TransientError('ChartNotFound', `${what}: chart "${choice.name}": expected ${expected}, found ${found}`);
}

function located(address: string, { url, digest, text: version }: Entry): IndexedChart {
  const resolved = URL.canParse(url, address) ? new URL(url, address) : undefined;
  if (resolved === undefined || !/^https?:$/.test(resolved.protocol)) {
    const shown = JSON.stringify(cutText(url, 200));
    throw new TerminalError(
      'InvalidIndex',
      `${redactUrl(address)}: address ${shown} of version ${version}: expected https:// or http://`,
    );
  }
  resolved.hash = '';
  const hex = /^(?:sha256:)?([0-9a-f]{64})$/.exec(digest)?.[1];
  return { url: resolved.href, digest: hex === undefined ? undefined : `sha256:${hex}`, version };
}
