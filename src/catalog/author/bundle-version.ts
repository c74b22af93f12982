import {
  errorMessage,
  goQuote,
  isJsonObject,
  type JsonObject,
  objectAt,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { compareVersions, parseVersion, type Version } from '../../constraints/index.ts';
import { compareReleases } from '../../resolver/index.ts';
import { carriedCsv } from './migrate.ts';
import { csvMetadataType, propertiesOf } from './properties.ts';

/** What bundles are ordered by. */
export interface BundleVersion {
  readonly version: Version;
  /** Empty: none, which is below any. */
  readonly release: string;
}

/** The annotations of the ClusterServiceVersion that a bundle carries, or of what was made of it. */
function csvAnnotations(bundle: JsonObject): JsonObject | undefined {
  const migrated = propertiesOf(bundle).find(({ type }) => type === csvMetadataType)?.value;
  if (isJsonObject(migrated)) return objectAt(migrated, 'annotations');
  return objectAt(carriedCsv(bundle), 'metadata', 'annotations');
}

/** The version that a bundle's property `olm.package` gives; of one that was rebuilt in the old way, build metadata is its release.
 *  @throws TerminalError InvalidTemplate */
export function bundleVersion(bundle: JsonObject): BundleVersion {
  const name = textAt(bundle, 'name');
  const value = propertiesOf(bundle).find(({ type }) => type === 'olm.package')?.value;
  const given = isJsonObject(value) ? value : undefined;
  const text = textAt(given, 'version');
  try {
    const version = parseVersion(text);
    const isRebuild = textAt(csvAnnotations(bundle), 'olm.substitutesFor') !== '';
    const release = textAt(given, 'release') || (isRebuild ? version.build.join('.') : '');
    return { version, release };
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    const text_ = `bundle ${goQuote(name)} has invalid version ${goQuote(text)}: ${errorMessage(thrown)}`;
    throw new TerminalError('InvalidTemplate', text_, { cause: thrown });
  }
}

/** By version, then by release. */
export function compareBundleVersions(a: BundleVersion, b: BundleVersion): number {
  return compareVersions(a.version, b.version) || compareReleases(a.release, b.release);
}
