import { compareVersions, type ResourceType } from '../core/index.ts';
import type { ExtensionVersion, ServedVersion } from './extensions.ts';

/** The resources of one group and version, by name; or what another server serves of it. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly types: readonly ResourceType[];
  readonly extension: ExtensionVersion | undefined;
}

/** One API group; the preferred version first. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly GroupVersion[];
}

/** Of groups that no APIService gives one: custom resources, and built-in types beside the usual ones. */
const customPriority = 1000;
const builtinPriority = 16_000;
const versionPriority = 100;

interface Ranked extends ApiGroup {
  readonly priority: number;
}

function versionKey({ group, version }: { readonly group: string; readonly version: string }): string {
  return `${group}/${version}`;
}

/** The core group first, then apiregistration, which stands above all APIServices. */
function rank({ name }: ApiGroup): number {
  return name === '' ? 0 : name === 'apiregistration.k8s.io' ? 1 : 2;
}

function orderGroups(a: Ranked, b: Ranked): number {
  return rank(a) - rank(b) || b.priority - a.priority || (a.name < b.name ? -1 : 1);
}

function groupPriority(own: readonly ServedVersion[], versions: readonly GroupVersion[]): number {
  if (own.length > 0) return Math.max(...own.map((one) => one.groupPriority));
  return versions.some(({ types }) => types.some((type) => !type.isCustom)) ? builtinPriority : customPriority;
}

/** Groups in the order in which clients prefer them: those of served types, and those of APIServices. The core group, named ``, comes first. */
export function groupTypes(types: readonly ResourceType[], served: readonly ServedVersion[]): ApiGroup[] {
  const typesOf = Map.groupBy(types, versionKey);
  const servedAs = new Map(served.map((one) => [versionKey(one), one]));
  const all = new Map(
    [...types, ...served].map(({ group, version }) => [versionKey({ group, version }), { group, version }]),
  );
  const versions = [...all].map(([key, { group, version }]): GroupVersion => {
    const extension = servedAs.get(key)?.extension;
    const own = extension === undefined ? (typesOf.get(key) ?? []) : [];
    return { group, version, extension, types: own.toSorted((a, b) => (a.plural < b.plural ? -1 : 1)) };
  });
  const priorityOf = (one: GroupVersion): number => servedAs.get(versionKey(one))?.versionPriority ?? versionPriority;
  const servedBy = Map.groupBy(served, ({ group }) => group);
  const groups = [...Map.groupBy(versions, ({ group }) => group)].map(([name, members]): Ranked => {
    const ordered = members.toSorted((a, b) => priorityOf(b) - priorityOf(a) || compareVersions(a.version, b.version));
    return { name, versions: ordered, priority: groupPriority(servedBy.get(name) ?? [], members) };
  });
  return groups.sort(orderGroups).map(({ name, versions: ordered }) => ({ name, versions: ordered }));
}
