import { type JsonObject, listOfTexts, objectsAt, TerminalError, textAt } from '../../base/index.ts';
import { type Property, parseVersion, type Version } from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, Channel, ChannelEntry } from '../../resolver/index.ts';

function readEntry(value: JsonObject): ChannelEntry {
  const [replaces, skipRange] = [textAt(value, 'replaces'), textAt(value, 'skipRange')];
  return {
    name: textAt(value, 'name'),
    skips: listOfTexts(value, 'skips'),
    ...(replaces === '' ? {} : { replaces }),
    ...(skipRange === '' ? {} : { skipRange }),
  };
}

function readVersion(text: string): Version | undefined {
  try {
    return parseVersion(text);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

/** Undefined for one without a version: it cannot be chosen. */
function readBundle(value: JsonObject): CatalogBundle | undefined {
  const properties: Property[] = objectsAt(value, 'properties').map((property) => {
    return { type: textAt(property, 'type'), value: property['value'] ?? null };
  });
  const identity = objectsAt(value, 'properties').find((property) => textAt(property, 'type') === 'olm.package');
  const stated = identity === undefined ? undefined : (identity['value'] as JsonObject | undefined);
  const version = readVersion(textAt(stated, 'version'));
  if (version === undefined) return undefined;
  const [image, release] = [textAt(value, 'image'), textAt(stated, 'release')];
  const name = textAt(value, 'name');
  const optional = { ...(image === '' ? {} : { image }), ...(release === '' ? {} : { release }) };
  return { name, packageName: textAt(value, 'package'), version, properties, ...optional };
}

interface Deprecations {
  of(schema: string, name: string): { readonly deprecation?: string };
}

function readDeprecations(documents: readonly JsonObject[]): Deprecations {
  const messages = new Map<string, string>();
  for (const entry of documents.flatMap((document) => objectsAt(document, 'entries'))) {
    const reference = entry['reference'] as JsonObject | undefined;
    messages.set(`${textAt(reference, 'schema')}/${textAt(reference, 'name')}`, textAt(entry, 'message'));
  }
  return {
    of: (schema, name) => {
      const deprecation = messages.get(`${schema}/${name}`);
      return deprecation === undefined ? {} : { deprecation };
    },
  };
}

/** The package that slim documents make, as far as they can be used; undefined where none of them is an `olm.package`. Of things with one
 *  name the first counts. */
export function readPackageRecord(documents: readonly JsonObject[]): CatalogPackage | undefined {
  const ofSchema = (schema: string): JsonObject[] => documents.filter((one) => textAt(one, 'schema') === schema);
  const [stated] = ofSchema('olm.package');
  if (stated === undefined) return undefined;
  const deprecations = readDeprecations(ofSchema('olm.deprecations'));
  const channels = new Map<string, Channel>();
  for (const channel of ofSchema('olm.channel').toReversed()) {
    const name = textAt(channel, 'name');
    const entries = objectsAt(channel, 'entries').map(readEntry);
    channels.set(name, { name, entries, ...deprecations.of('olm.channel', name) });
  }
  const bundles = new Map<string, CatalogBundle>();
  for (const bundle of ofSchema('olm.bundle').flatMap((value) => readBundle(value) ?? [])) {
    if (!bundles.has(bundle.name)) {
      bundles.set(bundle.name, { ...bundle, ...deprecations.of('olm.bundle', bundle.name) });
    }
  }
  return {
    name: textAt(stated, 'name'),
    defaultChannel: textAt(stated, 'defaultChannel'),
    channels: [...channels.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    bundles,
    ...deprecations.of('olm.package', ''),
  };
}
