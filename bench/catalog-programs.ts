/** Commands about catalogs as a user starts them, measured from outside. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const peakPath = fileURLToPath(new URL('./peak-child.ts', import.meta.url));

/** What a program takes that is run to its end; undefined where it is not installed. */
export function measureProgram(program: string, ...args: readonly string[]): CommandCost | undefined {
  const startedMs = performance.now();
  const timed = spawnSync('/usr/bin/time', ['-f', 'peak %M', program, ...args], { encoding: 'utf8', stdio: 'pipe' });
  if (timed.error !== undefined || timed.status !== 0) return undefined;
  const peakBytes = Number(/^peak (\d+)$/m.exec(timed.stderr)?.[1] ?? Number.NaN) * 1024;
  return { seconds: (performance.now() - startedMs) / 1000, peakBytes };
}

/** What a command took. */
export interface CommandCost {
  readonly seconds: number;
  readonly peakBytes: number;
}

/** Runs `longshore catalog ARGS` to its end. `program` is the file that Node.js is to run.
 *  @throws Error when it fails */
export async function measureCommand(program: string, ...args: readonly string[]): Promise<CommandCost> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['--import', peakPath, program, 'catalog', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errorText = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`catalog ${args.join(' ')}: ${errorText}`);
  const peakBytes = Number(/^peak (\d+)$/m.exec(errorText)?.[1] ?? Number.NaN);
  return { seconds: (performance.now() - startedMs) / 1000, peakBytes };
}

/** A running `longshore catalog serve`. */
export interface ServingProcess extends AsyncDisposable {
  readonly pid: number | undefined;
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly startedInMs: number;
  /** Resident memory now; NaN if unknown. */
  residentBytes(): number;
}

function residentBytes({ pid }: ChildProcess): number {
  try {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(line?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}

/** A catalog, and the folder of its index. */
export interface CatalogPlace {
  readonly dir: string;
  readonly cacheDir: string;
}

/** Starts it with a warm index. */
export async function startServing(
  program: string,
  { dir, cacheDir }: CatalogPlace,
  threads: number,
): Promise<ServingProcess> {
  const startedMs = performance.now();
  const options = [
    '--cache-dir',
    cacheDir,
    '--bind-address',
    '127.0.0.1',
    '--grpc-port',
    '0',
    '--http-port',
    '0',
    '--threads',
    String(threads),
  ];
  const child = spawn(process.execPath, [program, 'catalog', 'serve', dir, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextPort = async (): Promise<number> => {
    const { value } = (await lines.next()) as { readonly value: string | undefined };
    return Number(/ on port (\d+)$/.exec(value ?? '')?.[1]);
  };
  const [grpcPort, httpPort] = [await nextPort(), await nextPort()];
  const startedInMs = performance.now() - startedMs;
  return {
    pid: child.pid,
    grpcPort,
    httpPort,
    startedInMs,
    residentBytes: () => residentBytes(child),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
