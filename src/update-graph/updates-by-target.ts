import { compareVersions, parseVersion } from '../constraints/index.ts';
import type { UpdateGraph } from './graph.ts';

const channelsKey = 'io.openshift.upgrades.graph.release.channels';

/** The versions from which a version can be reached. */
export interface UpdateTarget {
  readonly version: string;
  /** Sorted. */
  readonly channels: readonly string[];
  /** The oldest first. */
  readonly from: readonly string[];
  readonly risky: readonly { readonly from: string; readonly risks: readonly string[] }[];
}

/** All versions of a graph, the newest first, each with the updates that lead to it. Of an update that has several entries, risks prevail.
 *  @throws TerminalError for what is no version */
export function updatesByTarget({ nodes, edges, conditionalEdges }: UpdateGraph): readonly UpdateTarget[] {
  const order = nodes
    .map(({ version }) => version)
    .toSorted((a, b) => compareVersions(parseVersion(a), parseVersion(b)));
  const positions = new Map(order.map((version, index) => [version, index]));
  const risky = new Map<string, Map<string, Set<string>>>();
  for (const { edges: pairs, risks } of conditionalEdges) {
    for (const { from, to } of pairs) {
      const sources = risky.get(to) ?? new Map<string, Set<string>>();
      const names = sources.get(from) ?? new Set<string>();
      for (const { name } of risks) names.add(name);
      risky.set(to, sources.set(from, names));
    }
  }
  const plain = Map.groupBy(edges, ([, to]) => nodes[to]?.version ?? '');
  const oldestFirst = (versions: Iterable<string>): string[] =>
    [...versions].toSorted((a, b) => (positions.get(a) ?? 0) - (positions.get(b) ?? 0));
  return nodes
    .toSorted((a, b) => (positions.get(b.version) ?? 0) - (positions.get(a.version) ?? 0))
    .map(({ version, metadata }) => {
      const conditional = risky.get(version) ?? new Map<string, Set<string>>();
      const sources = (plain.get(version) ?? []).flatMap(([from]) => nodes[from]?.version ?? []);
      const { [channelsKey]: channels = '' } = metadata;
      return {
        version,
        channels: channels === '' ? [] : channels.split(',').toSorted(),
        from: oldestFirst(new Set(sources.filter((from) => !conditional.has(from)))),
        risky: oldestFirst(conditional.keys()).map((from) => ({ from, risks: [...(conditional.get(from) ?? [])] })),
      };
    });
}
