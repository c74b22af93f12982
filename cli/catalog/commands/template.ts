import { printable, TerminalError } from '../../../src/base/index.ts';
import { drawMermaid, type Meta, PackageBuilder, readComposite, templateTypes } from '../../../src/catalog/index.ts';
import type { CatalogPackage } from '../../../src/resolver/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import type { compositeOptions, imageTemplateOption, migrateOptions, templateOutputOption } from '../author-options.ts';
import { imageOfOption, migrateLevelOf } from '../author-values.ts';
import { buildComposite } from '../build-composite.ts';
import { buildTemplate } from '../build-template.ts';
import { withCatalogs } from '../open.ts';
import { printCatalog } from '../print.ts';
import type { RenderOptions } from '../render.ts';
import { readTextFile } from '../text-file.ts';
import { assertValid } from '../validated.ts';

type Values = OptionValues<
  typeof templateOutputOption &
    typeof migrateOptions &
    typeof imageTemplateOption &
    typeof compositeOptions &
    typeof registryOptions
>;

type Options = Omit<RenderOptions, 'allowed'>;

async function composite(file: string, values: Values, options: Options): Promise<number> {
  const { catalogs, output } = values;
  if (output === 'mermaid') {
    throw new TerminalError('InvalidOption', 'catalog template composite: --output: expected json or yaml');
  }
  if (typeof catalogs !== 'string') {
    throw new TerminalError('InvalidOption', 'catalog template composite: --catalogs FILE is missing');
  }
  const components = readComposite(await readTextFile(file), await readTextFile(catalogs));
  const format = output === 'yaml' ? 'yaml' : 'json';
  const paths = await buildComposite(components, { ...options, format, mayRun: values['run-commands'] === true });
  options.progress.clear();
  process.stdout.write(paths.map((path) => `${path}\n`).join(''));
  return 0;
}

function packagesOf(metas: readonly Meta[]): readonly CatalogPackage[] {
  const builder = new PackageBuilder();
  for (const meta of metas) builder.add(meta);
  return [...builder.build().values()];
}

type Words = readonly [string, string?];

/** The words before the options: a type and a file, or a file whose schema determines its type. */
function readWords([first, second]: Words): { readonly type: string | undefined; readonly file: string } {
  if (second !== undefined) return { type: first, file: second };
  if (first !== 'composite' && !templateTypes.includes(first)) return { type: undefined, file: first };
  throw new TerminalError('InvalidOption', `catalog template ${first}: FILE is missing`);
}

/** `longshore catalog template [TYPE] FILE` */
export async function catalogTemplate(values: Values, words: Words): Promise<number> {
  const { type, file } = readWords(words);
  const [migrate, imageOf] = [migrateLevelOf(values), imageOfOption(values)];
  return await withCatalogs(values, async (open) => {
    const warn = (text: string): void => {
      open.progress.clear();
      process.stderr.write(`warning: ${printable(text)}\n`);
    };
    const options = { ...open, migrate, imageOf, warn };
    if (type === 'composite') return await composite(file, values, options);
    const name = file === '-' ? 'standard input' : file;
    const metas = await buildTemplate({ name, text: await readTextFile(file), type }, options);
    open.progress.clear();
    // A graph that is wrong is best seen.
    if (values.output === 'mermaid') process.stdout.write(drawMermaid(packagesOf(metas), { hasV0Semantics: true }));
    else {
      assertValid(metas, name);
      await printCatalog(metas, values.output);
    }
    return 0;
  });
}
