import {
  type CatalogPackage,
  findInstalled,
  firstInstalled,
  offerOf,
  pathBetween,
} from '../../../src/resolver/index.ts';
import type { OptionValues, outputOption, registryOptions } from '../../command/index.ts';
import { knownBundle, knownChannel, readNamedPackage } from '../named-package.ts';
import type { catalogOption, pathOptions } from '../options.ts';
import { type AskedPath, formatPath, pathDocument } from '../path-text.ts';

type Values = OptionValues<typeof catalogOption & typeof pathOptions & typeof outputOption & typeof registryOptions>;

function findPath(found: CatalogPackage, values: Values): AskedPath {
  const policy = values.policy;
  const channel = values.channel;
  const from = values.from;
  const offer = offerOf(policy, found, knownChannel(found, channel));
  const start = from === undefined ? firstInstalled(offer) : findInstalled(found, from);
  const path = pathBetween(offer, start, knownBundle(found, values.to));
  return { package: found, policy, channel, isInstalled: from !== undefined, path };
}

/** `longshore catalog path PACKAGE --catalog REF`: 1 when updates do not lead to `--to`. */
export async function catalogPath(values: Values, [name]: readonly [string]): Promise<number> {
  const asked = findPath(await readNamedPackage('catalog path', values, name), values);
  const text = values.output === 'json' ? `${JSON.stringify(pathDocument(asked))}\n` : formatPath(asked);
  process.stdout.write(text);
  return asked.path.isReached ? 0 : 1;
}
