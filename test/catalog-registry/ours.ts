import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/index.ts';
import {
  buildCatalogIndex,
  openCatalogIndex,
  readCatalogFolder,
  startRegistryServer,
} from '../../src/catalog/index.ts';

/** Our registry of a folder. */
export async function startOurs(catalogDir: string): Promise<{ readonly port: number } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'index');
  await buildCatalogIndex(readCatalogFolder(catalogDir), file);
  const index = stack.use(openCatalogIndex(file));
  const server = { log: silentLogger(), host: '127.0.0.1', port: 0, catalog: () => index };
  const { port } = stack.use(await startRegistryServer(server));
  const done = stack.move();
  return { port, [Symbol.asyncDispose]: () => done.disposeAsync() };
}
