import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar';

/** Makes all files of a release in a new folder, signed with the key of a PEM file; gives what was printed. */
export async function makeRelease(folder: string, keyPath: string): Promise<{ stdout: string; stderr: string }> {
  const args = ['scripts/release.ts', '--dry-run', '--key', keyPath, '--out', folder];
  return await promisify(execFile)(process.execPath, args);
}

/** Lays out in `dir` what `npm install` of the package of a release would: the package below `node_modules`, beside it what is installed here. Gives the
 *  package's folder. */
export async function installPackage(releaseFolder: string, dir: string): Promise<string> {
  const [packed = ''] = globSync('longshore-[0-9]*.tgz', { cwd: releaseFolder });
  const home = join(dir, 'node_modules', 'longshore');
  await mkdir(home, { recursive: true });
  await extract({ file: join(releaseFolder, packed), cwd: home, strip: 1 });
  for (const name of await readdir('node_modules')) {
    if (name !== 'longshore') await symlink(resolve('node_modules', name), join(dir, 'node_modules', name));
  }
  return home;
}
