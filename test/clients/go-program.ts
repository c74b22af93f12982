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

export type GoProgram = { readonly path: string } | { readonly missing: string };

/** The program that the Go sources of `folder` make, or why there is none. */
export async function goProgram(folder: string): Promise<GoProgram> {
  return await cachedProgram(await sourceHash(folder), async (target) => {
    const env = { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' };
    const half = join(target, `half.${process.pid}`);
    await run('go', ['build', '-trimpath', '-o', half, '.'], { cwd: folder, env, timeout: buildDeadlineMs });
    return half;
  });
}

/** The program of a main package of a Go module, such as `helm.sh/helm/v3/cmd/helm` at `v3.19.2`, or why there is none. */
export async function goInstalled(mainPackage: string, version: string): Promise<GoProgram> {
  const name = mainPackage.split('/').at(-1) ?? '';
  return await cachedProgram(`${name}-${version}`, async (target) => {
    const bin = join(target, `half.${process.pid}`);
    const env = { ...process.env, GOBIN: bin, GOFLAGS: '', GOWORK: 'off', CGO_ENABLED: '0' };
    await run('go', ['install', '-trimpath', `${mainPackage}@${version}`], {
      cwd: target,
      env,
      timeout: buildDeadlineMs,
    });
    return join(bin, name);
  });
}

/** The program from a cache outside of the checkout, or built into it. Building takes minutes the first time, so it is done only where
 *  `LONGSHORE_TEST_CLIENTS` is `go`. */
async function cachedProgram(key: string, build: (folder: string) => Promise<string>): Promise<GoProgram> {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const cache = join(root, 'longshore', 'clients', key);
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
    await rename(await build(cache), path);
    return { path };
  } catch (thrown) {
    return { missing: `it cannot be built here: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}
