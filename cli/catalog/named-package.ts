import { goQuote, TerminalError } from '../../src/base/index.ts';
import { PackageBuilder } from '../../src/catalog/index.ts';
import { type CatalogBundle, type CatalogPackage, findBundle } from '../../src/resolver/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import { openCatalog, withCatalogs } from './open.ts';
import type { catalogOption } from './options.ts';

type Values = OptionValues<typeof catalogOption & typeof registryOptions>;

/** A package of the catalog that `--catalog` names; `command` is who asks.
 *  @throws TerminalError InvalidOption, UnknownPackage, and whatever keeps the catalog from being read */
export async function readNamedPackage(command: string, values: Values, name: string): Promise<CatalogPackage> {
  const place = values.catalog;
  if (place === undefined) throw new TerminalError('InvalidOption', `${command}: name a catalog with --catalog REF`);
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

/** The channel that is requested, as a list; empty when none is.
 *  @throws TerminalError UnknownChannel, naming those that there are */
export function knownChannel({ name, channels }: CatalogPackage, requested: string | undefined): readonly string[] {
  if (requested === undefined) return [];
  if (channels.some((channel) => channel.name === requested)) return [requested];
  const names = channels.map((channel) => channel.name).join(', ');
  throw new TerminalError('UnknownChannel', `package ${name}: no channel ${goQuote(requested)}: it has ${names}`);
}

/** The bundle that a person names, by name or version; undefined when none is named.
 *  @throws TerminalError UnknownBundle */
export function knownBundle(found: CatalogPackage, text: string | undefined): CatalogBundle | undefined {
  if (text === undefined) return undefined;
  const bundle = findBundle(found, text);
  if (bundle !== undefined) return bundle;
  throw new TerminalError('UnknownBundle', `package ${found.name}: no bundle ${goQuote(text)}, by name or version`);
}
