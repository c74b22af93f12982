import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  listOfTexts,
  parseYaml,
  TerminalError,
  textAt,
} from '../base/index.ts';
import { parseVersion } from '../constraints/index.ts';
import { PatternBudget, patternProblem } from '../schema/index.ts';
import { riskOf, type UpdateRisk } from './graph.ts';

/** A channel: the versions in it. One with build metadata names only the release of that architecture. */
export interface Channel {
  readonly name: string;
  readonly versions: ReadonlySet<string>;
}

/** Updates that are removed, or have a risk. */
export interface BlockedEdges {
  readonly file: string;
  readonly to: string;
  /** A regular expression: found anywhere in a version with its architecture behind a `+`. */
  readonly from: string;
  /** Undefined: the updates are removed. */
  readonly risk: UpdateRisk | undefined;
}

/** The data that graphs are made from, as its repository holds it. */
export interface GraphData {
  readonly channels: ReadonlyMap<string, Channel>;
  readonly blockedEdges: readonly BlockedEdges[];
}

/** A file of graph data, its path with slashes. */
export interface GraphDataFile {
  readonly path: string;
  readonly text: string;
}

const schemaMajor = 1n;
const schemaMinor = 1n;
const maxPatternInstructions = 5_000;

function refuse(path: string, text: string): never {
  throw new TerminalError('InvalidGraphData', `${path}: ${text}`);
}

function readObject({ path, text }: GraphDataFile): JsonObject {
  const document = parseYaml(path, text);
  return isJsonObject(document) ? document : refuse(path, 'expected a mapping');
}

function assertVersion(path: string, version: string): void {
  try {
    parseVersion(version);
  } catch (thrown) {
    refuse(path, `"${version.slice(0, 100)}" is not a version: ${errorMessage(thrown)}`);
  }
}

function readChannel(file: GraphDataFile): Channel {
  const document = readObject(file);
  const name = textAt(document, 'name');
  const fileName = file.path.replace(/^.*\/|\.yaml$/g, '');
  if (name !== fileName) return refuse(file.path, `name: expected "${fileName}", as the file, found "${name}"`);
  const versions = listOfTexts(document, 'versions');
  for (const version of versions) assertVersion(file.path, version);
  return { name, versions: new Set(versions) };
}

function patternFault(source: string): string | undefined {
  if (source === '') return 'expected a regular expression over versions';
  return new PatternBudget(maxPatternInstructions).problemOf(source) ?? patternProblem(source);
}

function readBlockedEdges(file: GraphDataFile): BlockedEdges {
  const { path } = file;
  const document = readObject(file);
  const [to, from] = [textAt(document, 'to'), textAt(document, 'from')];
  assertVersion(path, to);
  const problem = patternFault(from);
  if (problem !== undefined) return refuse(path, `from: ${problem}`);
  const risk = riskOf(document);
  const isRemoved = risk.name === '' && risk.matchingRules.length === 0;
  if (isRemoved) return { file: path, to, from, risk: undefined };
  const isComplete = [risk.name, risk.url, risk.message].every((text) => text !== '') && risk.matchingRules.length > 0;
  return isComplete
    ? { file: path, to, from, risk }
    : refuse(path, 'expected url, name, message and matchingRules, or none of them');
}

function assertSchema(files: readonly GraphDataFile[]): void {
  const file = files.find(({ path }) => path === 'version');
  if (file === undefined) return;
  const text = file.text.trim();
  assertVersion(file.path, text);
  const { major, minor } = parseVersion(text);
  if (major !== schemaMajor || minor > schemaMinor)
    refuse(file.path, `${text}: expected a schema of ${schemaMajor}.${schemaMinor} or older`);
}

/** Reads graph data: `version`, `channels/NAME.yaml`, `blocked-edges/*.yaml`; other files are passed over.
 *  @throws TerminalError InvalidGraphData, and those of `parseYaml`, for the first file with a fault
 *  @see docs/spec/cluster-version.md#serving-a-graph */
export function readGraphData(files: readonly GraphDataFile[]): GraphData {
  assertSchema(files);
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const of = (folder: string): GraphDataFile[] =>
    sorted.filter(({ path }) => path.startsWith(`${folder}/`) && path.endsWith('.yaml'));
  const channels = of('channels').map(readChannel);
  return {
    channels: new Map(channels.map((channel) => [channel.name, channel])),
    blockedEdges: of('blocked-edges').map(readBlockedEdges),
  };
}
