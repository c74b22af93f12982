import { join } from 'node:path';
import {
  goQuote,
  type JsonObject,
  objectAt,
  objectsAt,
  printableLine,
  TerminalError,
  textAt,
} from '../../../src/base/index.ts';
import {
  buildCatalogIndex,
  type CatalogIndex,
  type DescribedChannel,
  describeDefaultChannel,
  describePackage,
  openCatalogIndex,
} from '../../../src/catalog/index.ts';
import { type documentOption, type OptionValues, printDocument, type registryOptions } from '../../command/index.ts';
import { openCatalog, withCatalogs } from '../open.ts';
import type { OpenOptions } from '../reading.ts';

type Values = OptionValues<typeof documentOption & typeof registryOptions>;

/** A channel as its head describes it. */
interface ChannelDocument extends Omit<DescribedChannel, 'csv'> {
  /** ClusterServiceVersion of the head, without what it installs. */
  readonly csv: JsonObject;
}

/** A package as user interfaces show it. */
interface PackageDocument {
  readonly name: string;
  readonly defaultChannel: string;
  readonly deprecation?: string;
  readonly channelNames: readonly string[];
  readonly channels: readonly ChannelDocument[];
}

function withoutInstallation({ metadata, spec }: JsonObject): JsonObject {
  const { install: _install, ...rest } = (spec ?? {}) as JsonObject;
  return { metadata: metadata ?? {}, spec: rest };
}

function shown({ csv, ...channel }: DescribedChannel): ChannelDocument {
  return { ...channel, csv: withoutInstallation(csv) };
}

const briefAnnotations = ['description', 'capabilities', 'categories'];
const briefDefinition = ['name', 'version', 'kind', 'displayName', 'description'];

function pick(object: JsonObject | undefined, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object ?? {}).filter(([key]) => keys.includes(key)));
}

/** What a list of packages shows: without examples, descriptors and images, which are most of it. */
function brief(channel: DescribedChannel): ChannelDocument {
  const { csv, ...rest } = shown(channel);
  const { relatedImages: _images, customresourcedefinitions, ...spec } = (csv['spec'] ?? {}) as JsonObject;
  const definitions = objectsAt(customresourcedefinitions as JsonObject | undefined, 'owned');
  const owned = definitions.map((one) => pick(one, briefDefinition));
  const metadata = {
    ...pick(objectAt(csv, 'metadata'), ['name']),
    annotations: pick(objectAt(csv, 'metadata', 'annotations'), briefAnnotations),
  };
  return { ...rest, csv: { metadata, spec: { ...spec, customresourcedefinitions: { owned } } } };
}

/** Without the name of a package: what a list of packages needs, the head of the default channel alone. */
function documentOf(index: CatalogIndex, name: string, isWhole: boolean): PackageDocument {
  const found = index.package(name);
  if (found === undefined) throw new TerminalError('NotFound', `package ${goQuote(name)} not found`);
  const { defaultChannel, deprecation, channels } = found;
  const described = isWhole
    ? (describePackage(index, name)?.channels ?? [])
    : [describeDefaultChannel(index, name)].filter((channel) => channel !== undefined);
  return {
    name,
    defaultChannel,
    ...(deprecation === undefined ? {} : { deprecation }),
    channelNames: channels.map((channel) => channel.name),
    channels: described.map(isWhole ? shown : brief),
  };
}

async function indexOf(place: string, options: OpenOptions): Promise<CatalogIndex> {
  const file = join(options.work.path, 'catalog.index');
  await buildCatalogIndex(openCatalog(place, options), file, { signal: options.signal });
  return openCatalogIndex(file);
}

function channelLine({ name, csv, entries }: ChannelDocument, defaultChannel: string): string {
  const spec = objectAt(csv, 'spec');
  const more = entries.length === 1 ? '' : `, ${entries.length} versions`;
  return `  channel ${name}${name === defaultChannel ? ' (default)' : ''}: ${textAt(spec, 'version')}${more}`;
}

function textOf({ name, defaultChannel, deprecation, channels }: PackageDocument): string {
  const head = channels.find((channel) => channel.name === defaultChannel) ?? channels[0];
  const spec = objectAt(head?.csv, 'spec');
  const summary = textAt(objectAt(head?.csv, 'metadata', 'annotations'), 'description');
  const lines = [
    [name, textAt(spec, 'displayName'), textAt(objectAt(spec, 'provider'), 'name')]
      .filter((text) => text !== '')
      .join(', '),
    ...(summary === '' ? [] : [`  ${summary}`]),
    ...(deprecation === undefined ? [] : [`  deprecated: ${deprecation}`]),
    ...channels.map((channel) => channelLine(channel, defaultChannel)),
  ];
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}

/** `longshore catalog describe REF [PACKAGE]` */
export async function catalogDescribe(values: Values, [place, name]: readonly [string, string?]): Promise<number> {
  return await withCatalogs(values, async (options) => {
    using index = await indexOf(place, options);
    const names = name === undefined ? index.packageNames() : [name];
    const packages = names.map((one) => documentOf(index, one, name !== undefined));
    options.progress.clear();
    printDocument(values, packages, () => packages.map(textOf).join(''));
    return 0;
  });
}
