import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsAt,
  parseJson,
  parseYamlDocuments,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { formatVersion, type Property } from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, ChannelEntry } from '../../resolver/index.ts';
import { encoded } from '../check/go-shape.ts';
import { shapeOfProperty } from '../check/property-shapes.ts';
import { renamedFields, sameNamedFields } from '../csv-metadata-fields.ts';
import { canonicalJson } from '../write/canonical.ts';
import type { ApiKind, BundleMessage, PackageMessage, TypedText } from './api-messages.ts';

function deprecated(message: string | undefined): { readonly deprecation?: { readonly message: string } } {
  return message === undefined ? {} : { deprecation: { message } };
}

function apisOf(properties: readonly Property[], requested: string): ApiKind[] {
  const values = properties.filter(({ type }) => type === requested).map(({ value }) => value);
  return values.filter(isJsonObject).map((value) => {
    return { group: textAt(value, 'group'), version: textAt(value, 'version'), kind: textAt(value, 'kind') };
  });
}

const dependencyTypes: ReadonlyMap<string, string> = new Map([
  ['olm.gvk.required', 'olm.gvk'],
  ['olm.package.required', 'olm.package'],
]);

function dependencyValue(type: string, value: JsonValue): JsonValue {
  if (type !== 'olm.package.required') return value;
  const required = isJsonObject(value) ? value : {};
  return { packageName: textAt(required, 'packageName'), version: textAt(required, 'versionRange') };
}

/** What a bundle needs, as older clients ask for it. @see docs/spec/catalogs.md#bundle-metadata-files */
function dependenciesOf(properties: readonly Property[]): TypedText[] {
  return properties.flatMap(({ type, value }) => {
    const dependency = dependencyTypes.get(type);
    return dependency === undefined ? [] : { type: dependency, value: JSON.stringify(dependencyValue(type, value)) };
  });
}

/** A bundle as a member of a channel, without its manifests. */
export function bundleMessage(bundle: CatalogBundle, channelName: string, entry: ChannelEntry): BundleMessage {
  const { properties } = bundle;
  return {
    csvName: bundle.name,
    packageName: bundle.packageName,
    channelName,
    bundlePath: bundle.image ?? '',
    providedApis: apisOf(properties, 'olm.gvk'),
    requiredApis: apisOf(properties, 'olm.gvk.required'),
    version: formatVersion(bundle.version),
    skipRange: entry.skipRange ?? '',
    dependencies: dependenciesOf(properties),
    properties: properties.map(({ type, value }) => ({ type, value: JSON.stringify(value) })),
    replaces: entry.replaces ?? '',
    skips: entry.skips,
    ...deprecated(bundle.deprecation),
  };
}

/** A package; `headOf` gives a channel's head. */
export function packageMessage(found: CatalogPackage, headOf: (channelName: string) => string): PackageMessage {
  return {
    name: found.name,
    channels: found.channels.map(({ name, deprecation }) => {
      return { name, csvName: headOf(name), ...deprecated(deprecation) };
    }),
    defaultChannelName: found.defaultChannel,
    ...deprecated(found.deprecation),
  };
}

/** The manifests of a bundle, each as JSON. */
export interface BundleManifests {
  readonly csvJson: string;
  readonly object: readonly string[];
}

/** A manifest as JSON, with sorted keys; one that cannot be read as it is written. */
function manifestJson(text: string): string {
  try {
    return canonicalJson(parseYamlDocuments('manifest', text, { isLastKeyTaken: true })[0] ?? null);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return text;
    throw thrown;
  }
}

function inlinedManifests(properties: readonly JsonObject[]): string[] {
  return properties
    .filter((property) => textAt(property, 'type') === 'olm.bundle.object')
    .map(({ value }) => textAt(isJsonObject(value) ? value : {}, 'data'))
    .map((data) => manifestJson(Buffer.from(data, 'base64').toString()));
}

function isClusterServiceVersion(text: string): boolean {
  try {
    const object = parseJson('manifest', text);
    return isJsonObject(object) && object['kind'] === 'ClusterServiceVersion';
  } catch (thrown) {
    if (thrown instanceof TerminalError) return false;
    throw thrown;
  }
}

/** Fields of `olm.csv.metadata` and where they stand in a ClusterServiceVersion's spec. */
const specFields: readonly (readonly [string, string])[] = [
  ...Object.entries(renamedFields),
  ...sameNamedFields.map((name) => [name, name] as const),
];

function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ''));
}

function iconOf(stated: JsonObject | undefined): JsonObject[] | undefined {
  const icon = stated?.['icon'];
  if (!isJsonObject(icon)) return undefined;
  const base64data = Buffer.from(textAt(icon, 'base64data'), 'base64').toString('base64');
  return [{ base64data, mediatype: textAt(icon, 'mediatype') }];
}

function relatedImagesOf(bundle: JsonObject): JsonObject[] | undefined {
  const images = objectsAt(bundle, 'relatedImages');
  if (images.length === 0) return undefined;
  return images.map((related) => ({ name: textAt(related, 'name'), image: textAt(related, 'image') }));
}

/** What user interfaces need of a ClusterServiceVersion, in the shape of one, as the reference encodes it: nothing of it can be installed. */
function syntheticCsv(
  metadata: JsonObject,
  bundle: JsonObject,
  of: { readonly version: string; readonly stated: JsonObject | undefined },
): JsonObject {
  const read = encoded(shapeOfProperty('olm.csv.metadata'), metadata);
  const known = isJsonObject(read) ? read : {};
  const shown = Object.fromEntries(specFields.map(([from, to]) => [to, known[from]]));
  const described = textAt(known, 'description');
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: present({ name: textAt(bundle, 'name'), annotations: known['annotations'], labels: known['labels'] }),
    spec: {
      ...present({
        ...shown,
        description: described === '' ? textAt(of.stated, 'description') : described,
        icon: iconOf(of.stated),
        relatedImages: relatedImagesOf(bundle),
        version: of.version,
      }),
      displayName: textAt(known, 'displayName'),
      install: { strategy: 'deployment', spec: { deployments: null } },
      cleanup: { enabled: false },
    },
    status: { cleanup: {} },
  };
}

/** The manifests of a bundle, from its document and its package's: those that are in the catalog, or a ClusterServiceVersion made of its
 *  `olm.csv.metadata`.
 *  @see docs/spec/catalogs.md#grpc-api */
export function bundleManifests(
  bundle: JsonObject,
  of: { readonly version: string; readonly stated: JsonObject | undefined },
): BundleManifests {
  const listed = Array.isArray(bundle['properties']) ? bundle['properties'].filter(isJsonObject) : [];
  const inlined = inlinedManifests(listed);
  const stored = inlined.find(isClusterServiceVersion);
  const metadata = listed.find((property) => textAt(property, 'type') === 'olm.csv.metadata')?.['value'];
  if (stored !== undefined || !isJsonObject(metadata)) return { csvJson: stored ?? '', object: inlined };
  const csvJson = JSON.stringify(syntheticCsv(metadata, bundle, of));
  return { csvJson, object: inlined.length === 0 ? [csvJson] : inlined };
}
