import { TerminalError } from '../../../src/base/index.ts';
import { areSameCatalogs, ComparedCatalog, compareCatalogs, UnreadableCatalog } from '../../../src/catalog/index.ts';
import type { OptionValues, outputOption, registryOptions } from '../../command/index.ts';
import { differenceText } from '../difference-text.ts';
import { openCatalog, withCatalogs } from '../open.ts';
import type { diffCatalogOptions } from '../options.ts';
import type { OpenOptions } from '../reading.ts';

type Values = OptionValues<typeof diffCatalogOptions & typeof outputOption & typeof registryOptions>;

async function readCompared(name: string, options: OpenOptions): Promise<ComparedCatalog> {
  const compared = new ComparedCatalog();
  try {
    for await (const meta of openCatalog(name, options)) compared.add(meta);
  } catch (thrown) {
    if (!(thrown instanceof UnreadableCatalog)) throw thrown;
    // Places are relative to the catalog.
    throw new TerminalError(thrown.reason, `${name}: ${thrown.message}`, { cause: thrown });
  }
  return compared;
}

/** `longshore catalog diff OLD NEW`: with `--exit-code` 1 when they differ. */
export async function catalogDiff(values: Values, [old, fresh]: readonly [string, string]): Promise<number> {
  if (old === '-' && fresh === '-') {
    throw new TerminalError('InvalidOption', 'catalog diff: standard input (-) can be read once');
  }
  return await withCatalogs(values, async (options) => {
    const difference = compareCatalogs(await readCompared(old, options), await readCompared(fresh, options));
    options.progress.clear();
    const isJson = values.output === 'json';
    process.stdout.write(isJson ? `${JSON.stringify(difference)}\n` : differenceText(difference));
    return values['exit-code'] === true && !areSameCatalogs(difference) ? 1 : 0;
  });
}
