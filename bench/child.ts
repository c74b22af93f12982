import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A measured process: answers each line of standard input with one line of JSON. */
export interface Child extends AsyncDisposable {
  /** The next line that it prints, parsed. */
  next<T>(): Promise<T>;
  send(line: string): void;
  readonly pid: number;
}

/** Starts `file` of this folder on the same Node.js, in a process of its own. */
export function startChild(
  file: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Child {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  if (child.stdout === null) throw new Error(`${file}: no standard output`);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    next: async <T>(): Promise<T> => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${file} ended early`);
      return JSON.parse(value as string) as T;
    },
    pid: child.pid ?? 0,
    send: (line) => child.stdin?.write(`${line}\n`),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
