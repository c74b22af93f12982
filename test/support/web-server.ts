import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { CertifiedKey } from '../../src/base/index.ts';

/** A web server on loopback. */
export interface WebServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts one; with TLS where a certificate is given. */
export async function startWebServer(handler: RequestListener, tls?: CertifiedKey): Promise<WebServer> {
  const server =
    tls === undefined
      ? createPlainServer(handler)
      : createServer({ cert: tls.certificatePem, key: tls.privateKeyPem }, handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
