import { nearest, TerminalError } from '../../src/base/index.ts';
import type { AvailableChannel, AvailablePackage } from '../client/index.ts';

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
