import { isJsonObject, type JsonObject, listOfTexts, objectAt, objectsAt, textAt } from '../../base/index.ts';
import { type Property, parseVersion, type Version } from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, Channel, ChannelEntry } from '../../resolver/index.ts';
import type { Meta } from '../meta.ts';

/** Large, and nothing that a choice depends on. */
const leftOut: ReadonlySet<string> = new Set(['olm.bundle.object', 'olm.csv.metadata']);

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Draft {
  defaultChannel: string | undefined;
  readonly channels: Map<string, Mutable<Channel>>;
  readonly bundles: Map<string, Mutable<CatalogBundle>>;
  readonly deprecations: JsonObject[];
  /** Versions of an operator have much in common: what is equal is stored once. */
  readonly properties: Map<string, Property>;
}

/** The properties of a bundle that identify it and its requirements; without what is large and only shown. */
function propertiesOf(bundle: JsonObject): Property[] {
  return objectsAt(bundle, 'properties')
    .map((property) => ({ type: textAt(property, 'type'), value: property['value'] ?? null }))
    .filter(({ type }) => type !== '' && !leftOut.has(type));
}

function entryOf(entry: JsonObject): ChannelEntry {
  const [replaces, skipRange] = [textAt(entry, 'replaces'), textAt(entry, 'skipRange')];
  return {
    name: textAt(entry, 'name'),
    ...(replaces === '' ? {} : { replaces }),
    skips: listOfTexts(entry, 'skips').filter((name) => name !== ''),
    ...(skipRange === '' ? {} : { skipRange }),
  };
}

function versionOf(text: string): Version | undefined {
  try {
    return parseVersion(text);
  } catch {
    return undefined;
  }
}

/** The same property as one that is known already, where there is such a one. */
function shared(property: Property, known: Map<string, Property>): Property {
  const key = JSON.stringify(property);
  const found = known.get(key);
  if (found === undefined) known.set(key, property);
  return found ?? property;
}

function bundleOf(
  { name, package: packageName, value }: Meta,
  known: Map<string, Property>,
): CatalogBundle | undefined {
  const properties = propertiesOf(value).map((property) => shared(property, known));
  const identity = properties.find(({ type }) => type === 'olm.package')?.value;
  if (!isJsonObject(identity)) return undefined;
  const version = versionOf(textAt(identity, 'version'));
  if (version === undefined) return undefined;
  const [release, image] = [textAt(identity, 'release'), textAt(value, 'image')];
  return {
    name,
    packageName,
    version,
    ...(release === '' ? {} : { release }),
    ...(image === '' ? {} : { image }),
    properties,
  };
}

function deprecate(draft: Draft, found: Mutable<CatalogPackage>, entry: JsonObject): void {
  const reference = objectAt(entry, 'reference');
  const [name, deprecation] = [textAt(reference, 'name'), textAt(entry, 'message')];
  if (deprecation === '') return;
  const schema = textAt(reference, 'schema');
  const target =
    schema === 'olm.package'
      ? found
      : schema === 'olm.channel'
        ? draft.channels.get(name)
        : schema === 'olm.bundle'
          ? draft.bundles.get(name)
          : undefined;
  if (target !== undefined) target.deprecation = deprecation;
}

function packageOf(name: string, draft: Draft): CatalogPackage {
  const channels = Array.from(draft.channels.values()).sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: Mutable<CatalogPackage> = {
    name,
    defaultChannel: draft.defaultChannel ?? '',
    channels,
    bundles: draft.bundles,
  };
  for (const deprecations of draft.deprecations) {
    for (const entry of objectsAt(deprecations, 'entries')) deprecate(draft, found, entry);
  }
  return found;
}

/** Makes packages of the documents of a catalog, in whatever order they come; keeps little of each. Takes what is usable: the first of
 *  several of one name, no bundle without a version, no package that is only spoken of. What is wrong with a catalog is for `check/` to report. */
export class PackageBuilder {
  readonly #drafts = new Map<string, Draft>();

  add(meta: Meta): void {
    const { schema, name, value } = meta;
    if (schema === 'olm.package') this.#draft(name).defaultChannel ??= textAt(value, 'defaultChannel');
    else if (meta.package === '') return;
    else if (schema === 'olm.channel') {
      const { channels } = this.#draft(meta.package);
      if (!channels.has(name)) channels.set(name, { name, entries: objectsAt(value, 'entries').map(entryOf) });
    } else if (schema === 'olm.bundle') {
      const { bundles, properties } = this.#draft(meta.package);
      const bundle = bundles.has(name) ? undefined : bundleOf(meta, properties);
      if (bundle !== undefined) bundles.set(name, bundle);
    } else if (schema === 'olm.deprecations') this.#draft(meta.package).deprecations.push(value);
  }

  /** By name, sorted. */
  build(): ReadonlyMap<string, CatalogPackage> {
    const known = Array.from(this.#drafts).filter(([name, draft]) => name !== '' && draft.defaultChannel !== undefined);
    known.sort(([a], [b]) => (a < b ? -1 : 1));
    return new Map(known.map(([name, draft]) => [name, packageOf(name, draft)]));
  }

  #draft(name: string): Draft {
    const draft = this.#drafts.get(name) ?? {
      defaultChannel: undefined,
      channels: new Map(),
      bundles: new Map(),
      deprecations: [],
      properties: new Map(),
    };
    this.#drafts.set(name, draft);
    return draft;
  }
}

/** The packages of a catalog: see `PackageBuilder`. */
export async function readPackages(metas: AsyncIterable<Meta>): Promise<ReadonlyMap<string, CatalogPackage>> {
  const builder = new PackageBuilder();
  for await (const meta of metas) builder.add(meta);
  return builder.build();
}
