import { readFile, stat } from 'node:fs/promises';
import { errorMessage, type Logger, TerminalError } from '../src/base/index.ts';
import { parseRegistryConfig, type RegistryMirror } from '../src/sources/index.ts';

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

/** Reads the file of `--registry-config`; what it returns gives the mirrors as the file has them at that time. A file that has become unreadable or
 *  wrong is logged once, and the last good version stays in force.
 *  @throws TerminalError InvalidOption when the file cannot be read or is wrong at the start */
export async function openRegistryConfig(
  path: string | undefined,
  log: Logger,
): Promise<() => Promise<readonly RegistryMirror[]>> {
  if (path === undefined) return () => Promise.resolve([]);
  let version: Version;
  try {
    version = await readVersion(path);
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `--registry-config ${errorMessage(thrown)}`, { cause: thrown });
  }
  let said = '';
  return async () => {
    try {
      if ((await stampOf(path)) !== version.stamp) version = await readVersion(path);
      said = '';
    } catch (thrown) {
      const message = errorMessage(thrown);
      if (message !== said) log.error({ path, message }, 'registry configuration not read, the last good one stays');
      said = message;
    }
    return version.mirrors;
  };
}
