import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Files } from './contents.ts';

/** The program as a user starts it. */
export const programPath: string = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));

/** What a program left behind. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Default: a minute. */
  readonly timeoutMs?: number;
}

/** Runs a program to its end; its standard input is closed after `input`. */
export function runProgram(
  file: string,
  args: readonly string[],
  { input = '', env = {}, cwd, timeoutMs = 60_000 }: ProgramOptions = {},
): Promise<Printed> {
  const options = { env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, cwd };
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (thrown, stdout, stderr) => {
      const code = thrown === null ? 0 : typeof thrown.code === 'number' ? thrown.code : -1;
      resolve({ code, stdout, stderr });
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** Runs `longshore ARGS` on the cluster of a kubeconfig. */
export function longshoreOn(
  kubeconfigPath: string,
): (args: readonly string[], options?: ProgramOptions) => Promise<Printed> {
  return (args, options = {}) =>
    runProgram(process.execPath, [programPath, ...args], {
      ...options,
      env: { KUBECONFIG: kubeconfigPath, NO_COLOR: '1', ...options.env },
    });
}

/** Writes files into a folder, which is made; a path that ends with a slash is a folder. */
export async function writeFolder(folder: string, files: Files): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(path.endsWith('/') ? join(folder, path) : dirname(join(folder, path)), { recursive: true });
    if (!path.endsWith('/')) await writeFile(join(folder, path), text);
  }
  return folder;
}
