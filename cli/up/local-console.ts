import type { Logger } from '../../src/base/index.ts';
import { type RecentLines, startLocalConsole } from '../console/index.ts';
import type { Terminal } from '../output/index.ts';
import { startOnRememberedPort } from '../process/index.ts';
import type { Config } from '../settings/index.ts';
import type { Platform } from './platform.ts';

/** Serves the web console for a platform of this machine, and prints the link that signs in; nothing where it is disabled. */
export async function openUpConsole(
  config: Pick<Config, 'consolePort' | 'isOpeningConsole' | 'helm'>,
  platform: Pick<Platform, 'apiServer' | 'folder' | 'kubeconfigPath'>,
  {
    log,
    terminal,
    recentLines,
  }: {
    readonly log: Logger;
    readonly terminal: Pick<Terminal, 'line'>;
    readonly recentLines?: RecentLines | undefined;
  },
): Promise<AsyncDisposable | undefined> {
  const { consolePort: port, isOpeningConsole: isOpening, helm } = config;
  if (port === undefined) return undefined;
  const { kubeconfigPath, folder } = platform;
  const onLink = (url: string, isFirst: boolean): void =>
    terminal.line(isFirst ? `console on ${url}` : `the link of the console was used; the next one is ${url}`);
  const isEmbedded = platform.apiServer !== undefined;
  return await startOnRememberedPort({ folder, portFile: 'console-port', port }, (free) =>
    startLocalConsole({ kubeconfigPath, port: free, isEmbedded, helm, log, recentLines, isOpening, onLink }),
  );
}
