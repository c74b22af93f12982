import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { extract } from 'tar';

/** Builds and packs the package, and lays out in `dir` what `npm install` of it would: the package below `node_modules`, beside it what is installed
 *  here. Gives the package's folder. */
export async function installPackage(dir: string): Promise<string> {
  execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' });
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', dir], { encoding: 'utf8' });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const home = join(dir, 'node_modules', 'longshore');
  await mkdir(home, { recursive: true });
  await extract({ file: join(dir, filename), cwd: home, strip: 1 });
  for (const name of await readdir('node_modules')) {
    if (name !== 'longshore') await symlink(resolve('node_modules', name), join(dir, 'node_modules', name));
  }
  return home;
}
