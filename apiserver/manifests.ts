import { glob, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonValue, parseYamlDocuments, TerminalError } from '../src/base/index.ts';
import type { KubeObject } from './core/index.ts';

/** An object, or the path of a YAML or JSON file or of a folder of them (looked through in full depth). */
export type Manifest = KubeObject | string;

async function filesAt(path: string): Promise<string[]> {
  const found = await stat(path).catch((thrown: unknown) => {
    throw new TerminalError('ManifestNotFound', `${path}: no such file or folder`, { cause: thrown });
  });
  if (!found.isDirectory()) return [path];
  const names: string[] = [];
  for await (const name of glob('**/*.{yaml,yml,json}', { cwd: path })) names.push(name);
  return names.toSorted().map((name) => join(path, name));
}

function itemsOf(document: JsonValue): JsonValue[] {
  if (!isJsonObject(document)) return [];
  const isList = typeof document['kind'] === 'string' && document['kind'].endsWith('List');
  return isList && Array.isArray(document['items']) ? document['items'] : [document];
}

function isKind(value: JsonValue, kinds: readonly string[]): boolean {
  return isJsonObject(value) && typeof value['kind'] === 'string' && kinds.includes(value['kind']);
}

async function readManifest(manifest: Manifest, kinds: readonly string[]): Promise<KubeObject[]> {
  if (typeof manifest !== 'string') return [manifest];
  const files = await filesAt(manifest);
  const documents = await Promise.all(
    files.map(async (file) => parseYamlDocuments(file, await readFile(file, 'utf8'))),
  );
  const objects = documents.flat().flatMap(itemsOf);
  return objects.filter((object) => isKind(object, kinds)).map((object) => object as unknown as KubeObject);
}

/** The objects of these kinds, in order; what else the files hold is passed over.
 *  @throws TerminalError ManifestNotFound, and as `parseYamlDocuments` */
export async function readManifests(manifests: readonly Manifest[], kinds: readonly string[]): Promise<KubeObject[]> {
  return (await Promise.all(manifests.map((manifest) => readManifest(manifest, kinds)))).flat();
}
