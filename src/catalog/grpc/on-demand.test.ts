import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('what neither serves nor reads a registry does not load the gRPC library', async () => {
  const door = fileURLToPath(new URL('../index.ts', import.meta.url));
  const program = `import { createRequire } from 'node:module'; await import(${JSON.stringify(door)});
    console.log(Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('@grpc')).length);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout.trim()).toBe('0');
});
