import { formatYaml, type JsonObject, printable } from '../../../src/base/index.ts';
import { convertTemplate, templateEntry } from '../../../src/catalog/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import type { documentOutputOption } from '../author-options.ts';
import { withCatalogs } from '../open.ts';
import { catalogKinds, renderReferences } from '../render.ts';

type Values = OptionValues<typeof documentOutputOption & typeof registryOptions>;

/** `longshore catalog convert-template basic|substitutes REF` */
export async function catalogConvertTemplate(values: Values, [type, name]: readonly [string, string]): Promise<number> {
  convertTemplate(type, []);
  return await withCatalogs(values, async (open) => {
    const warn = (text: string): void => void process.stderr.write(`warning: ${printable(text)}\n`);
    const entries: JsonObject[] = [];
    for await (const meta of renderReferences([name], { ...open, allowed: catalogKinds, migrate: 'none', warn })) {
      entries.push(templateEntry(meta.value));
    }
    const template = convertTemplate(type, entries);
    open.progress.clear();
    process.stdout.write(values.output === 'yaml' ? formatYaml(template) : `${JSON.stringify(template, null, 4)}\n`);
    return 0;
  });
}
