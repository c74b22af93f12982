import type { JsonObject } from '../../src/base/index.ts';
import { acmeCsv, installModes, sampleCrd } from '../support/index.ts';
import type { Catalog, Files, Target } from './scenario.ts';

/** The operator of a scenario: a ClusterServiceVersion with a Deployment, and further manifests. */
export interface BundleOptions {
  /** Initials of install modes, default all namespaces. */
  readonly modes?: string;
  readonly csv?: JsonObject;
  readonly extra?: readonly JsonObject[];
  readonly packageName?: string;
}

/** Files of a bundle of the format registry+v1. */
export function bundle(version: string, options: BundleOptions = {}): Files {
  const { modes = 'A', csv = {}, extra = [], packageName = 'tide' } = options;
  const prefix = 'operators.operatorframework.io.bundle';
  const annotations = Object.entries({
    package: packageName,
    channels: 'stable',
    mediatype: 'registry+v1',
    manifests: 'manifests/',
    metadata: 'metadata/',
  }).map(([key, value]): [string, string] => [`${prefix}.${key}.v1`, value]);
  const manifest = acmeCsv(
    { version, installModes: installModes(modes), ...csv },
    { name: `${packageName}.v${version}` },
  );
  const files = [manifest, ...extra].map((one, index): [string, string] => [
    `manifests/${index}.yaml`,
    JSON.stringify(one),
  ]);
  return {
    ...Object.fromEntries(files),
    'metadata/annotations.yaml': JSON.stringify({ annotations: Object.fromEntries(annotations) }),
  };
}

/** A ConfigMap of a bundle. */
export function configMap(name: string, data: Readonly<Record<string, string>>, namespace?: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    data,
  };
}

export { sampleCrd };

/** A bundle in a catalog: its key, version, and edges such as `replaces 1.0.0` or `skipRange <2.0.0`. */
interface Entry {
  readonly version: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
}

export interface PackageOptions {
  readonly name?: string;
  readonly channels: Readonly<Record<string, readonly (string | Entry)[]>>;
  readonly deprecations?: readonly { readonly of: string; readonly name?: string; readonly message: string }[];
  /** Further properties of bundles, by version. */
  readonly properties?: Readonly<Record<string, readonly JsonObject[]>>;
  /** Keys of files, by version; default: the version. */
  readonly images?: Readonly<Record<string, string>>;
}

/** Documents of a package. */
export function packageDocuments(options: PackageOptions): readonly JsonObject[] {
  const { name = 'tide', channels, deprecations = [], properties = {}, images = {} } = options;
  const nameOf = (version: string): string => `${name}.v${version}`;
  const entriesOf = (entries: readonly (string | Entry)[]): JsonObject[] =>
    entries.map((entry) => {
      const { version, replaces, skips, skipRange } = typeof entry === 'string' ? ({ version: entry } as Entry) : entry;
      return {
        name: nameOf(version),
        ...(replaces !== undefined && { replaces: nameOf(replaces) }),
        ...(skips !== undefined && { skips: skips.map(nameOf) }),
        ...(skipRange !== undefined && { skipRange }),
      };
    });
  const all = Object.values(channels)
    .flat()
    .map((entry) => (typeof entry === 'string' ? entry : entry.version));
  const versions = [...new Set([...all, ...Object.keys(images)])];
  return [
    { schema: 'olm.package', name, defaultChannel: Object.keys(channels)[0] ?? '' },
    ...Object.entries(channels).map(([channel, entries]) => ({
      schema: 'olm.channel',
      package: name,
      name: channel,
      entries: entriesOf(entries),
    })),
    ...versions.map((version) => ({
      schema: 'olm.bundle',
      package: name,
      name: nameOf(version),
      image: images[version] ?? version,
      properties: [{ type: 'olm.package', value: { packageName: name, version } }, ...(properties[version] ?? [])],
    })),
    ...(deprecations.length === 0
      ? []
      : [
          {
            schema: 'olm.deprecations',
            package: name,
            entries: deprecations.map(({ of, name: reference, message }) => ({
              reference: { schema: `olm.${of}`, ...(reference !== undefined && { name: reference }) },
              message,
            })),
          },
        ]),
  ];
}

/** A catalog of one package. */
export function catalogOf(options: PackageOptions, more: Omit<Catalog, 'documents'> = {}): Catalog {
  return { documents: packageDocuments(options), ...more };
}

/** What a ClusterExtension asks for beside its package. */
export interface ExtensionOptions {
  readonly name?: string;
  readonly packageName?: string;
  readonly catalog?: JsonObject;
  readonly spec?: JsonObject;
}

/** A ClusterExtension with a service account, which the cluster has. */
export function extension({
  name = 'tide',
  packageName = 'tide',
  catalog = {},
  spec = {},
}: ExtensionOptions = {}): JsonObject {
  return {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterExtension',
    metadata: { name },
    spec: {
      namespace: '$ns',
      serviceAccount: { name: 'installer' },
      source: { sourceType: 'Catalog', catalog: { packageName, ...catalog } },
      ...spec,
    },
  };
}

/** Names it. */
export function extensionTarget(name = 'tide'): Target {
  return { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', name };
}

/** A change of what it asks of its catalogs. */
export function catalogChange(catalog: JsonObject): JsonObject {
  return { spec: { source: { catalog } } };
}

/** Its last state is reached. */
export const settled: readonly string[] = ['"Desired state reached"'];
