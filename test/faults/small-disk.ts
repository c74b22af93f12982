import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Starts a program with mounts of its own; no root is needed for it. */
const ownMounts = ['unshare', '--map-root-user', '--user', '--mount'] as const;
const script =
  'folder=$1; size=$2; ballast=$3; shift 3; mount -t tmpfs -o size="$size"m small "$folder" && head -c "$ballast"M /dev/zero > "$folder/ballast" && exec "$@"';

/** What starts a program, with arguments, that alone sees a file system of its own at the folder, with a file `ballast` in it: real, small, and no root
 *  is needed for it. */
export function onSmallDisk(
  folder: string,
  { mebibytes, ballastMebibytes }: { readonly mebibytes: number; readonly ballastMebibytes: number },
): readonly string[] {
  return [...ownMounts, 'sh', '-c', script, 'sh', folder, String(mebibytes), String(ballastMebibytes)];
}

/** Whether this machine lets us. */
export async function canHaveSmallDisks(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-mount-'));
  try {
    const [program = '', ...args] = onSmallDisk(folder, { mebibytes: 2, ballastMebibytes: 1 });
    await run(program, [...args, 'true']);
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A small file system that outlives the processes that use it. */
export interface SmallDisk extends AsyncDisposable {
  /** Its root, for programs that `inside` starts. */
  readonly path: string;
  /** What starts a program, with arguments, that sees it. */
  readonly inside: readonly string[];
  /** Writes a file until there is no room left. */
  fill(): Promise<void>;
  /** Removes that file. */
  free(): Promise<void>;
}

/** Mounts a file system in a namespace of its own, which lives as long as the process that holds it. */
export async function openSmallDisk(mebibytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-disk-'));
  const mount = `mount -t tmpfs -o size=${mebibytes}m small "$1" && echo mounted && exec cat`;
  const [program, ...args] = [...ownMounts, 'sh', '-c', mount, 'sh', folder];
  const holder = spawn(program, args);
  await once(holder.stdout, 'data');
  const ballast = join(`/proc/${holder.pid}/root`, folder, 'ballast');
  const chunk = Buffer.alloc(256 * 1024);
  return {
    path: folder,
    inside: ['nsenter', '--target', String(holder.pid), '--user', '--mount', '--preserve-credentials'],
    fill: async () => {
      for (let isFull = false; !isFull; ) {
        await writeFile(ballast, chunk, { flag: 'a' }).catch(({ code }: NodeJS.ErrnoException) => {
          isFull = code === 'ENOSPC';
        });
      }
    },
    free: () => rm(ballast, { force: true }),
    [Symbol.asyncDispose]: async () => {
      const ended = once(holder, 'exit');
      holder.stdin.end();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
