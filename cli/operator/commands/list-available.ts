import { nearest } from '../../../src/base/index.ts';
import { type AvailablePackage, listPackages, openKube } from '../../client/index.ts';
import { type documentOption, type kubeconfigOption, type OptionValues, printDocument } from '../../command/index.ts';
import { formatTable } from '../../output/index.ts';
import { catalogProblems } from '../catalog-problems.ts';
import type { availableOptions } from '../options.ts';
import { isFrom } from '../packages.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof documentOption & typeof availableOptions>;

function rowsOf({ name, catalog, channels, defaultChannel, description }: AvailablePackage): readonly string[][] {
  return channels.map((channel) => [
    name,
    `${catalog.namespace}/${catalog.name}`,
    channel.name === defaultChannel ? `${channel.name} (default)` : channel.name,
    channel.head,
    description,
  ]);
}

/** `longshore operator list-available` */
export async function listAvailable(values: Values, [name]: readonly [string?]): Promise<number> {
  using kube = await openKube(values);
  const all = await listPackages(kube, values.namespace);
  const found = all
    .filter((one) => isFrom(one, values.catalog) && (name === undefined || one.name === name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  printDocument(values, found, () =>
    found.length === 0
      ? ''
      : formatTable(['NAME', 'CATALOG', 'CHANNEL', 'LATEST', 'DESCRIPTION'], found.flatMap(rowsOf)),
  );
  if (found.length > 0) return 0;
  const meant = name === undefined ? undefined : nearest(name, [...new Set(all.map((one) => one.name))]);
  const what = name === undefined ? 'there are no packages' : `there is no package "${name}"`;
  const advice = meant === undefined ? 'see longshore operator catalog list' : `did you mean "${meant}"?`;
  const problems = await catalogProblems(kube);
  process.stderr.write([`${what}: ${advice}`, ...problems].map((line) => `${line}\n`).join(''));
  return name === undefined ? 0 : 1;
}
