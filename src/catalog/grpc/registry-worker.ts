/** A thread of a registry: opens the index that it is given, listens where it is asked to, and answers until it is asked to stop. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Logger, silentLogger } from '../../base/index.ts';
import { openCatalogIndex } from '../store/catalog-index.ts';
import { startRegistryServer } from './grpc-server.ts';
import type { FromRegistryThread, RegistryThreadData, ToRegistryThread } from './registry-threads.ts';

const index = openCatalogIndex((workerData as RegistryThreadData).file);
const servers = new AsyncDisposableStack();

function send(message: FromRegistryThread): void {
  parentPort?.postMessage(message);
}

/** Failed calls go to the log of the main thread, whose level may change. */
const log: Logger = {
  ...silentLogger(),
  debug: (fields: object) => send({ kind: 'failed call', fields: { ...fields } }),
};

async function act(message: ToRegistryThread): Promise<void> {
  if (message.kind === 'listen') {
    servers.use(await startRegistryServer({ ...message.address, log, catalog: () => index, isPortShared: true }));
    send({ kind: 'listening' });
    return;
  }
  await servers.disposeAsync();
  index[Symbol.dispose]();
  parentPort?.close();
}

parentPort?.on('message', (message: ToRegistryThread) => void act(message));
send({ kind: 'opened' });
