import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TerminalError } from '../../src/base/index.ts';

/** In a package the page is built; a checkout has its sources. */
const built = fileURLToPath(new URL('../../console/page', import.meta.url));
const consoleFolder = fileURLToPath(new URL('../../console', import.meta.url));
const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/longshore-console', import.meta.url));
const lockFile = fileURLToPath(new URL('../../package-lock.json', import.meta.url));

/** What the page is made of. */
async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(lockFile));
  const names = globSync(['app/**/*', 'vite.config.ts'], { cwd: consoleFolder, withFileTypes: true });
  const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.toSorted()) hash.update(path.slice(consoleFolder.length)).update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}

/** Builds the page into a folder. */
async function buildPage(folder: string): Promise<void> {
  const vite = createRequire(import.meta.url).resolve('vite/package.json');
  const bin = join(dirname(vite), 'bin', 'vite.js');
  const config = join(consoleFolder, 'vite.config.ts');
  const args = [bin, 'build', '--config', config, '--outDir', folder, '--emptyOutDir', '--logLevel', 'error'];
  await promisify(execFile)(process.execPath, args, { cwd: consoleFolder });
}

/** The folder of the page. A checkout builds it when its sources have changed, in a second or two, without the network.
 *  @throws TerminalError PageMissing where it is neither there nor can be built */
export async function openPage(): Promise<string> {
  if (existsSync(join(built, 'index.html'))) return built;
  try {
    const folder = join(cacheFolder, await digestOfSources());
    if (existsSync(join(folder, 'index.html'))) return folder;
    const fresh = `${folder}.${process.pid}`;
    await buildPage(fresh);
    // Another process may have built the same meanwhile.
    await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
    return folder;
  } catch (thrown) {
    throw new TerminalError(
      'PageMissing',
      'the page of the console cannot be built: run "npm ci" and "npm run build"',
      {
        cause: thrown,
      },
    );
  }
}
