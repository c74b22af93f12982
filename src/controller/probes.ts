import type { AddressInfo } from 'node:net';
import { type ConnectionLimits, limitConnections, nodeHttp } from '../base/index.ts';

const deadlineMs = 5_000;
/** A kubelet that asks must not be kept out by others: it would end the process. */
const connectionLimits: ConnectionLimits = {
  maxConnections: 32,
  maxPerPeer: 8,
  firstRequestMs: deadlineMs,
  requestMs: deadlineMs,
};

/** Answers a kubelet over plain HTTP: `/healthz` returns 200 while the process can answer at all, `/readyz` while `isReady` is true, else 503.
 *  Serves nothing else. */
export interface Probes extends AsyncDisposable {
  readonly port: number;
  isReady: boolean;
}

/** Not ready to begin with.
 *  @throws Error when the port is taken */
export async function startProbes(address: { readonly host: string; readonly port: number }): Promise<Probes> {
  let isReady = false;
  const server = nodeHttp().createServer({ maxHeaderSize: 4096 }, (request, response) => {
    const path = request.url?.split('?', 1)[0];
    const status = path === '/healthz' || (path === '/readyz' && isReady) ? 200 : path === '/readyz' ? 503 : 404;
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
    response.end(status === 200 ? 'ok\n' : status === 503 ? 'not ready\n' : 'not found\n');
  });
  server.headersTimeout = deadlineMs;
  server.requestTimeout = deadlineMs;
  limitConnections(server, connectionLimits);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    get isReady() {
      return isReady;
    },
    set isReady(value) {
      isReady = value;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
