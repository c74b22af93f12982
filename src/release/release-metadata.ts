import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  objectAt,
  parseJson,
  TerminalError,
  textAt,
} from '../base/index.ts';
import { parseVersion } from '../constraints/index.ts';

/** Of a release, from its file `release-metadata`. */
export interface ReleaseMetadata {
  readonly version: string;
  /** Versions from which an update to this one is recommended. */
  readonly previous: readonly string[];
  readonly next: readonly string[];
  readonly url: string;
  /** `multi`, or empty for that of the machine. */
  readonly architecture: string;
  /** Sorted, each once. */
  readonly channels: readonly string[];
}

export const metadataKind = 'cincinnati-metadata-v0';
export const channelsKey = 'io.openshift.upgrades.graph.release.channels';
export const architectureKey = 'release.openshift.io/architecture';

function versionsAt(document: JsonObject, key: string): string[] {
  const value = document[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** @throws TerminalError InvalidRelease for what is no semantic version */
export function assertReleaseVersion(version: string): void {
  if (version === '') throw new TerminalError('InvalidRelease', 'missing required Cincinnati metadata version');
  try {
    parseVersion(version);
  } catch (thrown) {
    const text = `invalid Cincinnati metadata version "${version}": ${errorMessage(thrown)}`;
    throw new TerminalError('InvalidRelease', text, { cause: thrown });
  }
}

/** The text of `key`, checked; a value of another form is reported and taken as absent. */
function readText(
  values: JsonObject | undefined,
  key: string,
  check: {
    readonly isValid: (text: string) => boolean;
    readonly expected: string;
    readonly warn: (text: string) => void;
  },
): string {
  const value = values?.[key];
  if (value === undefined) return '';
  if (typeof value === 'string' && check.isValid(value)) return value;
  check.warn(`release-metadata: ${key}: expected ${check.expected}, found ${JSON.stringify(value).slice(0, 200)}`);
  return '';
}

/** Reads `release-metadata`. Values of `metadata` that are wrong are passed to `warn`, and taken as absent.
 *  @throws TerminalError InvalidRelease, with the texts of the reference
 *  @see docs/spec/cluster-version.md#layout */
export function parseReleaseMetadata(text: string, warn: (warning: string) => void): ReleaseMetadata {
  const document = parseJson('release-metadata', text);
  if (!isJsonObject(document)) throw new TerminalError('InvalidRelease', 'release-metadata: expected an object');
  const kind = textAt(document, 'kind');
  if (kind !== metadataKind)
    throw new TerminalError('InvalidRelease', `unrecognized Cincinnati metadata kind "${kind}"`);
  const version = textAt(document, 'version');
  assertReleaseVersion(version);
  const values = objectAt(document, 'metadata');
  const channels = readText(values, channelsKey, { isValid: () => true, expected: 'a list with commas', warn });
  return {
    version,
    previous: versionsAt(document, 'previous'),
    next: versionsAt(document, 'next'),
    url: readText(values, 'url', { isValid: (url) => URL.canParse(url), expected: 'a URL', warn }),
    architecture: readText(values, architectureKey, { isValid: (name) => name === 'multi', expected: 'multi', warn }),
    channels: channels === '' ? [] : [...new Set(channels.split(','))].toSorted(),
  };
}
