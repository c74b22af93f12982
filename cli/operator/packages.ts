import {
  isJsonObject,
  type JsonObject,
  nearest,
  objectAt,
  objectsAt,
  TerminalError,
  textAt,
} from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { explainMissing } from './objects.ts';

/** A channel of a package. */
export interface AvailableChannel {
  readonly name: string;
  readonly head: string;
  readonly entries: readonly { readonly name: string; readonly version: string }[];
  /** That its head supports. */
  readonly installModes: readonly string[];
}

/** A package of a catalog, from its PackageManifest. */
export interface AvailablePackage {
  readonly name: string;
  readonly catalog: { readonly namespace: string; readonly name: string; readonly displayName: string };
  readonly defaultChannel: string;
  readonly channels: readonly AvailableChannel[];
  readonly description: string;
}

function channelOf(channel: JsonObject): AvailableChannel {
  const entries = objectsAt(channel, 'entries').map((entry) => ({
    name: textAt(entry, 'name'),
    version: textAt(entry, 'version'),
  }));
  const installModes = objectsAt(objectAt(channel, 'currentCSVDesc'), 'installModes')
    .filter(({ supported }) => supported === true)
    .map((mode) => textAt(mode, 'type'));
  return { name: textAt(channel, 'name'), head: textAt(channel, 'currentCSV'), entries, installModes };
}

/** @see docs/spec/olm-v0.md#packagemanifest */
function packageOf(manifest: KubeObject): AvailablePackage {
  const status = isJsonObject(manifest['status']) ? manifest['status'] : {};
  const catalog = {
    namespace: textAt(status, 'catalogSourceNamespace'),
    name: textAt(status, 'catalogSource'),
    displayName: textAt(status, 'catalogSourceDisplayName'),
  };
  const channels = objectsAt(status, 'channels');
  const defaultChannel = textAt(status, 'defaultChannel');
  const shown = channels.find((channel) => textAt(channel, 'name') === defaultChannel) ?? channels[0] ?? {};
  return {
    name: textAt(status, 'packageName') || (manifest.metadata.name ?? ''),
    catalog,
    defaultChannel,
    channels: channels.map(channelOf),
    description: textAt(objectAt(shown, 'currentCSVDesc'), 'displayName'),
  };
}

/** The packages that are visible in a namespace.
 *  @throws TerminalError OlmMissing */
export async function listPackages(kube: KubeClient, namespace: string): Promise<readonly AvailablePackage[]> {
  const target = { apiVersion: 'packages.operators.coreos.com/v1', kind: 'PackageManifest', namespace };
  const { items } = await explainMissing(kube.list(target));
  return items.map(packageOf);
}

/** Whether a package is of the catalog that `--catalog` names: `NAME` or `NAMESPACE/NAME`. */
export function isFrom({ catalog }: AvailablePackage, text: string | undefined): boolean {
  return text === undefined || text === catalog.name || text === `${catalog.namespace}/${catalog.name}`;
}

/** The package to install.
 *  @throws TerminalError PackageNotFound, CatalogAmbiguous */
export function choosePackage(
  all: readonly AvailablePackage[],
  name: string,
  catalog: string | undefined,
): AvailablePackage {
  const found = all.filter((one) => one.name === name && isFrom(one, catalog));
  const [only, ...others] = found;
  if (only === undefined) throw packageNotFound(all, name, catalog);
  if (others.length === 0) return only;
  const catalogs = found.map((one) => `${one.catalog.namespace}/${one.catalog.name}`).join(', ');
  const text = `package "${name}" is in several catalogs (${catalogs}): choose one with --catalog`;
  throw new TerminalError('CatalogAmbiguous', text);
}

function packageNotFound(all: readonly AvailablePackage[], name: string, catalog: string | undefined): TerminalError {
  const where = catalog === undefined ? 'any catalog that is visible' : `catalog "${catalog}"`;
  const there = all.filter((one) => isFrom(one, catalog)).map((one) => one.name);
  const meant = nearest(name, there);
  const advice = meant === undefined ? 'see longshore operator list-available' : `did you mean "${meant}"?`;
  return new TerminalError('PackageNotFound', `package "${name}" is not in ${where}: ${advice}`);
}

/** The channel to follow: the default one, unless one is named.
 *  @throws TerminalError ChannelNotFound */
export function chooseChannel(
  { name, channels, defaultChannel }: AvailablePackage,
  requested: string | undefined,
): AvailableChannel {
  const channelName = requested ?? defaultChannel;
  const channel = channels.find((one) => one.name === channelName);
  if (channel !== undefined) return channel;
  const there = channels.map((one) => one.name).join(', ');
  throw new TerminalError('ChannelNotFound', `package "${name}" has no channel "${channelName}", but ${there}`);
}

/** The name of the bundle with a version in a channel.
 *  @throws TerminalError VersionNotFound */
export function startingCsv({ name, entries }: AvailableChannel, requested: string | undefined): string | undefined {
  if (requested === undefined) return undefined;
  const version = requested.replace(/^v/, '');
  const entry = entries.find((one) => one.version === version || one.name === requested);
  if (entry !== undefined) return entry.name;
  const there = entries.map((one) => one.version).join(', ');
  throw new TerminalError('VersionNotFound', `channel "${name}" has no version ${version}, but ${there}`);
}
