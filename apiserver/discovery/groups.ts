import { compareVersions, type ResourceType } from '../core/index.ts';

/** The resources of one group and version, by name. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly types: readonly ResourceType[];
}

/** One API group; the preferred version first. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly GroupVersion[];
}

/** apiregistration first, then the other built-in groups as the table has them, then those of custom resources by name. */
function rank(types: readonly ResourceType[]): number {
  if (types[0]?.group === 'apiregistration.k8s.io') return 0;
  return types.some((type) => !type.isCustom) ? 1 : 2;
}

/** Served types by group, in the order in which clients prefer groups and versions. The core group, named ``, comes first. */
export function groupTypes(types: readonly ResourceType[]): ApiGroup[] {
  const byGroup = Map.groupBy(types, (type) => type.group);
  const groups = [...byGroup].map(([name, members], index) => ({ name, members, index, rank: rank(members) }));
  groups.sort((a, b) => Number(b.name === '') - Number(a.name === '') || a.rank - b.rank || orderWithin(a, b));
  return groups.map(({ name, members }) => {
    const byVersion = Map.groupBy(members, (type) => type.version);
    const versions = [...byVersion.keys()].sort(compareVersions).map((version) => ({
      group: name,
      version,
      types: (byVersion.get(version) ?? []).toSorted((a, b) => (a.plural < b.plural ? -1 : 1)),
    }));
    return { name, versions };
  });
}

interface Ranked {
  readonly name: string;
  readonly rank: number;
  readonly index: number;
}

function orderWithin(a: Ranked, b: Ranked): number {
  if (a.rank < 2) return a.index - b.index;
  return a.name < b.name ? -1 : 1;
}
