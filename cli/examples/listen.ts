import type { RequestListener, Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CertifiedKey, type ConnectionLimits, limitConnections, nodeHttp } from '../../src/base/index.ts';
import { isPortTaken } from '../process/index.ts';

const loopback = '127.0.0.1';
const requestDeadlineMs = 60_000;
/** All clients are programs of this machine. */
const connectionLimits: ConnectionLimits = {
  maxConnections: 256,
  maxPerPeer: 256,
  firstRequestMs: 10_000,
  slowMs: 60_000,
  isLocal: true,
};

export interface ListenOptions {
  /** Serves HTTPS when given, HTTP otherwise. */
  readonly tls?: CertifiedKey;
  /** Default: a free one. Where another process listens on it, a free one is used as well. */
  readonly port?: number;
}

/** An HTTP server on loopback. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, loopback, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The same, for anybody: a request that it throws for is refused, and ends nothing else. */
function withRefusals(handle: RequestListener): RequestListener {
  return (request, response) => {
    try {
      handle(request, response);
    } catch {
      if (response.headersSent) response.destroy();
      else response.writeHead(400).end();
    }
  };
}

/** Starts an HTTP server on 127.0.0.1. */
export async function listenOnLoopback(serve: RequestListener, options: ListenOptions): Promise<LoopbackServer> {
  const { tls, port = 0 } = options;
  const handle = withRefusals(serve);
  const server =
    tls === undefined
      ? nodeHttp().createServer(handle)
      : createSecureServer({ cert: tls.certificatePem, key: tls.privateKeyPem }, handle);
  server.requestTimeout = requestDeadlineMs;
  limitConnections(server, connectionLimits);
  try {
    await listen(server, port);
  } catch (thrown) {
    if (port === 0 || !isPortTaken(thrown)) throw thrown;
    await listen(server, 0);
  }
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
