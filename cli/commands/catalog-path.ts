import { goQuote, TerminalError } from '../../src/base/index.ts';
import { PackageBuilder } from '../../src/catalog/index.ts';
import {
  type CatalogBundle,
  type CatalogPackage,
  findBundle,
  findInstalled,
  firstInstalled,
  offerOf,
  type Policy,
  pathBetween,
} from '../../src/resolver/index.ts';
import { openCatalog, withCatalogs } from '../catalog/open.ts';
import { type AskedPath, formatPath, pathDocument } from '../catalog/path-text.ts';
import type { OptionValues } from '../options.ts';

async function readPackage(values: OptionValues, name: string): Promise<CatalogPackage> {
  const place = values['catalog'] as string | undefined;
  if (place === undefined) throw new TerminalError('InvalidOption', 'catalog path: name a catalog with --catalog REF');
  return await withCatalogs(values, async (options) => {
    const builder = new PackageBuilder();
    for await (const meta of openCatalog(place, options)) {
      if (meta.package === name || (meta.schema === 'olm.package' && meta.name === name)) builder.add(meta);
    }
    options.progress.clear();
    const found = builder.build().get(name);
    if (found !== undefined) return found;
    throw new TerminalError(
      'UnknownPackage',
      `catalog ${place}: no package ${goQuote(name)}: see longshore catalog list packages`,
    );
  });
}

function knownChannel({ name, channels }: CatalogPackage, wanted: string | undefined): readonly string[] {
  if (wanted === undefined) return [];
  if (channels.some((channel) => channel.name === wanted)) return [wanted];
  const names = channels.map((channel) => channel.name).join(', ');
  throw new TerminalError('UnknownChannel', `package ${name}: no channel ${goQuote(wanted)}: it has ${names}`);
}

function target(found: CatalogPackage, text: string | undefined): CatalogBundle | undefined {
  if (text === undefined) return undefined;
  const bundle = findBundle(found, text);
  if (bundle !== undefined) return bundle;
  throw new TerminalError('UnknownBundle', `package ${found.name}: no bundle ${goQuote(text)}, by name or version`);
}

function findPath(found: CatalogPackage, values: OptionValues): AskedPath {
  const policy = values['policy'] as Policy;
  const channel = values['channel'] as string | undefined;
  const from = values['from'] as string | undefined;
  const offer = offerOf(policy, found, knownChannel(found, channel));
  const start = from === undefined ? firstInstalled(offer) : findInstalled(found, from);
  const path = pathBetween(offer, start, target(found, values['to'] as string | undefined));
  return { package: found, policy, channel, isInstalled: from !== undefined, path };
}

/** `longshore catalog path PACKAGE --catalog REF`: 1 when updates do not lead to `--to`. */
export async function catalogPath(values: OptionValues, [name = '']: readonly string[]): Promise<number> {
  const asked = findPath(await readPackage(values, name), values);
  const text = values['output'] === 'json' ? `${JSON.stringify(pathDocument(asked))}\n` : formatPath(asked);
  process.stdout.write(text);
  return asked.path.isReached ? 0 : 1;
}
