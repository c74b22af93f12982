import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether this process is the one that builds: several would compile the same packages at the same time. Others wait until the one that does has ended. */
async function isBuilder(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
    if (pid > 0 && !isRunning(pid)) await rm(lock, { force: true });
    await pause(500);
    return false;
  }
}

async function isThere(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The program from a cache outside of the checkout, or built into it. Building takes minutes the first time, so it is done only where
 *  `LONGSHORE_TEST_CLIENTS` is `go`. */
async function cachedProgram(key: string, build: (folder: string) => Promise<string>): Promise<GoProgram> {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const cache = join(root, 'longshore', 'clients', key);
  const [path, lock] = [join(cache, 'program'), join(cache, 'building')];
  if (process.env['LONGSHORE_TEST_CLIENTS'] !== 'go')
    return (await isThere(path)) ? { path } : { missing: 'it is not built; LONGSHORE_TEST_CLIENTS=go builds it' };
  try {
    await mkdir(cache, { recursive: true });
    while (!(await isThere(path))) {
      if (!(await isBuilder(lock))) continue;
      try {
        await rename(await build(cache), path);
      } finally {
        await rm(lock, { force: true });
      }
    }
    return { path };
  } catch (thrown) {
    return { missing: `it cannot be built here: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}
