import { TerminalError } from '../base/index.ts';
import { compareVersions, formatVersion, parseVersion } from '../constraints/index.ts';
import { compilePattern } from '../schema/index.ts';
import type { ConditionalEdges, GraphNode, UpdateGraph, UpdateRisk } from './graph.ts';
import type { BlockedEdges, GraphData } from './graph-data.ts';

/** A release that a graph can offer. */
export interface ServedRelease {
  /** Without build metadata. */
  readonly version: string;
  /** Pull spec by digest. */
  readonly payload: string;
  /** Such as `amd64`, or `multi`. */
  readonly architecture: string;
  readonly previous: readonly string[];
  readonly next: readonly string[];
  readonly url: string;
}

const maxReleases = 10_000;
const maxEdges = 100_000;
const channelsKey = 'io.openshift.upgrades.graph.release.channels';
const architectureKey = 'release.openshift.io/architecture';

function plain(version: string): string {
  return formatVersion({ ...parseVersion(version), build: [] });
}

function isIn(versions: ReadonlySet<string>, { version, architecture }: ServedRelease): boolean {
  return versions.has(version) || versions.has(`${version}+${architecture}`);
}

function nodeOf(release: ServedRelease, channels: readonly string[]): GraphNode {
  const { version, payload, architecture, url } = release;
  return {
    version,
    payload,
    metadata: {
      ...(url === '' ? {} : { url }),
      [channelsKey]: channels.join(','),
      ...(architecture === 'multi' ? { [architectureKey]: architecture } : {}),
    },
  };
}

/** Pairs of indexes, each once, by what the releases declare. */
function edgesOf(releases: readonly ServedRelease[]): [number, number][] {
  const indexes = new Map(releases.map(({ version }, index) => [version, index]));
  const found = new Map<string, [number, number]>();
  const add = (from: number | undefined, to: number | undefined): void => {
    if (from !== undefined && to !== undefined && from !== to) found.set(`${from} ${to}`, [from, to]);
  };
  for (const [index, { previous, next }] of releases.entries()) {
    for (const version of previous) add(indexes.get(plain(version)), index);
    for (const version of next) add(index, indexes.get(plain(version)));
  }
  return [...found.values()].toSorted(([a, b], [c, d]) => a - c || b - d);
}

/** Which of the blocked edges are about the update between two releases. */
function blocksOf(
  blocked: ReadonlyMap<string, readonly BlockedEdges[]>,
  from: ServedRelease,
  to: ServedRelease,
): readonly BlockedEdges[] {
  const candidates = [...(blocked.get(to.version) ?? []), ...(blocked.get(`${to.version}+${to.architecture}`) ?? [])];
  const text = `${from.version}+${from.architecture}`;
  return candidates.filter((candidate) => compilePattern(candidate.from)?.matcher(text).find() === true);
}

/** @throws TerminalError GraphTooLarge */
function assertBounded(releases: readonly ServedRelease[]): void {
  const edges = releases.reduce((sum, { previous, next }) => sum + previous.length + next.length, 0);
  if (releases.length <= maxReleases && edges <= maxEdges) return;
  const text = `${releases.length} releases declare ${edges} updates: expected at most ${maxReleases} releases and ${maxEdges} updates`;
  throw new TerminalError('GraphTooLarge', text);
}

interface Grouped {
  readonly edges: { from: string; to: string }[];
  readonly risks: readonly UpdateRisk[];
}

/** The graph of a channel and an architecture; undefined when there is no such channel.
 *  @see docs/spec/cluster-version.md#serving-a-graph */
export function buildUpdateGraph(
  { channels, blockedEdges }: GraphData,
  releases: readonly ServedRelease[],
  query: { readonly channel: string; readonly architecture: string },
): UpdateGraph | undefined {
  const channel = channels.get(query.channel);
  if (channel === undefined) return undefined;
  const members = releases
    .filter((release) => release.architecture === query.architecture && isIn(channel.versions, release))
    .toSorted((a, b) => compareVersions(parseVersion(a.version), parseVersion(b.version)));
  const blocked = Map.groupBy(blockedEdges, ({ to }) => to);
  const edges: [number, number][] = [];
  const groups = new Map<string, Grouped>();
  for (const [from, to] of edgesOf(members)) {
    const [source, target] = [members[from], members[to]];
    if (source === undefined || target === undefined) continue;
    const blocks = blocksOf(blocked, source, target);
    const risks = blocks.flatMap(({ risk }) => risk ?? []);
    if (blocks.length === 0) edges.push([from, to]);
    else if (risks.length === blocks.length) {
      const key = JSON.stringify(risks);
      const group = groups.get(key) ?? { edges: [], risks };
      group.edges.push({ from: source.version, to: target.version });
      groups.set(key, group);
    }
  }
  const conditionalEdges: ConditionalEdges[] = [...groups.values()];
  const named = [...channels.values()];
  const channelsOf = (release: ServedRelease): string[] =>
    named.flatMap(({ name, versions }) => (isIn(versions, release) ? [name] : [])).toSorted();
  return { nodes: members.map((release) => nodeOf(release, channelsOf(release))), edges, conditionalEdges };
}

/** What is served for a channel and an architecture. */
export interface NamedGraph {
  readonly channel: string;
  readonly architecture: string;
  readonly graph: UpdateGraph;
}

/** The graphs of all channels, for each architecture that a release has. Those without releases are left out.
 *  @throws TerminalError GraphTooLarge */
export function* buildUpdateGraphs(data: GraphData, releases: readonly ServedRelease[]): Generator<NamedGraph> {
  assertBounded(releases);
  const architectures = new Set(releases.map(({ architecture }) => architecture));
  for (const channel of data.channels.keys()) {
    for (const architecture of architectures) {
      const graph = buildUpdateGraph(data, releases, { channel, architecture });
      if (graph !== undefined && graph.nodes.length > 0) yield { channel, architecture, graph };
    }
  }
}
