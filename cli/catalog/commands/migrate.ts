import { makeFolder } from '../../../src/base/index.ts';
import { readMigrateLevel, writeCatalogFolder } from '../../../src/catalog/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { withCatalogs } from '../open.ts';
import { assertEmptyFolder } from '../output-folder.ts';
import { catalogKinds, renderReferences } from '../render.ts';

/** `longshore catalog migrate REF OUTDIR` */
export async function catalogMigrate(
  values: OptionValues,
  [name = '', folder = '']: readonly string[],
): Promise<number> {
  const migrate = readMigrateLevel(values['migrate-level'] as string);
  await assertEmptyFolder(folder);
  return await withCatalogs(values, async (open) => {
    const warn = (text: string): void => void process.stderr.write(`warning: ${text}\n`);
    const metas = renderReferences([name], { ...open, allowed: catalogKinds, migrate, warn });
    makeFolder(folder);
    await writeCatalogFolder(metas, folder, { format: values['output'] === 'json' ? 'json' : 'yaml' });
    return 0;
  });
}
