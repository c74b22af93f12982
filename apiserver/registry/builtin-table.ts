import type { Verb } from '../core/index.ts';
import source from './generated/builtin-resources.json' with { type: 'json' };

/** One resource that the server has built in: its entry in discovery. Behaviour is in `kinds/`. */
export interface BuiltinRow {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: readonly SubresourceRow[];
  readonly storageVersionHash?: string | undefined;
}

/** `group` and `version` are those of the body. */
export interface SubresourceRow {
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly Verb[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

function rowsOf(groupVersion: string, resources: readonly DiscoveredResource[]): BuiltinRow[] {
  const [version = '', group = ''] = groupVersion.split('/').toReversed();
  const subresourcesOf = (plural: string): SubresourceRow[] =>
    resources
      .filter(({ name }) => name.startsWith(`${plural}/`))
      .map((sub) => ({
        name: sub.name.slice(plural.length + 1),
        verbs: sub.verbs,
        kind: sub.kind,
        group: sub.version === undefined ? group : (sub.group ?? ''),
        version: sub.version ?? version,
      }));
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      group,
      version,
      plural: resource.name,
      singular: resource.singularName,
      kind: resource.kind,
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      namespaced: resource.namespaced,
      verbs: resource.verbs,
      subresources: subresourcesOf(resource.name),
      storageVersionHash: resource.storageVersionHash,
    }));
}

/** Every resource built in, one row a group version, as a real server's discovery lists them.
 *  @see scripts/generate-builtin-types.ts */
export const builtinRows: readonly BuiltinRow[] = Object.entries(
  source.resources as unknown as Readonly<Record<string, readonly DiscoveredResource[]>>,
).flatMap(([groupVersion, resources]) => rowsOf(groupVersion, resources));
