import { writeFile } from 'node:fs/promises';
import { errorMessage, type Logger, printable, TerminalError } from '../../../src/base/index.ts';
import {
  type CatalogIndex,
  openCatalogIndex,
  openRegistryThreads,
  type RegistryThreads,
  startCatalogServer,
  startRegistryServer,
} from '../../../src/catalog/index.ts';
import { type OptionValues, type processLogOption, type registryOptions } from '../../command/index.ts';
import { createTerminal } from '../../output/index.ts';
import { listenOn, openProcessLog, untilStopped } from '../../process/index.ts';
import { openCatalog, withCatalogs } from '../open.ts';
import type { OpenOptions } from '../reading.ts';
import { provideIndex } from './cache.ts';
import type { serveOptions } from './options.ts';
import { readCachePlan } from './options.ts';

type Values = OptionValues<typeof serveOptions & typeof processLogOption & typeof registryOptions>;

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** What is served, and the threads that serve it beside the main one. */
interface OpenedCatalog extends AsyncDisposable {
  readonly index: CatalogIndex;
  readonly threads: RegistryThreads | undefined;
}

/** @throws TerminalError InvalidOption */
function threadsOf({ threads }: Values): number {
  // The kernel distributes connections to one port over threads; others than Linux do not.
  if (threads === 1 || process.platform === 'linux') return threads;
  throw new TerminalError('InvalidOption', `--threads ${threads}: expected 1, more than one thread needs Linux`);
}

async function opened(file: string, values: Values, log: Logger): Promise<OpenedCatalog> {
  const index = openCatalogIndex(file);
  const others = threadsOf(values) - 1;
  const threads = others === 0 ? undefined : await openRegistryThreads(file, others, log);
  const close = async (): Promise<void> => {
    await threads?.[Symbol.asyncDispose]();
    index[Symbol.dispose]();
  };
  return { index, threads, [Symbol.asyncDispose]: close };
}

async function open(names: readonly string[], values: Values, log: Logger): Promise<OpenedCatalog | undefined> {
  const plan = readCachePlan(values);
  return await withCatalogs(values, async (options: OpenOptions) => {
    const { progress, signal, work } = options;
    const source = {
      names,
      read: (name: string) => openCatalog(name, options),
      onMeta: (count: number) => progress.show(`indexing ${count} documents`),
      warn: (text: string) => {
        progress.clear();
        process.stderr.write(`longshore: ${printable(text)}\n`);
      },
      signal,
    };
    const file = await provideIndex(source, plan, work.path);
    progress.clear();
    // A temporary file is read until the end, though its name is removed by then.
    return plan.isOnly ? undefined : await opened(file, values, log);
  });
}

async function serve({ index, threads }: OpenedCatalog, values: Values, log: Logger): Promise<void> {
  const { 'grpc-port': grpcPort, 'http-port': httpPort } = values;
  const stopped = untilStopped();
  const terminal = createTerminal(process.stdout);
  const address = values['bind-address'];
  const listen = { log, ...(address === undefined ? {} : { host: address }) };
  await using servers = new AsyncDisposableStack();
  const startRegistry = (port: number): ReturnType<typeof startRegistryServer> =>
    startRegistryServer({ ...listen, port, catalog: () => index, ...(threads === undefined ? {} : { threads }) });
  const registry = servers.use(await listenOn('grpc-port', grpcPort, startRegistry));
  terminal.line(`serving ${index.packageNames().length} packages over gRPC on port ${registry.port}`);
  if (httpPort !== undefined) {
    const name = values['http-name'];
    const catalogOf = (requested: string): CatalogIndex | undefined => (requested === name ? index : undefined);
    const startCatalogs = (port: number): ReturnType<typeof startCatalogServer> =>
      startCatalogServer({ ...listen, port, catalogOf });
    const server = servers.use(await listenOn('http-port', httpPort, startCatalogs));
    terminal.line(`serving /catalogs/${name}/api/v1/all over HTTP on port ${server.port}`);
  }
  await stopped;
  terminal.line('stopping');
}

/** Serves catalogs until SIGTERM or Ctrl-C; then calls that are under way may end. */
export async function serveCatalogs(values: Values, names: readonly string[]): Promise<number> {
  const terminationLog = values['termination-log'];
  try {
    const name = values['http-name'];
    if (!namePattern.test(name)) {
      throw new TerminalError(
        'InvalidOption',
        `--http-name: expected lower-case letters, digits and -, found "${name}"`,
      );
    }
    threadsOf(values);
    const log = await openProcessLog(values['log-level']);
    await using catalog = await open(names, values, log);
    if (catalog !== undefined) await serve(catalog, values, log);
    return 0;
  } catch (thrown) {
    if (terminationLog !== undefined)
      await writeFile(terminationLog, `${errorMessage(thrown)}\n`).catch(() => undefined);
    throw thrown;
  }
}
