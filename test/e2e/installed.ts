import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar';

/** Builds all files of a release in a new folder, signed with the key of a PEM file; returns what was printed. */
export async function makeRelease(folder: string, keyPath: string): Promise<{ stdout: string; stderr: string }> {
  const args = ['scripts/release.ts', '--dry-run', '--key', keyPath, '--out', folder];
  return await promisify(execFile)(process.execPath, args);
}

/** Unpacks a tarball of a release where `npm install` in `dir` would: below `node_modules`. Returns that folder. */
async function unpack(name: string, file: string, dir: string): Promise<string> {
  const home = join(dir, 'node_modules', name);
  await mkdir(home, { recursive: true });
  await extract({ file, cwd: home, strip: 1 });
  return home;
}

async function link(name: string, dir: string): Promise<void> {
  const place = join(dir, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(resolve('node_modules', name), place);
}

/** Lays out in `dir` what `npm install` of `longshore` from a release would, beside it what is installed here. Returns the package's folder. */
export async function installPackage(releaseFolder: string, dir: string): Promise<string> {
  const [packed = ''] = globSync('longshore-[0-9]*.tgz', { cwd: releaseFolder });
  const home = await unpack('longshore', join(releaseFolder, packed), dir);
  for (const name of await readdir('node_modules')) if (name !== 'longshore') await link(name, dir);
  return home;
}

/** Lays out in `dir` what `npm install` of `@longshore/apiserver` from a release would: the package alone with the dependencies that it declares,
 *  and the packages that the project itself has in `others`. */
export async function installApiServer(releaseFolder: string, dir: string, others: readonly string[]): Promise<string> {
  const [packed = ''] = globSync('longshore-apiserver-*.tgz', { cwd: releaseFolder });
  const home = await unpack('@longshore/apiserver', join(releaseFolder, packed), dir);
  const { dependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  for (const name of new Set([...Object.keys(dependencies), ...others])) await link(name, dir);
  return home;
}
