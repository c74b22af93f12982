import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const buildDeadlineMs = 15 * 60_000;

async function sourceHash(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).sort()) hash.update(name).update(await readFile(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}

/** The program that the Go sources of `folder` make, from a cache outside of the checkout or built into it; or why there is none. Building takes
 *  minutes the first time, so it is done only where `LONGSHORE_TEST_CLIENTS` says `go`. */
export async function goProgram(folder: string): Promise<{ readonly path: string } | { readonly missing: string }> {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const cache = join(root, 'longshore', 'clients', await sourceHash(folder));
  const path = join(cache, 'program');
  const isBuilt = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isBuilt) return { path };
  if (process.env['LONGSHORE_TEST_CLIENTS'] !== 'go')
    return { missing: 'it is not built; LONGSHORE_TEST_CLIENTS=go builds it' };
  try {
    await mkdir(cache, { recursive: true });
    const half = `${path}.${process.pid}`;
    const env = { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' };
    await run('go', ['build', '-trimpath', '-o', half, '.'], { cwd: folder, env, timeout: buildDeadlineMs });
    await rename(half, path);
    return { path };
  } catch (thrown) {
    return { missing: `it cannot be built here: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}
