import type { JsonObject } from '../../src/base/index.ts';
import { type CsvOptions, crd, csv, inNamespace } from './objects.ts';
import type { State, Target } from './scenario.ts';

const olm = 'operators.coreos.com/v1alpha1';

/** One entry of a channel, and the bundle behind it. Versions are of the same package. */
export interface Release {
  readonly version: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
  readonly csv?: CsvOptions;
  /** Instead of the owned CustomResourceDefinition. */
  readonly crds?: readonly JsonObject[];
  /** Further objects of the bundle. */
  readonly objects?: readonly JsonObject[];
  /** Further properties, such as `olm.gvk.required`. */
  readonly properties?: readonly JsonObject[];
}

/** What differs from the package `boat`. */
export interface PackageOptions {
  readonly name?: string;
  readonly kind?: string;
  readonly channel?: string;
  /** Entries of further channels, by name. They are of releases of the first. */
  readonly channels?: Readonly<Record<string, readonly JsonObject[]>>;
  /** Of an `olm.deprecations` document. */
  readonly deprecations?: readonly JsonObject[];
}

/** The object is encoded when the catalog is served: until then its texts may hold `$id`. */
const inlined = (data: JsonObject): JsonObject => ({ type: 'olm.bundle.object', value: { data } });

function bundleOf(release: Release, { name: packageName = 'boat', kind = 'Boat' }: PackageOptions): JsonObject {
  const { version, replaces, skips, skipRange, csv: options } = release;
  const name = `${packageName}.v${version}`;
  const annotations = skipRange === undefined ? {} : { annotations: { 'olm.skipRange': skipRange } };
  const edges = {
    ...(replaces === undefined ? {} : { replaces: `${packageName}.v${replaces}` }),
    ...(skips === undefined ? {} : { skips: skips.map((skipped) => `${packageName}.v${skipped}`) }),
  };
  const { metadata, ...rest } = csv({ name, kind, ...annotations, ...options, spec: { ...edges, ...options?.spec } });
  const { namespace: _written, ...named } = metadata as JsonObject;
  const properties = [
    { type: 'olm.package', value: { packageName, version } },
    { type: 'olm.gvk', value: { group: '$id.example.com', version: 'v1', kind } },
    ...(release.properties ?? []),
    inlined({ ...rest, metadata: named }),
    ...(release.crds ?? [crd(kind)]).map(inlined),
    ...(release.objects ?? []).map(inlined),
  ];
  // With an image, OLM would start a Job that unpacks it.
  return { schema: 'olm.bundle', package: packageName, name, image: '', properties };
}

function entryOf({ version, replaces, skips, skipRange }: Release, packageName: string): JsonObject {
  return {
    name: `${packageName}.v${version}`,
    ...(replaces === undefined ? {} : { replaces: `${packageName}.v${replaces}` }),
    ...(skips === undefined ? {} : { skips: skips.map((skipped) => `${packageName}.v${skipped}`) }),
    ...(skipRange === undefined ? {} : { skipRange }),
  };
}

/** Documents of one package. */
export function packageOf(options: PackageOptions, ...releases: readonly Release[]): JsonObject[] {
  const { name = 'boat', channel = 'stable', channels = {}, deprecations } = options;
  const entries = releases.map((release) => entryOf(release, name));
  return [
    { schema: 'olm.package', name, defaultChannel: channel },
    { schema: 'olm.channel', package: name, name: channel, entries },
    ...Object.entries(channels).map(([other, own]) => {
      return { schema: 'olm.channel', package: name, name: other, entries: own as JsonObject[] };
    }),
    ...releases.map((release) => bundleOf(release, options)),
    ...(deprecations === undefined
      ? []
      : [{ schema: 'olm.deprecations', package: name, entries: deprecations as JsonObject[] }]),
  ];
}

/** A catalog of the package `boat` with one channel, `stable`. */
export const catalog = (...releases: readonly Release[]): JsonObject[] => packageOf({}, ...releases);

export const sourceTarget = (name = 'shop', namespace = 'a'): Target => {
  return { apiVersion: olm, kind: 'CatalogSource', name, namespace: inNamespace(namespace) };
};
export const subscriptionTarget = (name = 'boat', namespace = 'a'): Target => {
  return { apiVersion: olm, kind: 'Subscription', name, namespace: inNamespace(namespace) };
};

/** A CatalogSource at the address of a served catalog. */
export function catalogSource(
  served: string,
  options: { readonly name?: string; readonly namespace?: string; readonly spec?: JsonObject } = {},
): JsonObject {
  const { name = 'shop', namespace = 'a', spec = {} } = options;
  return {
    apiVersion: olm,
    kind: 'CatalogSource',
    metadata: { name, namespace: inNamespace(namespace) },
    spec: { sourceType: 'grpc', address: `$catalog/${served}`, ...spec },
  };
}

/** A Subscription to `boat`. */
export function subscription(spec: JsonObject = {}, name = 'boat', namespace = 'a'): JsonObject {
  return {
    apiVersion: olm,
    kind: 'Subscription',
    metadata: { name, namespace: inNamespace(namespace) },
    spec: { name, channel: 'stable', source: 'shop', sourceNamespace: inNamespace(namespace), ...spec },
  };
}

/** The catalog is connected: until then, resolution fails. */
export const connected = (name = 'shop', namespace = 'a'): State => {
  return { of: sourceTarget(name, namespace), has: '"lastObservedState":"READY"' };
};

/** The Subscription knows that the CSV is installed. */
export const latest = (installedCSV = 'boat.v0.1.0', name = 'boat'): State => {
  return { of: subscriptionTarget(name), shows: { installedCSV, currentCSV: installedCSV, state: 'AtLatestKnown' } };
};
/** A plan waits for approval, or for its CSV. */
export const pending = (currentCSV: string, name = 'boat'): State => {
  return { of: subscriptionTarget(name), shows: { currentCSV, state: 'UpgradePending' } };
};
