import { makeFolder, printable } from '../../../src/base/index.ts';
import { readMigrateLevel, writeCatalogFolder } from '../../../src/catalog/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import type { documentOutputOption, migrateOptions } from '../author-options.ts';
import { withCatalogs } from '../open.ts';
import { assertEmptyFolder } from '../output-folder.ts';
import { catalogKinds, renderReferences } from '../render.ts';

type Values = OptionValues<
  Pick<typeof migrateOptions, 'migrate-level'> & typeof documentOutputOption & typeof registryOptions
>;

/** `longshore catalog migrate REF OUTDIR` */
export async function catalogMigrate(values: Values, [name, folder]: readonly [string, string]): Promise<number> {
  const migrate = readMigrateLevel(values['migrate-level']);
  await assertEmptyFolder(folder);
  return await withCatalogs(values, async (open) => {
    const warn = (text: string): void => void process.stderr.write(`warning: ${printable(text)}\n`);
    const metas = renderReferences([name], { ...open, allowed: catalogKinds, migrate, warn });
    makeFolder(folder);
    await writeCatalogFolder(metas, folder, { format: values.output === 'json' ? 'json' : 'yaml' });
    return 0;
  });
}
