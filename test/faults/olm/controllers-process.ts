import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const operators = join(import.meta.dirname, 'controllers-child.ts');

/** Controllers in a process of their own. */
export interface ControllersProcess extends AsyncDisposable {
  readonly pid: number;
  /** Resolves when they work. */
  readonly ready: Promise<void>;
  /** `kill -9`, at once. */
  kill(): void;
  /** What it has printed on standard error, the last of it. */
  readonly complaints: () => string;
  readonly ended: Promise<void>;
}

/** Where the controllers run. */
export interface ControllersPlace {
  readonly kubeconfigPath: string;
  /** For their catalogs and bundles; a later process finds there what an earlier one has left. */
  readonly folder: string;
  /** What starts them. Default: those of Operator Lifecycle Manager. */
  readonly entry?: string;
  /** `HOST:PORT` of a registry without TLS. */
  readonly insecureRegistry?: string;
  /** A program with arguments that starts them instead. */
  readonly wrap?: readonly string[];
}

/** Starts them. */
export function spawnControllers({
  kubeconfigPath,
  folder,
  entry = operators,
  insecureRegistry = '',
  wrap = [],
}: ControllersPlace): ControllersProcess {
  const command: string[] = [...wrap, process.execPath, entry, kubeconfigPath, folder, insecureRegistry];
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close').then(() => undefined);
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-8_000);
  });
  const started = once(createInterface({ input: child.stdout }), 'line').then(() => undefined);
  const failed = ended.then(() => {
    throw new Error(`the controllers ended before they were ready: ${text}`);
  });
  const ready = Promise.race([started, failed]);
  // A process that is killed while it starts is of no concern to those that wait for the next one.
  ready.catch(() => undefined);
  failed.catch(() => undefined);
  const kill = (): void => void child.kill('SIGKILL');
  return {
    pid: child.pid ?? 0,
    ready,
    kill,
    ended,
    complaints: () => text,
    [Symbol.asyncDispose]: async () => {
      kill();
      await ended;
    },
  };
}
