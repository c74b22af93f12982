import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../crds/olm');

/** Paths of Longshore's own CustomResourceDefinitions of OLM's kinds. */
export async function readOlmCrds(): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .map((name) => join(folder, name));
}
