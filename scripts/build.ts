/** `npm run build`: compiles to `dist/`, the package `longshore`, with the data files that the code reads at run time, and writes
 *  `dist-apiserver/`, the package `@longshore/apiserver`, from that. `npm run check:types` checks the types: each output depends on one file
 *  (`isolatedDeclarations`). */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readRevision } from '../cli/process/revision.ts';
import { writeApiServerPackage } from './apiserver-package.ts';
import { writeLeafImports } from './leaf-imports.ts';

rmSync('dist', { recursive: true, force: true });
const compile = (...options: readonly string[]): void => {
  execFileSync('tsc', ['--project', 'tsconfig.build.json', '--noCheck', ...options], { stdio: 'inherit' });
};
// Comments are a tenth of the package; users read those of declarations.
compile('--removeComments', '--declaration', 'false', '--isolatedDeclarations', 'false');
compile('--emitDeclarationOnly');
writeLeafImports('dist');
for (const file of globSync('{src,apiserver,provisioners,webhook}/**/generated/*.json')) {
  mkdirSync(dirname(join('dist', file)), { recursive: true });
  cpSync(file, join('dist', file));
}
const page = join(process.cwd(), 'dist/console/page');
execFileSync(
  'vite',
  ['build', '--config', 'console/vite.config.ts', '--outDir', page, '--emptyOutDir', '--logLevel', 'warn'],
  {
    stdio: 'inherit',
  },
);
await writeApiServerPackage('dist', 'dist-apiserver');
/** The chart has its own archive in a release; overlays and their components are for `kubectl apply -k` from a clone. */
const unpacked = new Set(['deploy/chart', 'deploy/components', 'deploy/overlays']);
for (const folder of ['crds', 'deploy', 'examples']) {
  cpSync(folder, join('dist', folder), { recursive: true, filter: (source) => !unpacked.has(source) });
}
execFileSync(process.execPath, ['scripts/json-definitions.ts', 'dist/crds'], { stdio: 'inherit' });
/** An image has no repository to read the commit from: `REVISION="$(git log -1 --format='%H %ct')"` is given instead. */
const given = process.env['REVISION'] || undefined;
const git = (args: readonly string[]): string =>
  given !== undefined
    ? args[0] === 'log'
      ? given
      : ''
    : execFileSync('git', [...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
writeFileSync('dist/build.json', `${JSON.stringify(readRevision(git))}\n`);
