import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Connection } from '../conformance/connection.ts';

const entry = join(import.meta.dirname, 'server-child.ts');

/** An API server in a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly connection: Connection;
  /** Of the administrator. */
  readonly kubeconfig: string;
  /** `kill -9`; resolves when the process has exited. */
  kill(): Promise<void>;
  /** Stops it as Ctrl-C does; resolves when the process has ended. */
  stop(): Promise<void>;
  /** Sends a line, resolves when it is done. */
  send(line: string): Promise<void>;
  /** Bytes of memory that it has. */
  residentBytes(): Promise<number>;
  readonly hasEnded: boolean;
}

/** Starts a server on a data folder; `wrap` is a program, with arguments, that starts it instead: `unshare`, `prlimit`. */
export async function startServer(dataDir: string, wrap: readonly string[] = []): Promise<ServerProcess> {
  const [program = '', ...args]: string[] = [...wrap, process.execPath, entry, dataDir];
  const child: ChildProcess = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-4000);
  });
  if (child.stdout === null) throw new Error('the server has no standard output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`the server ended: ${complaints}`);
    return value as string;
  };
  const { kubeconfig } = JSON.parse(await next()) as { kubeconfig: string };
  const connection = new Connection(kubeconfig);
  const kill = async (): Promise<void> => {
    connection[Symbol.dispose]();
    child.kill('SIGKILL');
    await ended;
  };
  return {
    connection,
    kubeconfig,
    kill,
    stop: async () => {
      connection[Symbol.dispose]();
      child.stdin?.end();
      await ended;
    },
    send: async (line) => {
      child.stdin?.write(`${line}\n`);
      await next();
    },
    residentBytes: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
    },
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    [Symbol.asyncDispose]: kill,
  };
}
