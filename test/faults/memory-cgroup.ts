import { mkdtemp, readFile, rmdir, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { errorMessage } from '../../src/base/index.ts';
import { eventually } from '../support/index.ts';

/** A control group of Linux that ends programs which take more memory than it has. */
export interface MemoryCgroup extends AsyncDisposable {
  /** What starts a program, with arguments, in it. */
  readonly inside: readonly string[];
  /** The most memory that its programs had together, files that the system keeps in memory included; and how many were ended for it. */
  read(): Promise<{ readonly peakMebibytes: number; readonly kills: number }>;
}

/** The files of a version of control groups. */
interface Version {
  readonly mountType: string;
  readonly limit: string;
  /** Without it what does not fit would be swapped out. */
  readonly swap: { readonly file: string; readonly isTotal: boolean };
  readonly peak: string;
  readonly events: string;
}

const first: Version = {
  mountType: 'cgroup',
  limit: 'memory.limit_in_bytes',
  swap: { file: 'memory.memsw.limit_in_bytes', isTotal: true },
  peak: 'memory.max_usage_in_bytes',
  events: 'memory.oom_control',
};
const second: Version = {
  mountType: 'cgroup2',
  limit: 'memory.max',
  swap: { file: 'memory.swap.max', isTotal: false },
  peak: 'memory.peak',
  events: 'memory.events',
};

const mebibyte = 1024 * 1024;
const inMemoryFileSystem = 0x01021994;

interface Mount {
  readonly root: string;
  readonly point: string;
}

/** Where the controller of memory is mounted. @see proc_pid_mountinfo(5) */
async function mountOf({ mountType }: Version): Promise<Mount | undefined> {
  for (const line of (await readFile('/proc/self/mountinfo', 'utf8')).split('\n')) {
    const [place = '', system = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = place.split(' ');
    const [type, , options = ''] = system.split(' ');
    const isMemory = type === 'cgroup2' || options.split(',').includes('memory');
    if (type === mountType && isMemory) return { root, point };
  }
  return undefined;
}

/** The folder of the group that this process is in. @see cgroups(7) */
async function ownFolder(version: Version): Promise<string | undefined> {
  const mount = await mountOf(version);
  const line = version === second ? /^0::(.*)$/m : /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m;
  const path = line.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1];
  if (mount === undefined || path === undefined) return undefined;
  return join(mount.point, relative(mount.root, path));
}

/** Where a group can be made: in the own one; of the second version, where groups hold groups or processes, in one above that shares memory out. */
async function parentsOf(version: Version): Promise<readonly string[]> {
  const own = await ownFolder(version);
  if (own === undefined) return [];
  if (version === first) return [own];
  const found: string[] = [];
  for (let folder = own; folder.includes('cgroup'); folder = dirname(folder)) {
    const controllers = await readFile(join(folder, 'cgroup.subtree_control'), 'utf8').catch(() => '');
    if (controllers.split(/\s+/).includes('memory')) found.push(folder);
  }
  return found;
}

async function makeGroup(version: Version, parent: string, limitBytes: number): Promise<MemoryCgroup> {
  const folder = await mkdtemp(join(parent, 'longshore-'));
  try {
    const { limit, swap, peak, events } = version;
    await writeFile(join(folder, limit), String(limitBytes));
    // Not there where nothing is swapped.
    await writeFile(join(folder, swap.file), String(swap.isTotal ? limitBytes : 0)).catch(() => undefined);
    return {
      inside: ['sh', '-c', 'echo $$ > "$1" && shift && exec "$@"', 'sh', join(folder, 'cgroup.procs')],
      read: async () => {
        const [bytes, text] = await Promise.all([peak, events].map((file) => readFile(join(folder, file), 'utf8')));
        return {
          peakMebibytes: Number(bytes) / mebibyte,
          kills: Number(/^oom_kill (\d+)$/m.exec(text ?? '')?.[1] ?? 0),
        };
      },
      // It can go once its last process did.
      [Symbol.asyncDispose]: () => eventually(() => rmdir(folder)),
    };
  } catch (thrown) {
    await rmdir(folder);
    throw thrown;
  }
}

/** Makes a group with a limit; or reports why that is not possible on this machine.  */
export async function openMemoryCgroup(limitBytes: number): Promise<MemoryCgroup | { readonly missing: string }> {
  if (process.platform !== 'linux') return { missing: 'control groups are a part of Linux' };
  if ((await statfs(tmpdir())).type === inMemoryFileSystem) return { missing: `${tmpdir()} is in memory` };
  let missing = 'no controller of memory is mounted, or none is shared out';
  for (const version of [first, second]) {
    for (const parent of await parentsOf(version)) {
      try {
        return await makeGroup(version, parent, limitBytes);
      } catch (thrown) {
        missing = errorMessage(thrown);
      }
    }
  }
  return { missing };
}
