import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  parseJson,
  serverText,
  valueAt,
} from '../../base/index.ts';
import { renamedFields, sameNamedFields } from '../csv-metadata-fields.ts';
import type { ApiKind, BundleMessage, PackageMessage, TypedText } from './api-messages.ts';

/** As it came, without what is not used: a value takes many times the memory of its text. */
interface ReadBundle extends Omit<BundleMessage, 'csvJson' | 'dependencies'> {
  /** Value of `olm.csv.metadata`, as JSON. */
  metadataText?: string;
}

/** What was read of one package: its channels' entries and its bundles by name. */
export interface ReadPackage {
  readonly message: PackageMessage;
  readonly channels: Map<string, JsonObject[]>;
  readonly bundles: Map<string, ReadBundle>;
  /** Of the head of its default channel, where that was read. */
  icon?: JsonObject;
}

function valueOf({ csvName }: ReadBundle, { type, value }: TypedText): JsonValue {
  return parseJson(
    `bundle ${serverText(csvName, 200)}, property ${serverText(type, 200)}`,
    value === '' ? 'null' : value,
  );
}

function key(type: string, { group, version, kind }: ApiKind): string {
  return JSON.stringify([type, group, version, kind]);
}

/** The properties that a bundle was made of: those it has, its APIs where only these fields have them, its identity, its manifests. */
function propertiesOf(bundle: ReadBundle): JsonObject[] {
  const read = bundle.properties.map((property) => ({ type: property.type, value: valueOf(bundle, property) }));
  const known = new Set(
    read.map(({ type, value }) => (isJsonObject(value) ? key(type, value as unknown as ApiKind) : '')),
  );
  const stated: JsonObject[] = [...read];
  const add = (type: string, apis: readonly ApiKind[]): void => {
    for (const api of apis) {
      if (known.has(key(type, api))) continue;
      stated.push({ type, value: { group: api.group, kind: api.kind, version: api.version } });
    }
  };
  add('olm.gvk', bundle.providedApis);
  add('olm.gvk.required', bundle.requiredApis);
  if (!stated.some(({ type }) => type === 'olm.package')) {
    const { packageName, version } = bundle;
    stated.push({ type: 'olm.package', value: { packageName, version } });
  }
  const manifests = bundle.object ?? [];
  if (bundle.metadataText !== undefined) {
    stated.push({ type: 'olm.csv.metadata', value: JSON.parse(bundle.metadataText) as JsonValue });
  }
  return [
    ...stated,
    ...manifests.map((text) => {
      return { type: 'olm.bundle.object', value: { data: Buffer.from(text).toString('base64') } };
    }),
  ];
}

function bundleValue(bundle: ReadBundle): JsonObject {
  return {
    schema: 'olm.bundle',
    package: bundle.packageName,
    name: bundle.csvName,
    ...(bundle.bundlePath === '' ? {} : { image: bundle.bundlePath }),
    properties: propertiesOf(bundle),
  };
}

function entryValue({ csvName, replaces = '', skips = [], skipRange = '' }: BundleMessage): JsonObject {
  return {
    name: csvName,
    ...(replaces === '' ? {} : { replaces }),
    ...(skips.length === 0 ? {} : { skips: [...skips] }),
    ...(skipRange === '' ? {} : { skipRange }),
  };
}

/** Adds a bundle as a member of a channel. */
export function takeBundle({ channels, bundles }: ReadPackage, bundle: BundleMessage): void {
  const entries = channels.get(bundle.channelName) ?? [];
  channels.set(bundle.channelName, entries);
  entries.push(entryValue(bundle));
  if (bundles.has(bundle.csvName)) return;
  const { csvJson: _, dependencies: __, ...used } = bundle;
  bundles.set(bundle.csvName, used);
}

/** Whether it is known what user interfaces show of the bundle. */
export function isDescribed({ bundlePath, object = [], properties, metadataText }: ReadBundle): boolean {
  if (bundlePath === '' && object.length > 0) return true;
  return metadataText !== undefined || properties.some(({ type }) => type === 'olm.csv.metadata');
}

/** What user interfaces show of a ClusterServiceVersion, as the value of `olm.csv.metadata`: members as they are, for those who read them check them. */
function metadataOf(csv: JsonObject): JsonObject {
  const [metadata, spec] = [objectAt(csv, 'metadata') ?? {}, objectAt(csv, 'spec') ?? {}];
  const fields: readonly (readonly [string, JsonValue | undefined])[] = [
    ...['annotations', 'labels'].map((key) => [key, valueAt(metadata, key)] as const),
    ...Object.entries(renamedFields).map(([key, source]) => [key, valueAt(spec, source)] as const),
    ...sameNamedFields.map((key) => [key, valueAt(spec, key)] as const),
  ];
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Adds what user interfaces show of a bundle. Its ClusterServiceVersion is not used as a manifest: that of a bundle with an image may be made of
 *  metadata alone. */
export function describeBundle(read: ReadPackage, { csvName, channelName, csvJson = '' }: BundleMessage): void {
  const bundle = read.bundles.get(csvName);
  if (bundle === undefined || csvJson === '') return;
  const csv = parseJson(`ClusterServiceVersion ${serverText(csvName, 200)}`, csvJson);
  if (!isJsonObject(csv)) return;
  bundle.metadataText = JSON.stringify(metadataOf(csv));
  const [icon] = objectsAt(objectAt(csv, 'spec'), 'icon');
  if (icon !== undefined && channelName === read.message.defaultChannelName) read.icon = icon;
}

function deprecationsOf({ message, bundles }: ReadPackage): JsonObject[] {
  const entry = (schema: string, name: string, text: string | undefined): JsonObject[] => {
    if (text === undefined) return [];
    return [{ reference: { schema, ...(name === '' ? {} : { name }) }, message: text }];
  };
  return [
    ...entry('olm.package', '', message.deprecation?.message),
    ...message.channels.flatMap(({ name, deprecation }) => entry('olm.channel', name, deprecation?.message)),
    ...Array.from(bundles, ([name, { deprecation }]) => entry('olm.bundle', name, deprecation?.message)).flat(),
  ];
}

/** The documents of a package: itself, its channels, bundles and deprecations. */
export function* documentsOf(read: ReadPackage): Generator<JsonObject> {
  const { name, defaultChannelName: defaultChannel } = read.message;
  yield { schema: 'olm.package', name, defaultChannel, ...(read.icon === undefined ? {} : { icon: read.icon }) };
  for (const { name: channel } of read.message.channels) {
    yield { schema: 'olm.channel', package: name, name: channel, entries: read.channels.get(channel) ?? [] };
  }
  for (const bundle of read.bundles.values()) yield bundleValue(bundle);
  const entries = deprecationsOf(read);
  if (entries.length > 0) yield { schema: 'olm.deprecations', package: name, entries };
}
