import { printable, TerminalError } from '../../../src/base/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import type { documentOutputOption, imageTemplateOption, migrateOptions } from '../author-options.ts';
import { imageOfOption, migrateLevelOf } from '../author-values.ts';
import { withCatalogs } from '../open.ts';
import { printCatalog } from '../print.ts';
import { allKinds, renderReferences } from '../render.ts';
import { validated } from '../validated.ts';

type Values = OptionValues<
  typeof documentOutputOption & typeof migrateOptions & typeof imageTemplateOption & typeof registryOptions
>;

/** `longshore catalog render REF...` */
export async function catalogRender(values: Values, names: readonly string[]): Promise<number> {
  if (names.filter((name) => name === '-').length > 1) {
    throw new TerminalError('InvalidOption', 'catalog render: standard input (-) can be read once');
  }
  const [migrate, imageOf] = [migrateLevelOf(values), imageOfOption(values)];
  return await withCatalogs(values, async (open) => {
    const warn = (text: string): void => {
      open.progress.clear();
      process.stderr.write(`warning: ${printable(text)}\n`);
    };
    const metas = renderReferences(names, { ...open, allowed: allKinds, migrate, imageOf, warn });
    await printCatalog(validated(metas, warn), values.output);
    return 0;
  });
}
