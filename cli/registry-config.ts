import { unwatchFile, watchFile } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { errorMessage, type Logger, TerminalError } from '../src/base/index.ts';
import { parseRegistryConfig, type RegistryMirror } from '../src/sources/index.ts';

const watchIntervalMs = 1_000;
const maxBytes = 1024 * 1024;

interface Version {
  readonly stamp: string;
  readonly mirrors: readonly RegistryMirror[];
}

async function stampOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path);
  if (size > maxBytes) {
    throw new TerminalError(
      'InvalidRegistryConfig',
      `${path}: ${size} bytes, more than the limit of ${maxBytes} bytes`,
    );
  }
  return `${mtimeMs} ${size} ${ino}`;
}

async function readVersion(path: string): Promise<Version> {
  const stamp = await stampOf(path);
  return { stamp, mirrors: parseRegistryConfig(path, await readFile(path, 'utf8')) };
}

/** The file of `--registry-config`, as it is at any time. */
export interface RegistryConfig {
  /** The mirrors as the file has them now. A file that has become unreadable or wrong is logged once; the last good version stays in force. */
  readonly readMirrors: () => Promise<readonly RegistryMirror[]>;
  /** Tells within seconds that the file has changed for another good version. */
  readonly watch: (listener: () => void) => Disposable;
}

/** @throws TerminalError InvalidOption when the file cannot be read or is wrong at the start */
export async function openRegistryConfig(path: string | undefined, log: Logger): Promise<RegistryConfig> {
  if (path === undefined) {
    return { readMirrors: () => Promise.resolve([]), watch: () => ({ [Symbol.dispose]: () => undefined }) };
  }
  let version: Version;
  try {
    version = await readVersion(path);
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `--registry-config ${errorMessage(thrown)}`, { cause: thrown });
  }
  let said = '';
  const refresh = async (): Promise<Version> => {
    try {
      if ((await stampOf(path)) !== version.stamp) version = await readVersion(path);
      said = '';
    } catch (thrown) {
      const message = errorMessage(thrown);
      if (message !== said) log.error({ path, message }, 'registry configuration not read, the last good one stays');
      said = message;
    }
    return version;
  };
  return {
    readMirrors: async () => (await refresh()).mirrors,
    watch: (listener) => watchFor(path, refresh, listener),
  };
}

function watchFor(path: string, refresh: () => Promise<Version>, listener: () => void): Disposable {
  let told: Version | undefined;
  const look = async (isFirst: boolean): Promise<void> => {
    const found = await refresh();
    if (!isFirst && found !== told) listener();
    told = found;
  };
  const onStat = (): void => void look(false);
  void look(true);
  watchFile(path, { interval: watchIntervalMs, persistent: false }, onStat);
  return { [Symbol.dispose]: () => unwatchFile(path, onStat) };
}
