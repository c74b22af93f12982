/** @module-tag long */
import { execFile } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
const heapMebibytes = 128;
const documentsAPiece = 2000;

const documents: Readonly<Record<string, (count: number) => string>> = {
  packages: (count) => `{"schema":"olm.package","name":"p${count}","defaultChannel":"a"}\n`,
  bundles: (count) => {
    const identity = { packageName: 'p', version: `0.0.${count}` };
    const properties = [{ type: 'olm.package', value: identity }];
    const image = `example.com/p@sha256:${'0'.repeat(64)}`;
    return `${JSON.stringify({ schema: 'olm.bundle', package: 'p', name: `p.v0.0.${count}`, image, properties })}\n`;
  },
};

/** Until its reader leaves; it never ends by itself. */
function sendWithoutEnd(response: ServerResponse, documentOf: (count: number) => string): void {
  let count = 0;
  const write = (): void => {
    let isReady = true;
    while (isReady && !response.destroyed) {
      const first = count;
      count += documentsAPiece;
      isReady = response.write(Array.from({ length: documentsAPiece }, (_, at) => documentOf(first + at)).join(''));
    }
  };
  response.on('drain', write);
  write();
}

const server = createServer((request, response) => {
  const documentOf = documents[(request.url ?? '').split('/')[1] ?? ''];
  if (documentOf === undefined) response.writeHead(404).end();
  else sendWithoutEnd(response, documentOf);
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function run(args: readonly string[]): Promise<{ readonly code: number | null; readonly stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: `--max-old-space-size=${heapMebibytes}` };
    const child = execFile(process.execPath, [program, ...args], { env }, (_error, _stdout, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    );
  });
}

const commands: Readonly<Record<string, (address: string) => readonly string[]>> = {
  resolve: (address) => ['resolve', 'p', '--catalog', address],
  'catalog list': (address) => ['catalog', 'list', 'bundles', address],
  'catalog diff': (address) => ['catalog', 'diff', address, address],
};

test.each([
  ['resolve', 'packages'],
  ['resolve', 'bundles'],
  ['catalog list', 'bundles'],
  ['catalog diff', 'packages'],
])('%s: a catalog of small %s without end is refused before the memory ends', async (command, what) => {
  const { port } = server.address() as AddressInfo;
  const { code, stderr } = await run(commands[command]?.(`http://127.0.0.1:${port}/${what}`) ?? []);
  expect(stderr).toContain('set NODE_OPTIONS=--max-old-space-size=MIB');
  // Errors of `diff`: 2.
  expect([1, 2]).toContain(code);
});
