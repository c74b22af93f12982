import { stat } from 'node:fs/promises';
import { formatYaml, goQuote, TerminalError } from '../../../src/base/index.ts';
import {
  type CatalogReport,
  catalogWarnings,
  createCatalogCheck,
  UnreadableCatalog,
} from '../../../src/catalog/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import { openCatalog, withCatalogs } from '../open.ts';
import type { OpenOptions } from '../reading.ts';
import { isPassed, reportDocument } from '../validate/document.ts';
import type { validateOptions } from '../validate/options.ts';
import { reportText } from '../validate/text.ts';

type Values = OptionValues<typeof validateOptions & typeof registryOptions>;

async function kindOf(name: string): Promise<'folder' | 'file' | 'other'> {
  return await stat(name).then(
    (found) => (found.isDirectory() ? 'folder' : 'file'),
    () => 'other',
  );
}

const documentFile = /\.(ya?ml|jsonl?)$/i;
const strayAdvice =
  'every file is read: one that is no part of the catalog is named in .indexignore, as in a .gitignore';

async function validate(name: string, options: OpenOptions): Promise<CatalogReport> {
  const check = createCatalogCheck(catalogWarnings);
  const isFolder = (await kindOf(name)) === 'folder';
  try {
    for await (const meta of openCatalog(name, options)) check.add(meta);
  } catch (thrown) {
    if (!(thrown instanceof UnreadableCatalog)) throw thrown;
    for (const { file, line, message } of thrown.faults) {
      const place = { file, ...(line === undefined ? {} : { line }) };
      const advice = isFolder && !documentFile.test(file) ? { advice: strayAdvice } : {};
      check.addFault({ message, place, ...advice });
    }
  }
  return check.finish();
}

/** `longshore catalog validate DIR|FILE|REF|URL|-`: 1 when the catalog is not valid, or cannot be read. */
export async function catalogValidate(values: Values, [name]: readonly [string]): Promise<number> {
  const output = values.output;
  if (!['text', 'json', 'yaml'].includes(output)) {
    throw new TerminalError('InvalidOption', `invalid --output value ${goQuote(output)}, expected (json|yaml)`);
  }
  const [isStrict, isVerbose] = [values.strict === true, values.verbose === true];
  return await withCatalogs(values, async (options) => {
    const report = await validate(name, options);
    options.progress.clear();
    const document = (): object => reportDocument(report, isStrict);
    if (output === 'json') process.stdout.write(`${JSON.stringify(document(), undefined, 2)}\n`);
    else if (output === 'yaml') process.stdout.write(formatYaml(document()));
    else
      process.stdout.write(
        reportText(report, { name: name === '-' ? 'standard input' : name, kind: await kindOf(name), isVerbose }),
      );
    return Number(!isPassed(report, isStrict));
  });
}
