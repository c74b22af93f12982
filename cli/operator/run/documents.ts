import { type JsonObject, objectsAt, textAt } from '../../../src/base/index.ts';

/** The channel of catalogs that `operator run` makes. */
export const runChannel = 'run';

/** The documents of a catalog with one package, whose only channel ends with `bundle`. Bundles of `earlier`, a catalog that this made before, stay, each
 *  replaced by the next one; one with the name of `bundle` is left out. */
export function runCatalog(bundle: JsonObject, earlier: readonly JsonObject[]): readonly JsonObject[] {
  const name = textAt(bundle, 'name');
  const packageName = textAt(bundle, 'package');
  const isRetained = (one: string): boolean => one !== name;
  const channel = earlier.find(({ schema }) => schema === 'olm.channel');
  const names = objectsAt(channel, 'entries')
    .map((entry) => textAt(entry, 'name'))
    .filter(isRetained);
  const bundles = earlier.filter((one) => one['schema'] === 'olm.bundle' && isRetained(textAt(one, 'name')));
  const entries = [...names, name].map((entry, index, all) => {
    const before = all[index - 1];
    return { name: entry, ...(before === undefined ? {} : { replaces: before }) };
  });
  return [
    { schema: 'olm.package', name: packageName, defaultChannel: runChannel },
    { schema: 'olm.channel', name: runChannel, package: packageName, entries },
    ...bundles,
    bundle,
  ];
}
