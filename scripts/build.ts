/** `npm run build`: compiles to `dist/` and copies the data files that the code reads at run time. */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

rmSync('dist', { recursive: true, force: true });
execFileSync('tsc', ['--project', 'tsconfig.build.json'], { stdio: 'inherit' });
for (const file of globSync('{src,apiserver,provisioners,webhook}/**/generated/*.json')) {
  mkdirSync(dirname(join('dist', file)), { recursive: true });
  cpSync(file, join('dist', file));
}
for (const folder of ['crds', 'examples']) cpSync(folder, join('dist', folder), { recursive: true });
