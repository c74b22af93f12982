import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonObject, parseYaml, TerminalError } from '../src/base/index.ts';

/** The folder of our CustomResourceDefinitions: beside `cli/` in a checkout and in `dist/`. */
function crdFolder(): string {
  const folder = fileURLToPath(new URL('../crds', import.meta.url));
  if (existsSync(folder)) return folder;
  throw new TerminalError(
    'CrdsMissing',
    `${folder}: the CustomResourceDefinitions are not there; install longshore again`,
  );
}

/** The CustomResourceDefinitions of Bundle and BundleDeployment. */
export async function readCrds(): Promise<JsonObject[]> {
  const folder = crdFolder();
  const files = globSync('*.yaml', { cwd: folder }).sort();
  return await Promise.all(
    files.map(async (file) => parseYaml(file, await readFile(join(folder, file), 'utf8')) as JsonObject),
  );
}
