import type { ClusterServiceVersion, Subscription } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';
import { formatVersion, type Property, parseTolerantVersion, type Version } from '../../constraints/index.ts';
import { type ApiSet, listedPackage, listedProperties, ownedApis, requiredApis } from '../../operators/index.ts';
import type { PresentBundle } from '../../resolver/index.ts';

const unknownVersion = '0.0.0';

function versionOf({ spec }: ClusterServiceVersion): Version {
  try {
    return parseTolerantVersion(spec.version ?? unknownVersion);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return parseTolerantVersion(unknownVersion);
  }
}

function apiProperties(type: string, apis: ApiSet | undefined): readonly Property[] {
  return (apis?.values() ?? []).map(({ group, version, kind }) => ({ type, value: { group, version, kind } }));
}

/** The package of the Subscriptions that a ClusterServiceVersion is installed for, by its name; undefined where they do not agree. */
export function packagesOf(subscriptions: readonly Subscription[]): ReadonlyMap<string, string | undefined> {
  const packages = new Map<string, string | undefined>();
  for (const { spec, status } of subscriptions) {
    const { installedCSV = '' } = status ?? {};
    const isAgreed = !packages.has(installedCSV) || packages.get(installedCSV) === spec.name;
    packages.set(installedCSV, isAgreed ? spec.name : undefined);
  }
  return packages;
}

function onceEach(properties: readonly Property[]): readonly Property[] {
  const byText = new Map(properties.map((property) => [JSON.stringify([property.type, property.value]), property]));
  return [...byText.values()];
}

/** What is installed, as resolution counts with it: with the APIs that it names, and the properties that were recorded when it was resolved. One
 *  without such a record belongs to the package that is requested for it.
 *  @see docs/spec/catalogs.md#scope-and-inputs */
export function presentBundle(csv: ClusterServiceVersion, requestedPackage: string | undefined): PresentBundle {
  const version = versionOf(csv);
  const recorded = listedProperties(csv);
  const inferred = recorded === undefined ? requestedPackage : undefined;
  const identity =
    inferred === undefined
      ? []
      : [{ type: 'olm.package', value: { packageName: inferred, version: formatVersion(version) } }];
  const properties = onceEach([
    ...apiProperties('olm.gvk', ownedApis(csv)),
    ...apiProperties('olm.gvk.required', requiredApis(csv)),
    ...(recorded ?? identity),
  ]);
  const packageName = listedPackage(properties);
  return { name: csv.metadata.name, version, properties, ...(packageName !== undefined && { packageName }) };
}
