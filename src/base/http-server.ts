import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ConnectionLimits, limitConnections } from './connection-limits.ts';
import { nodeHttp } from './node-http.ts';
import type { ServingCertificate, ServingPair } from './serving-certificate.ts';

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

/** Where a server of documents listens. */
export interface HttpServerOptions {
  /** All addresses when absent. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** For HTTPS; plain HTTP without. */
  readonly serving?: ServingCertificate;
}

/** A server of documents. Disposing it lets answers end that are under way, for a while. */
export interface HttpServer extends AsyncDisposable {
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

/** Serves documents to clients that only read, over HTTPS where a certificate is given: few connections for each peer, short deadlines for what a client
 *  sends, and none that stays without taking what it asked for.
 *  @throws Error when the port is taken */
export async function startHttpServer(handle: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
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
