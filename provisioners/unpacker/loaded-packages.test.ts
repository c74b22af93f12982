import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** Prints the packages that are loaded with a module. */
const program = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /.*[/]node_modules[/]((?:@[^/]+[/])?[^/]+)/.exec(url)?.[1];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  await import(process.argv[1]);
  process.stdout.write([...packages].join(' '));
`;

test('a thread that unpacks bundles loads no package for configurations, signatures or requests to the content server', async () => {
  const work = fileURLToPath(new URL('content-work.ts', import.meta.url));
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program, work]);
  const packages = stdout.split(' ');
  expect(packages).toContain('tar');
  const onDemand = ['ajv', 'send', 'tldts', '@sigstore/verify', '@peculiar/x509', 'fastify'];
  expect(packages.filter((name) => onDemand.includes(name))).toEqual([]);
});
