import { nearest } from '../../base/index.ts';
import {
  type Constraint,
  compareVersions,
  formatVersion,
  isInRange,
  type VersionRange,
} from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage } from '../package.ts';
import type { Anchor } from './anchor.ts';
import { formatCatalogName } from './candidate.ts';
import type { Requirement } from './requirement.ts';
import type { Shelf } from './shelf.ts';

/** What nearly would have done. */
interface NearMisses {
  /** Why there is nothing for a requested package. */
  readonly ofAnchor: (anchor: Anchor) => string;
  /** What there is instead of what a bundle needs; '': nothing. */
  readonly ofRequirement: (requirement: Requirement) => string;
}

const maxVersions = 5;
/** Other versions of an API that are looked for. */
const usualVersions = ['v1', 'v2', 'v1beta1', 'v1beta2', 'v1alpha1', 'v1alpha2', 'v2beta1', 'v2alpha1'];

/** The newest ones. */
function versionsOf(bundles: readonly CatalogBundle[]): string {
  const sorted = bundles.toSorted((a, b) => compareVersions(b.version, a.version));
  const versions = [...new Set(sorted.map(({ version }) => formatVersion(version)))];
  const shown = versions.slice(0, maxVersions).join(', ');
  return versions.length > maxVersions ? `${shown} and ${versions.length - maxVersions} more` : shown;
}

/** Why a bundle that has the right package and version is not offered. */
function whyNotOffered(found: CatalogPackage, bundle: CatalogBundle): string {
  const holders = found.channels.filter(({ entries }) => entries.some(({ name }) => name === bundle.name));
  if (holders.length === 0) return 'it is in no channel';
  const skipper = holders.flatMap(({ entries }) => entries).find(({ skips }) => skips.includes(bundle.name));
  if (skipper !== undefined) return `${skipper.name} skips it`;
  return `channel ${holders.map(({ name }) => name).join(', ')} cannot be used`;
}

function ofPackage(shelf: Shelf, packageName: string, range: VersionRange): string {
  const stocked = shelf.catalogs.flatMap((catalog) => {
    const found = shelf.package(catalog, packageName);
    return found === undefined ? [] : [{ catalog, found }];
  });
  if (stocked.length === 0) {
    const guess = nearest(packageName, [...new Set(shelf.catalogs.flatMap((catalog) => catalog.packageNames()))]);
    return `no catalog has package ${packageName}${guess === undefined ? '' : `; there is a package ${guess}`}`;
  }
  return stocked
    .map(({ catalog, found }) => {
      const bundles = [...found.bundles.values()];
      const inside = bundles.find(({ version }) => isInRange(version, range));
      const where = `catalog ${formatCatalogName(catalog)}`;
      if (inside === undefined) return `${where} has ${packageName} ${versionsOf(bundles)}, none of them in that range`;
      return `${where} has ${packageName} ${formatVersion(inside.version)}, but ${whyNotOffered(found, inside)}`;
    })
    .join('; ');
}

function ofConstraint(shelf: Shelf, constraint: Constraint): string {
  if (constraint.kind === 'package') return ofPackage(shelf, constraint.packageName, constraint.range);
  if (constraint.kind !== 'gvk') return '';
  const { api } = constraint;
  const others = usualVersions.filter((version) => version !== api.version);
  const known = others.flatMap((version) => {
    const names = shelf.catalogs.flatMap((catalog) => catalog.packagesProviding({ ...api, version }));
    return names.length === 0
      ? []
      : [`${version} by ${[...new Set(names)].toSorted().slice(0, maxVersions).join(', ')}`];
  });
  const own = shelf.catalogs.flatMap((catalog) => catalog.packagesProviding(api));
  if (own.length > 0) return `bundles of ${[...new Set(own)].join(', ')} provide it, but none that updates stop at`;
  return known.length === 0 ? '' : `other versions of it are provided: ${known.join('; ')}`;
}

function ofMissingPackage({ requested }: Anchor, shelf: Shelf): string {
  const names = [...new Set(shelf.catalogs.flatMap((catalog) => catalog.packageNames()))];
  const guess = nearest(requested.packageName, names);
  return `no catalog that it may come from has that package${guess === undefined ? '' : `; did you mean ${guess}?`}`;
}

function ofMissingChannel({ requested }: Anchor, shelf: Shelf): string {
  const channels = shelf.catalogs.flatMap((catalog) => shelf.package(catalog, requested.packageName)?.channels ?? []);
  const names = [...new Set(channels.map(({ name }) => name))];
  return names.length === 0
    ? 'the package has no channel'
    : `the package has not that channel, but ${names.join(', ')}`;
}

function bundlesOf({ requested }: Anchor, shelf: Shelf): readonly CatalogBundle[] {
  return shelf.catalogs.flatMap((catalog) => [
    ...(shelf.package(catalog, requested.packageName)?.bundles.values() ?? []),
  ]);
}

/** Whether all versions that are asked for are older than what is installed. */
export function isDowngrade(anchor: Anchor, shelf: Shelf): boolean {
  const { requested, present } = anchor;
  if (present === undefined || requested.versions === undefined) return false;
  const inside = bundlesOf(anchor, shelf).filter(({ version }) => requested.versions?.include(version) === true);
  return inside.length > 0 && inside.every(({ version }) => compareVersions(version, present.facts.version) < 0);
}

function ofMissingVersion(anchor: Anchor, shelf: Shelf): string {
  const { requested, present } = anchor;
  const bundles = bundlesOf(anchor, shelf);
  const inside = bundles.filter(({ version }) => requested.versions?.include(version) ?? true);
  if (present !== undefined && isDowngrade(anchor, shelf)) {
    return `it has ${versionsOf(inside)}, older than ${formatVersion(present.facts.version)}, which is installed: updates lead to newer versions only`;
  }
  if (inside.length === 0) return `no version of it is that; it has ${versionsOf(bundles)}`;
  const from = present === undefined ? '' : ` from ${formatVersion(present.facts.version)}, which is installed`;
  return `it has ${versionsOf(inside)}, but no entry of a channel leads there${from}`;
}

/** Looks for what nearly would have done. */
export function nearMisses(shelf: Shelf): NearMisses {
  return {
    ofAnchor: (anchor) => {
      switch (anchor.missing?.what) {
        case 'catalog':
          return anchor.missing.text;
        case 'package':
          return ofMissingPackage(anchor, shelf);
        case 'channel':
          return ofMissingChannel(anchor, shelf);
        case 'name':
          return 'the channel has no entry of that name';
        default:
          return ofMissingVersion(anchor, shelf);
      }
    },
    ofRequirement: ({ dependency }) => (dependency.type === 'label' ? '' : ofConstraint(shelf, dependency.constraint)),
  };
}
