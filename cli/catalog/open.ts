import { existsSync } from 'node:fs';
import { redactUrl, TerminalError } from '../../src/base/index.ts';
import { type Meta, readRegistry } from '../../src/catalog/index.ts';
import { keepHeapTight, type OptionValues, type registryOptions } from '../command/index.ts';
import { openWorkFolder, readBundleName } from '../input/index.ts';
import { createProgress } from '../output/index.ts';
import { readCatalogPath } from './catalog-path.ts';
import type { OpenOptions } from './reading.ts';

type Values = OptionValues<typeof registryOptions>;

const deadlineMs = 60 * 60_000;
const registryPort = 50_051;

/** @throws TerminalError InvalidOption */
function registryAddress(name: string): string {
  const url = URL.canParse(name) ? new URL(name) : undefined;
  const isAddress =
    url !== undefined && url.hostname !== '' && `${url.username}${url.password}` === '' && /^\/?$/.test(url.pathname);
  if (!isAddress) throw new TerminalError('InvalidOption', `${redactUrl(name)}: expected grpc://HOST[:PORT]`);
  return `${url.hostname}:${url.port === '' ? registryPort : url.port}`;
}

/** The documents of a catalog that a person names, as a stream: a folder, a file or tar, an OCI image layout, `-` for standard input, the address of a
 *  catalog that is served over HTTP or, `grpc://HOST[:PORT]`, by a registry, or the reference of an image.
 *  @throws UnreadableCatalog after the last document · TerminalError and TransientError, naming what could not be had */
export async function* openCatalog(name: string, options: OpenOptions): AsyncGenerator<Meta> {
  if (/^https?:\/\//i.test(name) && !existsSync(name)) {
    const { readCatalogService } = await import('./service.ts');
    yield* readCatalogService(name, options);
    return;
  }
  if (/^grpc:\/\//i.test(name)) {
    const address = registryAddress(name);
    options.progress.show(`reading grpc://${address}`);
    yield* readRegistry(address, { signal: options.signal });
    return;
  }
  const place = readBundleName(name);
  if (place.kind === 'path') {
    yield* readCatalogPath(place.path, options);
    return;
  }
  const { readCatalogImage, readStandardInput } = await import('./staged-catalog.ts');
  yield* place.kind === 'standard input' ? readStandardInput(options) : readCatalogImage(place, options);
}

/** Runs a command that reads catalogs: gives it what opening them takes, and takes that away in the end. */
export async function withCatalogs<T>(values: Values, task: (options: OpenOptions) => Promise<T>): Promise<T> {
  keepHeapTight();
  await using work = await openWorkFolder();
  using progress = createProgress(process.stderr, { isQuiet: !process.stderr.isTTY });
  return await task({ values, work, progress, signal: AbortSignal.timeout(deadlineMs) });
}
