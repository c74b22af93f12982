import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  type ConnectionLimits,
  limitConnections,
  nodeHttp,
  type ServingCertificate,
  type ServingPair,
} from '../../base/index.ts';
import { CatalogHandler, type CatalogHandlerOptions } from './catalog-handler.ts';

const headersDeadlineMs = 5_000;
const idleDeadlineMs = 60_000;
const stopDeadlineMs = 10_000;
const connectionLimits: ConnectionLimits = {
  maxConnections: 256,
  maxPerPeer: 64,
  firstRequestMs: headersDeadlineMs,
  slowMs: idleDeadlineMs,
};
const maxHeaderBytes = 16 * 1024;

export interface CatalogServerOptions extends CatalogHandlerOptions {
  /** All addresses when absent. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** For HTTPS; plain HTTP without. */
  readonly serving?: ServingCertificate;
}

/** Catalogs that are served over HTTP. Disposing it lets answers end that are under way, for a while. */
export interface CatalogServer extends AsyncDisposable {
  readonly port: number;
}

function secure(serving: ServingCertificate, handle: RequestListener): Server {
  const tlsOf = ({ certificatePem: cert, privateKeyPem: key }: ServingPair): object => {
    return { cert, key, minVersion: 'TLSv1.2' };
  };
  const server = createServer(
    { ...tlsOf(serving.current()), maxHeaderSize: maxHeaderBytes, handshakeTimeout: headersDeadlineMs },
    handle,
  );
  const stop = new AbortController();
  server.once('close', () => stop.abort());
  // It ends with the server; until then a certificate that cannot be renewed leaves the one before.
  void serving.keepFresh((next) => server.setSecureContext(tlsOf(next)), stop.signal).catch(() => undefined);
  return server;
}

/** Serves catalogs, over HTTPS where a certificate is given.
 *  @throws Error when the port is taken
 *  @see CatalogHandler */
export async function startCatalogServer(options: CatalogServerOptions): Promise<CatalogServer> {
  const handler = new CatalogHandler(options);
  const handle: RequestListener = (request, response) => void handler.handle(request, response);
  const { serving, host, port } = options;
  const server =
    serving === undefined
      ? nodeHttp().createServer({ maxHeaderSize: maxHeaderBytes }, handle)
      : secure(serving, handle);
  server.headersTimeout = headersDeadlineMs;
  server.requestTimeout = headersDeadlineMs;
  limitConnections(server, connectionLimits);
  // Of a client that takes nothing more, too.
  server.setTimeout(idleDeadlineMs);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      const late = setTimeout(() => server.closeAllConnections(), stopDeadlineMs);
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      clearTimeout(late);
    },
  };
}
