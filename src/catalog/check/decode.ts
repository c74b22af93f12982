import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
} from '../../base/index.ts';
import type { ChannelEntry } from '../../resolver/index.ts';
import { decoded, type GoShape, shapeFault } from './go-shape.ts';

/** A property as it is written: type and value may both be missing. */
export interface DecodedProperty {
  readonly type: string;
  readonly value?: JsonValue;
}

/** An `olm.package`. */
export interface DecodedPackage {
  readonly schema: 'olm.package';
  readonly name: string;
  readonly defaultChannel: string;
  readonly description: string;
  readonly icon?: { readonly base64data: string; readonly mediatype: string };
  readonly properties: readonly DecodedProperty[];
}

/** An `olm.channel`. */
export interface DecodedChannel {
  readonly schema: 'olm.channel';
  readonly name: string;
  readonly package: string;
  readonly entries: readonly ChannelEntry[];
  readonly properties: readonly DecodedProperty[];
}

/** An `olm.bundle`. */
export interface DecodedBundle {
  readonly schema: 'olm.bundle';
  readonly name: string;
  readonly package: string;
  /** '' where the manifests are in the catalog itself. */
  readonly image: string;
  readonly properties: readonly DecodedProperty[];
  readonly relatedImages: readonly { readonly name: string; readonly image: string }[];
}

/** One thing that should no longer be used. */
export interface DecodedDeprecation {
  readonly schema: string;
  readonly name: string;
  readonly message: string;
}

/** An `olm.deprecations`. */
export interface DecodedDeprecations {
  readonly schema: 'olm.deprecations';
  readonly package: string;
  readonly entries: readonly DecodedDeprecation[];
}

/** A document of a known schema. */
export type DecodedMeta = DecodedPackage | DecodedChannel | DecodedBundle | DecodedDeprecations;

const text: GoShape = { kind: 'text' };
const listOf = (of: GoShape): GoShape => ({ kind: 'list', of });
const struct = (name: string, fields: Readonly<Record<string, GoShape>>): GoShape => ({ kind: 'struct', name, fields });

const properties = listOf(struct('property.Property', { type: text, value: { kind: 'raw' } }));
const entry = struct('declcfg.ChannelEntry', { name: text, replaces: text, skips: listOf(text), skipRange: text });
const deprecationEntry = struct('declcfg.DeprecationEntry', {
  reference: struct('declcfg.PackageScopedReference', { schema: text, name: text }),
  message: text,
});

/** Schemas that have a meaning here; all others are kept as they are. */
export type KnownSchema = DecodedMeta['schema'];

const shapes: Readonly<Record<KnownSchema, GoShape>> = {
  'olm.package': struct('declcfg.Package', {
    schema: text,
    name: text,
    defaultChannel: text,
    icon: struct('declcfg.Icon', { base64data: { kind: 'bytes' }, mediatype: text }),
    description: text,
    properties,
  }),
  'olm.channel': struct('declcfg.Channel', {
    schema: text,
    name: text,
    package: text,
    entries: listOf(entry),
    properties,
  }),
  'olm.bundle': struct('declcfg.Bundle', {
    schema: text,
    name: text,
    package: text,
    image: text,
    properties,
    relatedImages: listOf(struct('declcfg.RelatedImage', { name: text, image: text })),
  }),
  'olm.deprecations': struct('declcfg.Deprecation', {
    schema: text,
    package: text,
    name: text,
    entries: listOf(deprecationEntry),
  }),
};

/** Whether documents of the schema are decoded. */
export function isKnownSchema(schema: string): schema is KnownSchema {
  return Object.hasOwn(shapes, schema);
}

/** What the documents, and the entries of a channel, are called in their parts, for checks of wrong names. */
export const documentShapes: Readonly<Record<KnownSchema, GoShape>> = shapes;
/** As `documentShapes`, of the entries of a channel. */
export const entryShape: GoShape = entry;

const words: Readonly<Record<KnownSchema, string>> = {
  'olm.package': 'package',
  'olm.channel': 'channel',
  'olm.bundle': 'bundle',
  'olm.deprecations': 'deprecation',
};

/** Why a document of a known schema cannot be decoded: `parse channel: json: cannot unmarshal number into Go struct field Channel.entries of
 *  type []declcfg.ChannelEntry`.
 *  @see docs/spec/catalogs.md#the-meta-blob */
export function decodingFault(schema: KnownSchema, value: JsonObject): string | undefined {
  const fault = shapeFault(shapes[schema], value);
  return fault === undefined ? undefined : `parse ${words[schema]}: ${fault}`;
}

function propertiesOf(document: JsonObject): DecodedProperty[] {
  return objectsAt(document, 'properties').map((property) => ({
    type: textAt(property, 'type'),
    ...(property['value'] === undefined ? {} : { value: property['value'] }),
  }));
}

function entryOf(written: JsonObject): ChannelEntry {
  const replaces = textAt(written, 'replaces');
  const skipRange = textAt(written, 'skipRange');
  return {
    name: textAt(written, 'name'),
    ...(replaces === '' ? {} : { replaces }),
    skips: listOfTexts(written, 'skips'),
    ...(skipRange === '' ? {} : { skipRange }),
  };
}

function iconOf(document: JsonObject): Pick<DecodedPackage, 'icon'> {
  const icon = objectAt(document, 'icon');
  if (icon === undefined) return {};
  return { icon: { base64data: textAt(icon, 'base64data'), mediatype: textAt(icon, 'mediatype') } };
}

const readers: { readonly [S in KnownSchema]: (document: JsonObject) => Extract<DecodedMeta, { schema: S }> } = {
  'olm.package': (document) => ({
    schema: 'olm.package',
    name: textAt(document, 'name'),
    defaultChannel: textAt(document, 'defaultChannel'),
    description: textAt(document, 'description'),
    ...iconOf(document),
    properties: propertiesOf(document),
  }),
  'olm.channel': (document) => ({
    schema: 'olm.channel',
    name: textAt(document, 'name'),
    package: textAt(document, 'package'),
    entries: objectsAt(document, 'entries').map(entryOf),
    properties: propertiesOf(document),
  }),
  'olm.bundle': (document) => ({
    schema: 'olm.bundle',
    name: textAt(document, 'name'),
    package: textAt(document, 'package'),
    image: textAt(document, 'image'),
    properties: propertiesOf(document),
    relatedImages: objectsAt(document, 'relatedImages').map((related) => ({
      name: textAt(related, 'name'),
      image: textAt(related, 'image'),
    })),
  }),
  'olm.deprecations': (document) => ({
    schema: 'olm.deprecations',
    package: textAt(document, 'package'),
    entries: objectsAt(document, 'entries').map((one) => ({
      schema: textAt(objectAt(one, 'reference'), 'schema'),
      name: textAt(objectAt(one, 'reference'), 'name'),
      message: textAt(one, 'message'),
    })),
  }),
};

/** A document of a known schema, decoded as Go does: members under their own names whatever their letters' case; what has another type counts as
 *  absent (`decodingFault` checks that it has). */
export function decodeDocument(schema: KnownSchema, value: JsonObject): DecodedMeta {
  const document = decoded(shapes[schema], value);
  return readers[schema](isJsonObject(document) ? document : {});
}
