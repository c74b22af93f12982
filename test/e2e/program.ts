import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../cli/command-line.ts';
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
  /** Standard error goes to standard output, as with `2>&1`. */
  readonly isMerged?: boolean;
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

let last: Promise<unknown> = Promise.resolve();

/** Replaces a standard stream of this process until it is disposed. */
function replaceStream(name: 'stdin' | 'stdout' | 'stderr', value: Readable | Writable): Disposable {
  const original = Object.getOwnPropertyDescriptor(process, name) ?? {};
  Object.defineProperty(process, name, { value, configurable: true });
  return { [Symbol.dispose]: () => void Object.defineProperty(process, name, original) };
}

function collector(pieces: Buffer[]): Writable {
  return new Writable({
    write: (piece: Buffer, _encoding, done) => {
      pieces.push(piece);
      done();
    },
  });
}

/** Sets variables of this process until it is disposed. */
function withEnvironment(env: Readonly<Record<string, string>>): Disposable {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return {
    [Symbol.dispose]: () => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    },
  };
}

async function runHere(
  args: readonly string[],
  { input = '', env = {}, cwd = process.cwd(), isMerged = false }: ProgramOptions,
): Promise<Printed> {
  using _env = withEnvironment(env);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = isMerged ? stdout : [];
  using _stdin = replaceStream('stdin', Readable.from([Buffer.from(input)]));
  using _stdout = replaceStream('stdout', collector(stdout));
  using _stderr = replaceStream('stderr', collector(stderr));
  const folder = process.cwd();
  process.chdir(cwd);
  try {
    const code = await runCommandLine(args);
    const errorText = isMerged ? '' : Buffer.concat(stderr).toString();
    return { code, stdout: Buffer.concat(stdout).toString(), stderr: errorText };
  } finally {
    process.chdir(folder);
  }
}

/** Runs `longshore ARGS`: in this process, which takes a tenth of the processor time, one command at a time; with a deadline in one of its
 *  own. Where signals or the end of a process matter, runProgram() with `programPath` starts one. */
export function runLongshore(args: readonly string[], options: ProgramOptions = {}): Promise<Printed> {
  if (options.timeoutMs !== undefined) {
    return runProgram(process.execPath, [programPath, ...args], options);
  }
  const result = last.then(() => runHere(args, options));
  last = result.catch(() => undefined);
  return result;
}

/** Runs `longshore ARGS` on the cluster of a kubeconfig. */
export function longshoreOn(
  kubeconfigPath: string,
): (args: readonly string[], options?: ProgramOptions) => Promise<Printed> {
  return (args, options = {}) =>
    runLongshore(args, { ...options, env: { KUBECONFIG: kubeconfigPath, NO_COLOR: '1', ...options.env } });
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
