import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Prints the address of each module that a program loads. */
const listModules = `import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => { console.error('loaded ' + url); return next(url, context); } });`;

async function modulesLoadedBy(...args: readonly string[]): Promise<string> {
  const hook = `data:text/javascript,${encodeURIComponent(listModules)}`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', hook, inRoot('cli/bin.js'), ...args]);
  return stderr;
}

test('rendering a catalog loads nothing that bundles, images, clusters and registries need', async () => {
  const loaded = await modulesLoadedBy('catalog', 'render', inRoot('examples/catalog/configs'));
  expect(loaded).toContain('/cli/catalog/render.ts');
  const parts = [
    'src/kube',
    'src/sources',
    'src/formats',
    'src/bundle-checks',
    'ajv',
    '@bufbuild',
    '@grpc',
    'tar',
    'send',
  ];
  expect(parts.filter((part) => loaded.includes(`/${part}/`))).toEqual([]);
});
