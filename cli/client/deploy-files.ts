import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonObject, parseYamlDocuments, TerminalError } from '../../src/base/index.ts';

/** The objects of a file of `deploy/`: `olm/objects.yaml`.
 *  @throws TerminalError ManifestsMissing */
export async function readDeployFile(path: string): Promise<JsonObject[]> {
  // Beside cli/ in a checkout and in dist/.
  const folder = fileURLToPath(new URL('../../deploy', import.meta.url));
  if (!existsSync(folder)) {
    throw new TerminalError('ManifestsMissing', `${folder}: the manifests are not there; install longshore again`);
  }
  return parseYamlDocuments(path, await readFile(join(folder, path), 'utf8')) as JsonObject[];
}
