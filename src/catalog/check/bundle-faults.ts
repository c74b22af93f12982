import { errorMessage, goQuote, isJsonObject, textAt } from '../../base/index.ts';
import { parsePrereleasePart, parseVersion, type Version } from '../../constraints/index.ts';
import type { MetaPlace } from '../meta.ts';
import { bundleObjectFault } from './bundle-object.ts';
import type { DecodedBundle } from './decode.ts';
import type { CatalogFinding, CatalogRule } from './finding.ts';
import { decoded } from './go-shape.ts';
import { propertyFault, shapeOfProperty } from './property-shapes.ts';
import { pullSpecFault } from './pull-spec.ts';
import { type BundleRecord, detached } from './record.ts';

const maxReleaseCharacters = 20;

/** The identity that a bundle states. */
interface Identity {
  readonly packageName: string;
  readonly version: string;
  readonly release: string;
}

type Fault = readonly [rule: CatalogRule, message: string];

/** The reference reads manifests when it loads a catalog, before any other rule. */
function* objectFaults({ name, package: packageName, properties }: DecodedBundle): Iterable<Fault> {
  for (const [index, property] of properties.entries()) {
    const fault = property.type === 'olm.bundle.object' ? bundleObjectFault(property, index) : undefined;
    if (fault === undefined) continue;
    yield ['parse', `read bundle objects: package ${goQuote(packageName)}, bundle ${goQuote(name)}: ${fault}`];
  }
}

function* propertyFaults({ name, properties }: DecodedBundle): Iterable<Fault> {
  for (const [index, property] of properties.entries()) {
    if (property.type === 'olm.bundle.object') continue;
    const fault = propertyFault(property);
    if (fault === undefined) continue;
    const where = `parse property[${index}] of type ${goQuote(property.type)}`;
    yield ['S12', `parse properties for bundle ${goQuote(name)}: ${where}: ${fault}`];
  }
}

function identitiesOf({ properties }: DecodedBundle): readonly Identity[] {
  return properties
    .filter((property) => property.type === 'olm.package' && propertyFault(property) === undefined)
    .map(({ value }) => {
      const read = decoded(shapeOfProperty('olm.package'), value);
      const stated = isJsonObject(read) ? read : undefined;
      return {
        packageName: textAt(stated, 'packageName'),
        version: textAt(stated, 'version'),
        release: textAt(stated, 'release'),
      };
    });
}

function* imageFaults(bundle: DecodedBundle): Iterable<Fault> {
  const images = [
    ['S15', 'image', bundle.image] as const,
    ...bundle.relatedImages.map(({ image }, index) => ['S16', `relatedImages[${index}].image`, image] as const),
  ];
  for (const [rule, where, image] of images) {
    const fault = image === '' ? undefined : pullSpecFault(image);
    if (fault === undefined) continue;
    const whose = `package ${goQuote(bundle.package)} bundle ${goQuote(bundle.name)}`;
    yield [rule, `${whose} ${where}: invalid image pull spec ${goQuote(image)}: ${fault}`];
  }
}

function releaseFault(release: string): string | undefined {
  if (release === '') return undefined;
  if (release.length > maxReleaseCharacters) return `exceeds maximum length of ${maxReleaseCharacters} characters`;
  for (const [index, segment] of release.split('.').entries()) {
    try {
      parsePrereleasePart(segment);
    } catch (thrown) {
      return `segment ${index}: ${errorMessage(thrown)}`;
    }
  }
  return undefined;
}

function readVersion(text: string): Version | string {
  try {
    return parseVersion(text);
  } catch (thrown) {
    return errorMessage(thrown);
  }
}

function belongingFault({ name, package: packageName }: DecodedBundle, stated: readonly Identity[]): Fault | undefined {
  const [identity] = stated;
  if (identity === undefined || stated.length > 1) {
    const found = `must have exactly 1 "olm.package" property, found ${stated.length}`;
    return ['S13', `package ${goQuote(packageName)} bundle ${goQuote(name)} ${found}`];
  }
  if (identity.packageName === packageName) return undefined;
  const other = goQuote(identity.packageName);
  return ['S14', `package ${goQuote(packageName)} does not match "olm.package" property ${other}`];
}

function* versionFaults(name: string, identity: Identity): Iterable<Fault> {
  const version = readVersion(identity.version);
  if (typeof version === 'string') {
    yield ['S17', `error parsing bundle ${goQuote(name)} version ${goQuote(identity.version)}: ${version}`];
  }
  const release = releaseFault(identity.release);
  if (release === undefined) return;
  const shown = goQuote(identity.release);
  yield ['S18', `error parsing bundle ${goQuote(name)} release version ${shown}: invalid release ${shown}: ${release}`];
}

/** The version that a bundle states, as far as it can be read. */
function versionOf(identity: Identity | undefined): Pick<BundleRecord, 'version' | 'release'> {
  if (identity === undefined) return { release: '' };
  const version = readVersion(identity.version);
  const release = releaseFault(identity.release) === undefined ? detached(identity.release) : '';
  return { ...(typeof version === 'string' ? {} : { version }), release };
}

/** What is kept of a bundle, with what is wrong with its document alone: rules S12 to S18. @see docs/spec/catalogs.md#s12 */
export function bundleRecord(bundle: DecodedBundle, place: MetaPlace, isBroken: boolean): BundleRecord {
  const stated = identitiesOf(bundle);
  const [identity] = stated;
  const unreadable = [...propertyFaults(bundle)];
  // A property that cannot be read is reported, and not also as missing.
  const isUnread = isBroken || (stated.length === 0 && unreadable.length > 0);
  const belonging = isUnread ? undefined : belongingFault(bundle, stated);
  const found: readonly Fault[] = [
    ...objectFaults(bundle),
    ...unreadable,
    ...(belonging === undefined ? [] : [belonging]),
    ...imageFaults(bundle),
    ...(identity === undefined || stated.length > 1 ? [] : versionFaults(bundle.name, identity)),
  ];
  const [name, packageName] = [detached(bundle.name), detached(bundle.package)];
  return {
    name,
    packageName,
    place,
    isBroken: isUnread,
    ...versionOf(identity),
    hasImage: bundle.image !== '',
    hasObjects: bundle.properties.some(({ type }) => type === 'olm.bundle.object'),
    packageProperties: stated.length,
    faults: found.map(([rule, message]): CatalogFinding => {
      return { rule, severity: 'error', message, place, package: packageName, bundle: name };
    }),
  };
}
