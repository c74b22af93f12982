import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  type Clock,
  type ConnectionLimits,
  errorMessage,
  type Logger,
  limitConnections,
  type ServingCertificate,
  type ServingPair,
} from '../../base/index.ts';
import { AccessReviews, RequestAuthenticator, readRequestTrust } from '../../extension-server/index.ts';
import type { KubeClient } from '../../kube/index.ts';
import type { ServedSources } from '../catalog-source/views.ts';
import { PackageHandler } from './handler.ts';
import { Packages } from './packages.ts';

const headersDeadlineMs = 5_000;
const idleDeadlineMs = 60_000;
const stopDeadlineMs = 10_000;
const connectionLimits: ConnectionLimits = {
  maxConnections: 256,
  maxPerPeer: 64,
  firstRequestMs: headersDeadlineMs,
  slowMs: idleDeadlineMs,
};
const maxHeaderBytes = 64 * 1024;

export interface PackageServerOptions {
  /** Asks about users and permissions, and for the certificates of the API server. */
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sources: ServedSources;
  /** Calls the listener when the API server may have another client certificate, or other authorities. Default: never. */
  readonly onTrustChanged?: (listener: () => void) => Disposable;
  readonly serving: ServingCertificate;
  /** All addresses when absent. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** An extension API server that serves PackageManifests. Disposing it lets answers end that are under way, for a while. */
export interface PackageServer extends AsyncDisposable {
  readonly port: number;
}

function tlsOf({ certificatePem: cert, privateKeyPem: key }: ServingPair): { cert: string; key: string } {
  return { cert, key };
}

function listen(server: Server, { host, port }: PackageServerOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  return promise;
}

/** Starts the package server.
 *  @throws Error when the port is taken · TerminalError InvalidRequestTrust, RequestTrustNotFound · KubeRejection, KubeUnavailable */
export async function startPackageServer(options: PackageServerOptions): Promise<PackageServer> {
  const { kube, clock, log, sources, serving, onTrustChanged } = options;
  const reviews = new AccessReviews({ kube, clock });
  const readAuthenticator = async (): Promise<RequestAuthenticator> =>
    new RequestAuthenticator({ trust: await readRequestTrust(kube), reviews, clock });
  let current = await readAuthenticator();
  const authenticator = { authenticate: (request: IncomingMessage) => current.authenticate(request) };
  const handler = new PackageHandler({ packages: new Packages(sources), authenticator, reviews, clock, log });
  const tls = (pair: ServingPair) => ({ ...current.serverOptions, minVersion: 'TLSv1.2' as const, ...tlsOf(pair) });
  const limits = { maxHeaderSize: maxHeaderBytes, handshakeTimeout: headersDeadlineMs };
  const server = createServer(
    { ...tls(serving.current()), ...limits },
    (request, response) => void handler.handle(request, response),
  );
  const stop = new AbortController();
  void serving.keepFresh((next) => server.setSecureContext(tls(next)), stop.signal).catch(() => undefined);
  const follow = async (): Promise<void> => {
    try {
      current = await readAuthenticator();
      server.setSecureContext(tls(serving.current()));
    } catch (thrown) {
      log.warn({ message: errorMessage(thrown) }, 'package server: authorities of the API server not read');
    }
  };
  const following = onTrustChanged?.(() => void follow());
  server.headersTimeout = headersDeadlineMs;
  server.requestTimeout = headersDeadlineMs;
  limitConnections(server, connectionLimits);
  server.setTimeout(idleDeadlineMs);
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      following?.[Symbol.dispose]();
      const late = setTimeout(() => server.closeAllConnections(), stopDeadlineMs);
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      clearTimeout(late);
    },
  };
}
