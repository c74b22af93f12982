import { spawn } from 'node:child_process';
import { type ConsoleServer, type RecentLines, startConsole } from '../../console/server/index.ts';
import { type Logger, readProxySettings, systemClock } from '../../src/base/index.ts';
import { loadClusterAccess } from '../../src/kube/index.ts';
import { packageVersion } from '../process/index.ts';
import { openPage } from './page.ts';
import { createRunCommand } from './run-command.ts';

const loopback = '127.0.0.1';

/** A console on this machine, for the user of a kubeconfig. */
export interface LocalConsoleOptions {
  readonly kubeconfigPath: string;
  readonly port: number;
  readonly isEmbedded: boolean;
  /** What commands of the pages render charts with; undefined: what they look for themselves. */
  readonly helm?: string | undefined;
  readonly log: Logger;
  /** Where the controllers run in this process: their log. */
  readonly recentLines?: RecentLines | undefined;
  /** Whether the first link is opened in the browser. */
  readonly isOpening: boolean;
  /** Gets each link that signs in, the next one when one was used. */
  readonly onLink: (url: string, isFirst: boolean) => void;
}

const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the browser of the user. Where there is none, the address is on the terminal all the same. */
function openBrowser(url: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

/** Starts the console on loopback.
 *  @throws Error when the port is taken · TerminalError InvalidKubeconfig */
export async function startLocalConsole(options: LocalConsoleOptions): Promise<ConsoleServer> {
  const { kubeconfigPath, port, isEmbedded, helm, log, recentLines, isOpening } = options;
  let isFirst = true;
  const onLink = (url: string): void => {
    options.onLink(url, isFirst);
    if (isFirst && isOpening) openBrowser(url);
    isFirst = false;
  };
  const access = await loadClusterAccess({ path: kubeconfigPath }, readProxySettings(process.env));
  return await startConsole({
    host: loopback,
    port,
    externalUrl: undefined,
    tls: undefined,
    proxyCount: 0,
    openStaticDir: openPage,
    cluster: { server: access.server, tls: access.tls },
    link: { access, kubeconfigPath, onLink, isOpened: isOpening },
    oidc: undefined,
    runCommand: createRunCommand(helm),
    recentLines,
    isEmbedded,
    version: packageVersion(),
    clock: systemClock,
    log,
  });
}
