import {
  type CatalogPackage,
  findInstalled,
  firstInstalled,
  offerOf,
  type Policy,
  pathBetween,
} from '../../../src/resolver/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { knownBundle, knownChannel, readNamedPackage } from '../named-package.ts';
import { type AskedPath, formatPath, pathDocument } from '../path-text.ts';

function findPath(found: CatalogPackage, values: OptionValues): AskedPath {
  const policy = values['policy'] as Policy;
  const channel = values['channel'] as string | undefined;
  const from = values['from'] as string | undefined;
  const offer = offerOf(policy, found, knownChannel(found, channel));
  const start = from === undefined ? firstInstalled(offer) : findInstalled(found, from);
  const path = pathBetween(offer, start, knownBundle(found, values['to'] as string | undefined));
  return { package: found, policy, channel, isInstalled: from !== undefined, path };
}

/** `longshore catalog path PACKAGE --catalog REF`: 1 when updates do not lead to `--to`. */
export async function catalogPath(values: OptionValues, [name = '']: readonly string[]): Promise<number> {
  const asked = findPath(await readNamedPackage('catalog path', values, name), values);
  const text = values['output'] === 'json' ? `${JSON.stringify(pathDocument(asked))}\n` : formatPath(asked);
  process.stdout.write(text);
  return asked.path.isReached ? 0 : 1;
}
