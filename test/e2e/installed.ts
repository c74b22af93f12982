import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { extract } from 'tar';

/** Packs a folder, and unpacks the tarball in `dir` where `npm install` of it would: below `node_modules`. Gives that place. */
async function unpack(name: string, folder: string, dir: string): Promise<string> {
  const packed = execFileSync('npm', ['pack', folder, '--json', '--pack-destination', dir], { encoding: 'utf8' });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const home = join(dir, 'node_modules', name);
  await mkdir(home, { recursive: true });
  await extract({ file: join(dir, filename), cwd: home, strip: 1 });
  return home;
}

async function link(name: string, dir: string): Promise<void> {
  const place = join(dir, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(resolve('node_modules', name), place);
}

/** Builds both packages. */
export function buildPackages(): void {
  execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' });
}

/** Lays out in `dir` what `npm install longshore` would, beside it what is installed here. Gives the package's folder. */
export async function installPackage(dir: string): Promise<string> {
  const home = await unpack('longshore', '.', dir);
  for (const name of await readdir('node_modules')) if (name !== 'longshore') await link(name, dir);
  return home;
}

/** Lays out in `dir` what `npm install @longshore/apiserver` would: the package alone with the dependencies that it declares, and the packages that
 *  the project itself has in `others`. */
export async function installApiServer(dir: string, others: readonly string[]): Promise<string> {
  const home = await unpack('@longshore/apiserver', './dist-apiserver', dir);
  const { dependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  for (const name of new Set([...Object.keys(dependencies), ...others])) await link(name, dir);
  return home;
}
