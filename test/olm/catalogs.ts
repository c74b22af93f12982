import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, objectsAt, silentLogger, textAt } from '../../src/base/index.ts';
import { buildCatalogIndex, type Meta, openCatalogIndex, startRegistryServer } from '../../src/catalog/index.ts';

/** Catalogs that are served over gRPC. */
export interface ServedCatalogs extends AsyncDisposable {
  /** `127.0.0.1:PORT`, by the name of the catalog. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** Objects of a bundle are inlined as base64. */
function encoded(property: JsonObject): JsonObject {
  const value = property['value'];
  if (property['type'] !== 'olm.bundle.object' || !isJsonObject(value)) return property;
  return { ...property, value: { data: Buffer.from(JSON.stringify(value['data'])).toString('base64') } };
}

function metaOf(document: JsonObject, index: number): Meta {
  const isBundle = document['schema'] === 'olm.bundle';
  const value = isBundle ? { ...document, properties: objectsAt(document, 'properties').map(encoded) } : document;
  const [schema, packageName, name] = [textAt(value, 'schema'), textAt(value, 'package'), textAt(value, 'name')];
  return { schema, package: packageName, name, value, place: { file: 'catalog.json', line: index + 1 } };
}

/** Serves each catalog on a port of its own, as `longshore catalog serve` does. `data` of `olm.bundle.object` is given as the object itself. */
export async function serveCatalogs(
  catalogs: Readonly<Record<string, readonly JsonObject[]>>,
): Promise<ServedCatalogs> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-olm-catalogs-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const addresses = new Map<string, string>();
  for (const [name, documents] of Object.entries(catalogs)) {
    const file = join(folder, name);
    await buildCatalogIndex(documents.map(metaOf), file);
    const index = stack.use(openCatalogIndex(file));
    const options = { log: silentLogger(), host: '127.0.0.1', port: 0, catalog: () => index };
    const server = stack.use(await startRegistryServer(options));
    addresses.set(name, `127.0.0.1:${server.port}`);
  }
  const owned = stack.move();
  return { addresses, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
