import { unwatchFile, watchFile } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { errorMessage, type Logger, TerminalError } from '../../src/base/index.ts';

const watchIntervalMs = 1_000;
const maxBytes = 1024 * 1024;

interface Version<T> {
  readonly stamp: string;
  readonly value: T;
}

/** A settings file, as it is at any time. */
export interface WatchedFile<T> {
  /** The current settings. A file that becomes unreadable or invalid is logged once; the last valid version stays in force. */
  readonly read: () => Promise<T>;
  /** Notifies within seconds of a new valid version. */
  readonly watch: (listener: () => void) => Disposable;
}

/** Which file, and what it is read as. */
export interface WatchedFileOptions<T> {
  /** That names the file: `--registry-config`. */
  readonly option: string;
  readonly path: string | undefined;
  readonly parse: (path: string, text: string) => T;
  /** Without a file. */
  readonly absent: T;
  readonly log: Logger;
}

async function stampOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path);
  if (size > maxBytes) {
    throw new TerminalError('FileTooLarge', `${path}: ${size} bytes, more than the limit of ${maxBytes} bytes`);
  }
  return `${mtimeMs} ${size} ${ino}`;
}

async function readVersion<T>(path: string, parse: WatchedFileOptions<T>['parse']): Promise<Version<T>> {
  const stamp = await stampOf(path);
  return { stamp, value: parse(path, await readFile(path, 'utf8')) };
}

/** @throws TerminalError InvalidOption when the file cannot be read or is wrong at the start */
export async function openWatchedFile<T>(options: WatchedFileOptions<T>): Promise<WatchedFile<T>> {
  const { option, path, parse, absent, log } = options;
  if (path === undefined) {
    return { read: () => Promise.resolve(absent), watch: () => ({ [Symbol.dispose]: () => undefined }) };
  }
  let version: Version<T>;
  try {
    version = await readVersion(path, parse);
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `${option} ${errorMessage(thrown)}`, { cause: thrown });
  }
  let reported = '';
  const refresh = async (): Promise<Version<T>> => {
    try {
      if ((await stampOf(path)) !== version.stamp) version = await readVersion(path, parse);
      reported = '';
    } catch (thrown) {
      const message = errorMessage(thrown);
      if (message !== reported) log.error({ option, path, message }, 'settings not read, the last good ones stay');
      reported = message;
    }
    return version;
  };
  return { read: async () => (await refresh()).value, watch: (listener) => watchFor(path, refresh, listener) };
}

function watchFor(path: string, refresh: () => Promise<unknown>, listener: () => void): Disposable {
  let notified: unknown;
  const look = async (isFirst: boolean): Promise<void> => {
    const found = await refresh();
    if (!isFirst && found !== notified) listener();
    notified = found;
  };
  const onStat = (): void => void look(false);
  void look(true);
  watchFile(path, { interval: watchIntervalMs, persistent: false }, onStat);
  return { [Symbol.dispose]: () => unwatchFile(path, onStat) };
}
