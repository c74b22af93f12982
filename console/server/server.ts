import { type AddressInfo, isIPv6 } from 'node:net';
import { type Clock, type ConnectionLimits, type Logger, limitConnections } from '../../src/base/index.ts';
import type { ClusterAccess } from '../../src/kube/index.ts';
import { buildConsole } from './app.ts';
import type { RunCommand } from './commands/command.ts';
import type { Origins } from './guard.ts';
import type { RecentLines } from './log/recent-lines.ts';
import { Sessions } from './sessions.ts';
import { OneTimeLink } from './sign-in/link.ts';
import { type OidcSettings, OidcSignIn } from './sign-in/oidc.ts';
import { userOfConnection } from './sign-in/own-connection.ts';
import type { ClusterAddress } from './sign-in/token.ts';

/** Where the console listens, for whom, and on what it works. */
export interface ConsoleOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Under which address browsers reach it, if not under its own: `https://console.example.com`. */
  readonly externalUrl: URL | undefined;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Reverse proxies between browsers and the console: 0 when they connect to it themselves. */
  readonly proxyCount: number;
  /** The folder of the built page; called when a page is first asked for. */
  readonly openStaticDir: () => Promise<string>;
  readonly cluster: ClusterAddress;
  /** On a laptop: a one-time link signs in as the user of this kubeconfig. */
  readonly link:
    | {
        readonly access: ClusterAccess;
        readonly kubeconfigPath: string;
        /** Gets each link that is valid from now on. */
        readonly onLink: (url: string) => void;
        /** The first link is opened by a program, so that others on this machine can read it: it counts for connections of this user alone. */
        readonly isOpened: boolean;
      }
    | undefined;
  readonly oidc: OidcSettings | undefined;
  readonly runCommand: RunCommand;
  /** The log of the controllers, where they run in this process: for the user of the link. */
  readonly recentLines: RecentLines | undefined;
  readonly isEmbedded: boolean;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A running console. Disposing it ends all sessions. */
export interface ConsoleServer extends AsyncDisposable {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
}

const connectionLimits: ConnectionLimits = {
  maxConnections: 512,
  maxPerPeer: 256,
  firstRequestMs: 10_000,
  slowMs: 60_000,
};

const isLoopback = ({ host }: ConsoleOptions): boolean => host === '127.0.0.1' || host === '::1';

function originsOf(options: ConsoleOptions, port: number): Origins {
  const { tls, externalUrl } = options;
  const own = isLoopback(options) ? [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`] : [];
  const external = externalUrl === undefined ? [] : [externalUrl.host];
  const isSecure = externalUrl === undefined ? tls !== undefined : externalUrl.protocol === 'https:';
  return { hosts: new Set([...own, ...external]), isSecure };
}

/** Whether browsers of this machine connect to the console themselves. They share the cookies of a host between its ports, with the consoles and servers
 *  of other users. */
function isForThisMachine(options: ConsoleOptions): boolean {
  return isLoopback(options) && options.externalUrl === undefined && options.proxyCount === 0;
}

function openSessions(options: ConsoleOptions, port: () => number): Sessions {
  const { clock, log } = options;
  const isSecure = (): boolean => originsOf(options, port()).isSecure;
  const prefix = (): string => `${isSecure() ? '__Host-' : ''}longshore`;
  const isLocal = isForThisMachine(options);
  return new Sessions({
    clock,
    log,
    isSecure,
    cookieName: isLocal ? () => `${prefix()}-${port()}` : prefix,
    localUserOf: isLocal ? ({ socket }) => userOfConnection(socket) : () => undefined,
  });
}

/** Starts the console.
 *  @throws Error when the port is taken */
export async function startConsole(options: ConsoleOptions): Promise<ConsoleServer> {
  const { host, tls, externalUrl, proxyCount, clock, log, link, oidc, isEmbedded, version, cluster } = options;
  let port = options.port;
  const origins = (): Origins => originsOf(options, port);
  const origin = (): string =>
    externalUrl?.origin ?? `http${tls === undefined ? '' : 's'}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const sessions = openSessions(options, () => port);
  const closing = new AbortController();
  const secret = link && new OneTimeLink((text) => link.onLink(`${origin()}/sign-in#${text}`), link.isOpened);
  const app = await buildConsole({
    ...options,
    sessions,
    origins,
    closing: closing.signal,
    signIn: {
      sessions,
      clock,
      cluster,
      link: link && secret && { secret, access: link.access, kubeconfigPath: link.kubeconfigPath },
      oidc: oidc && { signIn: new OidcSignIn(oidc, clock), issuer: oidc.issuer },
      origin,
      isEmbedded,
      version,
    },
  });
  // Behind a proxy all connections come from one peer.
  const { maxConnections } = connectionLimits;
  limitConnections(
    app.server,
    proxyCount === 0 ? connectionLimits : { ...connectionLimits, maxPerPeer: maxConnections },
  );
  await app.listen({ host, port });
  port = (app.server.address() as AddressInfo).port;
  log.info({ host, port }, 'console listening');
  secret?.renew();
  return {
    url: origin(),
    port,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      sessions[Symbol.dispose]();
      await app.close();
    },
  };
}
