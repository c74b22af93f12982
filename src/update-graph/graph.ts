import {
  isJsonObject,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  parseJson,
  serverText,
  TerminalError,
  textAt,
} from '../base/index.ts';

/** A rule that decides whether a cluster is exposed to a risk. Types that this version does not know have no `promql`. */
export interface MatchingRule {
  readonly type: string;
  readonly promql?: string;
}

/** A known problem of an update. */
export interface UpdateRisk {
  readonly url: string;
  readonly name: string;
  readonly message: string;
  /** In the order in which they are tried. */
  readonly matchingRules: readonly MatchingRule[];
}

/** A release in a graph. */
export interface GraphNode {
  readonly version: string;
  /** Pull spec of the release. */
  readonly payload: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Updates that have the same risks, by versions. */
export interface ConditionalEdges {
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly risks: readonly UpdateRisk[];
}

/** Releases and the updates between them, as an update service serves them. */
export interface UpdateGraph {
  readonly nodes: readonly GraphNode[];
  /** Pairs of indexes of `nodes`: from, to. */
  readonly edges: readonly (readonly [from: number, to: number])[];
  readonly conditionalEdges: readonly ConditionalEdges[];
}

const maxNodes = 50_000;
/** Many times what the public update service sends for all its channels. Few more fill the memory. */
const maxValues = 500_000;
/** Of all entries together: each update of an entry has each of its risks. The public update service sends a tenth of it for a channel. */
const maxRiskyPairs = 2_000_000;

function refuse(text: string): never {
  throw new TerminalError('ResponseInvalid', text);
}

function nodeOf(value: JsonObject): GraphNode {
  const metadata = Object.entries(objectAt(value, 'metadata') ?? {});
  return {
    version: textAt(value, 'version'),
    payload: textAt(value, 'payload'),
    metadata: Object.fromEntries(metadata.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  };
}

function ruleOf(value: JsonObject): MatchingRule {
  const promql = objectAt(value, 'promql');
  return { type: textAt(value, 'type'), ...(promql === undefined ? {} : { promql: textAt(promql, 'promql') }) };
}

/** A risk of a graph or of graph data. */
export function riskOf(value: JsonObject): UpdateRisk {
  return {
    url: textAt(value, 'url'),
    name: textAt(value, 'name'),
    message: textAt(value, 'message'),
    matchingRules: objectsAt(value, 'matchingRules').map(ruleOf),
  };
}

function edgeOf(value: unknown, at: number, nodeCount: number): readonly [number, number] {
  const pair: readonly unknown[] = Array.isArray(value) ? value : [];
  if (pair.length !== 2) return refuse(`edges[${at}]: expected 2 fields, found ${pair.length}`);
  const [from, to] = pair;
  const isNode = (index: unknown): index is number =>
    typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < nodeCount;
  if (isNode(from) && isNode(to)) return [from, to];
  const shown = pair.map((index) => serverText(String(index), 100)).join(', ');
  return refuse(`edges[${at}]: edge [${shown}]: expected indexes of the ${nodeCount} nodes`);
}

function conditionalEdgesOf(value: JsonObject): ConditionalEdges {
  const edges = objectsAt(value, 'edges').map((edge) => ({ from: textAt(edge, 'from'), to: textAt(edge, 'to') }));
  return { edges, risks: objectsAt(value, 'risks').map(riskOf) };
}

/** Reads the response of an update service.
 *  @throws TerminalError ResponseInvalid, InvalidJson, TooManyValues, TooDeeplyNested, ForbiddenKey
 *  @see docs/spec/cluster-version.md#graph-json */
export function parseUpdateGraph(text: string): UpdateGraph {
  const document = parseJson('graph', text, { maxValues });
  if (!isJsonObject(document)) return refuse('expected an object with nodes and edges');
  const nodes = objectsAt(document, 'nodes').map(nodeOf);
  const edges = listAt(document, 'edges');
  if (nodes.length > maxNodes) return refuse(`more than ${maxNodes} nodes`);
  const conditionalEdges = objectsAt(document, 'conditionalEdges').map(conditionalEdgesOf);
  const pairs = conditionalEdges.reduce((sum, { edges: updates, risks }) => sum + updates.length * risks.length, 0);
  if (pairs > maxRiskyPairs) return refuse(`${pairs} pairs of updates and risks, more than ${maxRiskyPairs}`);
  return { nodes, edges: edges.map((edge, at) => edgeOf(edge, at, nodes.length)), conditionalEdges };
}

/** A graph as an update service sends it.
 *  @see docs/spec/cluster-version.md#graph-json */
export function formatUpdateGraph({ nodes, edges, conditionalEdges }: UpdateGraph): string {
  const ruleDocument = ({ type, promql }: MatchingRule): object =>
    promql === undefined ? { type } : { type, promql: { promql } };
  const documents = conditionalEdges.map(({ edges: updates, risks }) => ({
    edges: updates,
    risks: risks.map((risk) => ({ ...risk, matchingRules: risk.matchingRules.map(ruleDocument) })),
  }));
  return JSON.stringify({ nodes, edges, conditionalEdges: documents });
}
