import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { programPath, runLongshore } from './program.ts';

const catalog = 'examples/catalog/configs';

test('a catalog that is served over gRPC and HTTP has what its folder has, and stops on request', async () => {
  const ports = ['--grpc-port', '0', '--http-port', '0', '--bind-address', '127.0.0.1', '--http-name', 'shop'];
  const child = spawn(process.execPath, [programPath, 'catalog', 'serve', catalog, ...ports], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const portIn = async (pattern: RegExp): Promise<string> =>
      pattern.exec((await lines.next()).value ?? '')?.[1] ?? '';
    const grpcPort = await portIn(/^serving 2 packages over gRPC on port (\d+)$/);
    const httpPort = await portIn(/^serving \/catalogs\/shop\/api\/v1\/all over HTTP on port (\d+)$/);
    const list = async (name: string): Promise<string> => {
      const printed = await runLongshore(['catalog', 'list', 'channels', name]);
      return `${printed.stdout}${printed.stderr}`;
    };
    const listed = await list(catalog);
    expect(listed).toContain('tide-gauge  stable-v0');
    expect(await list(`grpc://127.0.0.1:${grpcPort}`)).toBe(listed);
    expect(await list(`http://127.0.0.1:${httpPort}/catalogs/shop`)).toBe(listed);
    const again = ['catalog', 'serve', catalog, '--grpc-port', grpcPort, '--bind-address', '127.0.0.1'];
    const second = await runLongshore(again);
    expect(second.stderr).toContain(`--grpc-port ${grpcPort}: another program listens there: name another port`);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
});

test('an invalid catalog is refused with its errors, and served with them as warnings where that is allowed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'longshore-invalid-'));
  const documents = [
    '{"schema": "olm.package", "name": "p", "defaultChannel": "gone"}',
    '{"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1"}]}',
    '{"schema": "olm.bundle", "package": "p", "name": "p.v1", "image": "registry.example/p", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}]}',
  ];
  await writeFile(join(folder.path, 'catalog.json'), documents.join('\n'));
  const args = ['catalog', 'serve', folder.path, '--grpc-port', '0', '--bind-address', '127.0.0.1'];
  const refused = await runLongshore(args);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/not a valid catalog:\n[^]*no such channel[^]*--allow-invalid/);
  const child = spawn(process.execPath, [programPath, ...args, '--allow-invalid'], { stdio: 'pipe' });
  try {
    const stderr = text(child.stderr);
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const port = /over gRPC on port (\d+)/.exec(printed.toString())?.[1] ?? '';
    const listed = await runLongshore(['catalog', 'list', 'packages', `grpc://127.0.0.1:${port}`]);
    expect(listed.stdout).toMatch(/^p /m);
    child.kill('SIGTERM');
    expect(await stderr).toContain('no such channel');
  } finally {
    child.kill('SIGKILL');
  }
});

/** Terminates the threads of the program on SIGUSR2. */
const terminateThreads = "process.on('worker', (thread) => process.on('SIGUSR2', () => thread.terminate()));";

// Only Linux distributes the connections to a port over several listeners.
test.runIf(process.platform === 'linux')(
  'a registry thread that ends by itself ends the program with an error',
  async () => {
    const hook = `data:text/javascript,${encodeURIComponent(terminateThreads)}`;
    const options = ['--grpc-port', '0', '--bind-address', '127.0.0.1', '--threads', '2'];
    const child = spawn(process.execPath, ['--import', hook, programPath, 'catalog', 'serve', catalog, ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      const stderr = text(child.stderr);
      await once(child.stdout, 'data');
      child.kill('SIGUSR2');
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(code).toBe(1);
      expect(await stderr).toContain('Error: a thread of the registry ended: it ended by itself');
    } finally {
      child.kill('SIGKILL');
    }
  },
);
