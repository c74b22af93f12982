import { errorMessage, TerminalError } from '../base/index.ts';
import { compareVersions, formatVersion, parseVersion, type Version } from '../constraints/index.ts';
import { hasFormat } from '../schema/index.ts';
import type { GraphNode, MatchingRule, UpdateGraph, UpdateRisk } from './graph.ts';

/** A release that a cluster can be updated to. */
export interface AvailableRelease {
  readonly version: string;
  readonly image: string;
  readonly url: string;
  /** Sorted. */
  readonly channels: readonly string[];
  /** `multi`, or empty. */
  readonly architecture: string;
}

/** What a graph offers a cluster; the highest version first. */
export interface AvailableUpdates {
  readonly current: AvailableRelease;
  readonly available: readonly AvailableRelease[];
  readonly conditional: readonly { readonly release: AvailableRelease; readonly risks: readonly UpdateRisk[] }[];
}

const channelsKey = 'io.openshift.upgrades.graph.release.channels';
/** Of versions, images and channels of a release and its updates together: those of the public update service take a tenth of it. */
const maxCharacters = 1024 * 1024;
const architectureKey = 'release.openshift.io/architecture';

function refuse(text: string): never {
  throw new TerminalError('ResponseInvalid', text);
}

function versionOf({ version }: GraphNode): Version {
  try {
    return parseVersion(version);
  } catch (thrown) {
    return refuse(`invalid node version "${version.slice(0, 100)}": ${errorMessage(thrown)}`);
  }
}

/** @throws TerminalError ResponseInvalid for metadata of another form */
function releaseOf({ version, payload, metadata }: GraphNode): AvailableRelease {
  const { url = '', [channelsKey]: channels = '', [architectureKey]: architecture = '' } = metadata;
  if (url !== '' && !URL.canParse(url))
    return refuse(`node ${version.slice(0, 100)}: invalid URL "${url.slice(0, 100)}"`);
  if (architecture !== '' && architecture !== 'multi') {
    return refuse(
      `node ${version.slice(0, 100)}: ${architectureKey}: expected multi, found "${architecture.slice(0, 100)}"`,
    );
  }
  const names = channels === '' ? [] : [...new Set(channels.split(','))].toSorted();
  return { version, image: payload, url, channels: names, architecture };
}

function isValidRule({ type, promql }: MatchingRule): boolean {
  if (type === 'Always') return promql === undefined;
  return type === 'PromQL' && promql !== undefined && promql !== '';
}

/** More of a risk, and longer names of risks, cannot be stored. */
const maxRules = 10;
const maxNameCharacters = 256;

/** Whether a status can hold the risk: the API server refuses all of it otherwise. */
function isShowable({ name, message, url }: UpdateRisk): boolean {
  const isNamed = name !== '' && name.length <= maxNameCharacters;
  return isNamed && message !== '' && URL.canParse(url) && hasFormat(url, 'uri');
}

/** The risk without rules that this version cannot evaluate; undefined when it has no other, or cannot be shown: it is never taken for a risk that does
 *  not apply. */
function evaluable(risk: UpdateRisk): UpdateRisk | undefined {
  const matchingRules = risk.matchingRules.filter(isValidRule).slice(0, maxRules);
  return matchingRules.length === 0 || !isShowable(risk) ? undefined : { ...risk, matchingRules };
}

/** Without build metadata: that of a node names its architecture. */
function plainText(version: Version): string {
  return formatVersion({ ...version, build: [] });
}

/** The highest version first. */
export function newestFirst<T>(items: readonly T[], versionOf: (item: T) => string): T[] {
  const parsed = items.map((item) => ({ item, version: parseVersion(versionOf(item)) }));
  return parsed.sort((a, b) => compareVersions(b.version, a.version)).map(({ item }) => item);
}

interface Candidate {
  readonly node: GraphNode;
  readonly risks: Map<string, UpdateRisk>;
  /** A risk cannot be evaluated: the release is not offered. */
  isUnknown: boolean;
}

function addRisks(candidate: Candidate, known: readonly UpdateRisk[], isComplete: boolean): void {
  if (!isComplete) candidate.isUnknown = true;
  for (const risk of known) candidate.risks.set(risk.name, risk);
}

/** Conditional updates from a version by their image; of several entries for one image the risks are joined. An entry may list an update, and risks, many
 *  thousand times: each is read once. */
function conditionalCandidates(graph: UpdateGraph, current: GraphNode): Candidate[] {
  const nodes = new Map(graph.nodes.map((node) => [node.version, node]));
  const found = new Map<string, Candidate>();
  for (const { edges, risks } of graph.conditionalEdges) {
    const targets = new Set(edges.flatMap(({ from, to }) => (from === current.version ? [to] : [])));
    if (targets.size === 0) continue;
    const known = risks.flatMap((risk) => evaluable(risk) ?? []);
    const isComplete = known.length > 0 && known.length === risks.length;
    for (const to of targets) {
      const node = nodes.get(to);
      if (node === undefined) return refuse(`no node for conditional update ${to.slice(0, 100)}`);
      const candidate = found.get(node.payload) ?? { node, risks: new Map(), isUnknown: false };
      addRisks(candidate, known, isComplete);
      found.set(node.payload, candidate);
    }
  }
  return [...found.values()];
}

/** Refuses what takes long to sort, and fits into no status. */
function assertSizes(nodes: readonly GraphNode[]): void {
  const sizeOf = ({ version, payload, metadata }: GraphNode): number =>
    version.length + payload.length + (metadata[channelsKey] ?? '').length;
  const characters = nodes.reduce((sum, node) => sum + sizeOf(node), 0);
  if (characters <= maxCharacters) return;
  refuse(`the updates take ${characters} characters, more than the limit of ${maxCharacters}`);
}

/** What a graph offers a cluster that runs a version: direct successors alone, and those with risks apart. A cluster of one architecture that asks for
 *  `multi` is offered its own version, as the release for several architectures.
 *  @throws TerminalError VersionNotFound, ResponseInvalid
 *  @see docs/spec/cluster-version.md#graph-json */
export function availableUpdates(
  graph: UpdateGraph,
  cluster: { readonly version: string; readonly channel: string; readonly becomesMulti?: boolean },
): AvailableUpdates {
  const currentVersion = plainText(parseVersion(cluster.version));
  const versions = graph.nodes.map(versionOf);
  const at = versions.findIndex((version) => plainText(version) === currentVersion);
  const node = graph.nodes[at];
  if (node === undefined) {
    const text = `currently reconciling cluster version ${cluster.version} not found in the "${cluster.channel}" channel`;
    throw new TerminalError('VersionNotFound', text);
  }
  // An update may be listed many thousand times.
  const targets = new Set(graph.edges.flatMap(([from, to]) => (from === at ? [to] : [])));
  const successors = [...targets].flatMap((to) => graph.nodes[to] ?? []);
  const candidates = conditionalCandidates(graph, node);
  assertSizes([node, ...successors, ...candidates.map((candidate) => candidate.node)]);
  const current = releaseOf(node);
  if (cluster.becomesMulti === true) return { current, available: [current], conditional: [] };
  const images = new Set(candidates.map((candidate) => candidate.node.payload));
  const plain = successors.filter(({ payload }) => !images.has(payload)).map(releaseOf);
  const conditional = candidates
    .filter(({ isUnknown }) => !isUnknown)
    .map((candidate) => ({ release: releaseOf(candidate.node), risks: [...candidate.risks.values()] }));
  return {
    current,
    available: newestFirst(plain, ({ version }) => version),
    conditional: newestFirst(conditional, ({ release }) => release.version),
  };
}
