import { isJsonObject, type JsonObject, objectAt, objectsAt, TerminalError, textAt } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { explainMissing } from './objects.ts';

/** A channel of a package. */
export interface AvailableChannel {
  readonly name: string;
  readonly head: string;
  readonly entries: readonly { readonly name: string; readonly version: string }[];
}

/** A package of a catalog, from its PackageManifest. */
export interface AvailablePackage {
  readonly name: string;
  readonly catalog: { readonly namespace: string; readonly name: string; readonly displayName: string };
  readonly defaultChannel: string;
  readonly channels: readonly AvailableChannel[];
  readonly description: string;
  /** Of the head of the default channel. */
  readonly installModes: readonly string[];
}

function channelOf(channel: JsonObject): AvailableChannel {
  const entries = objectsAt(channel, 'entries').map((entry) => ({
    name: textAt(entry, 'name'),
    version: textAt(entry, 'version'),
  }));
  return { name: textAt(channel, 'name'), head: textAt(channel, 'currentCSV'), entries };
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
    installModes: objectsAt(objectAt(shown, 'currentCSVDesc'), 'installModes')
      .filter(({ supported }) => supported === true)
      .map((mode) => textAt(mode, 'type')),
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
  if (only === undefined) {
    const where = catalog === undefined ? 'any catalog that is visible' : `catalog "${catalog}"`;
    const text = `package "${name}" is not in ${where}: see longshore operator list-available`;
    throw new TerminalError('PackageNotFound', text);
  }
  if (others.length === 0) return only;
  const catalogs = found.map((one) => `${one.catalog.namespace}/${one.catalog.name}`).join(', ');
  const text = `package "${name}" is in several catalogs (${catalogs}): choose one with --catalog`;
  throw new TerminalError('CatalogAmbiguous', text);
}

/** The name of the bundle with a version in a channel.
 *  @throws TerminalError VersionNotFound, ChannelNotFound */
export function startingCsv(
  { name, channels, defaultChannel }: AvailablePackage,
  request: { readonly channel: string | undefined; readonly version: string | undefined },
): string | undefined {
  const channelName = request.channel ?? defaultChannel;
  const channel = channels.find((one) => one.name === channelName);
  if (channel === undefined) {
    const there = channels.map((one) => one.name).join(', ');
    throw new TerminalError('ChannelNotFound', `package "${name}" has no channel "${channelName}", but ${there}`);
  }
  if (request.version === undefined) return undefined;
  const version = request.version.replace(/^v/, '');
  const entry = channel.entries.find((one) => one.version === version || one.name === request.version);
  if (entry !== undefined) return entry.name;
  const there = channel.entries.map((one) => one.version).join(', ');
  const text = `channel "${channelName}" of package "${name}" has no version ${version}, but ${there}`;
  throw new TerminalError('VersionNotFound', text);
}
