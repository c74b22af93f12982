import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { objectsAt, textAt } from '../../src/base/index.ts';
import { readCatalogFolder } from '../../src/catalog/index.ts';

/** Where the files in `examples/` expect the registry of the examples. */
const documentedRegistry = '127.0.0.1:15000';

const exampleFolder = fileURLToPath(new URL('../../examples', import.meta.url));

/** One version of an example bundle: its files by path. */
export interface ExampleVersion {
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
}

async function readFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.yaml')).sort();
  const entries = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** All versions of `examples/<name>`, oldest first. */
export async function readExample(name: 'combo' | 'harbour' | 'tide-gauge'): Promise<readonly ExampleVersion[]> {
  const folder = join(exampleFolder, name);
  const versions = (await readdir(folder)).sort();
  return await Promise.all(
    versions.map(async (version) => ({ version, files: await readFiles(join(folder, version)) })),
  );
}

/** The example catalog as JSON documents, limited to some versions of its operators; images are those of the registry `host`. */
export async function readExampleCatalog(versions: readonly string[], host: string): Promise<string> {
  const isIncluded = (name: string): boolean => versions.some((version) => name.endsWith(`.v${version}`));
  const documents: string[] = [];
  for await (const { schema, name, value } of readCatalogFolder(join(exampleFolder, 'catalog', 'configs'))) {
    const entries = objectsAt(value, 'entries').filter((entry) => isIncluded(textAt(entry, 'name')));
    const isLeftOut = schema === 'olm.bundle' ? !isIncluded(name) : schema === 'olm.channel' && entries.length === 0;
    const document = schema === 'olm.channel' ? { ...value, entries } : value;
    if (!isLeftOut) documents.push(JSON.stringify(document).replaceAll(`${documentedRegistry}/`, `${host}/`));
  }
  return documents.join('\n');
}
