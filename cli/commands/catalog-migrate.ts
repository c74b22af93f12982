import { mkdir, readdir } from 'node:fs/promises';
import { TerminalError } from '../../src/base/index.ts';
import { readMigrateLevel, writeCatalogFolder } from '../../src/catalog/index.ts';
import { withCatalogs } from '../catalog/open.ts';
import { catalogKinds, renderReferences } from '../catalog/render.ts';
import type { OptionValues } from '../options.ts';

/** @throws TerminalError OutputNotEmpty */
async function assertEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return [];
    throw thrown;
  });
  if (names.length > 0) throw new TerminalError('OutputNotEmpty', `output dir "${folder}" must be empty`);
}

/** `longshore catalog migrate REF OUTDIR` */
export async function catalogMigrate(
  values: OptionValues,
  [name = '', folder = '']: readonly string[],
): Promise<number> {
  const migrate = readMigrateLevel(values['migrate-level'] as string);
  await assertEmpty(folder);
  return await withCatalogs(values, async (open) => {
    const warn = (text: string): void => void process.stderr.write(`warning: ${text}\n`);
    const metas = renderReferences([name], { ...open, allowed: catalogKinds, migrate, warn });
    await mkdir(folder, { recursive: true });
    await writeCatalogFolder(metas, folder, { format: values['output'] === 'json' ? 'json' : 'yaml' });
    return 0;
  });
}
