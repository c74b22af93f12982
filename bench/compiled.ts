import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeLeafImports } from '../scripts/leaf-imports.ts';

const root = join(import.meta.dirname, '..');

/** Files of this repository, compiled as the package is. */
export interface CompiledFiles extends AsyncDisposable {
  /** Of a file by its path in the repository. */
  pathOf(file: string): string;
}

/** Compiles files with all that they import, as `npm run build` does: a process that strips types itself, and loads whole folders by their doors, needs
 *  more time and memory than what users run. */
export async function compileFiles(files: readonly string[]): Promise<CompiledFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-compiled-'));
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    outDir: folder,
    rootDir: root,
    declaration: false,
    isolatedDeclarations: false,
  };
  const paths = files.map((file) => join(root, file));
  // Worker threads are started by the address of their module.
  const workers = globSync('{src,provisioners}/**/*worker*.ts', { cwd: root }).map((file) => join(root, file));
  const include = [...paths, ...workers.filter((file) => !file.endsWith('.test.ts'))];
  const types = { typeRoots: [join(root, 'node_modules/@types')] };
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { ...compilerOptions, ...types },
      include,
    }),
  );
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['--project', config, '--noCheck'], {
    cwd: root,
    stdio: 'inherit',
  });
  writeLeafImports(folder);
  for (const file of globSync('{src,apiserver,provisioners,webhook}/**/generated/*.json', { cwd: root })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  for (const name of ['node_modules', 'crds', 'deploy']) symlinkSync(join(root, name), join(folder, name));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  return {
    pathOf: (file) => join(folder, file.replace(/\.ts$/, '.js')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
