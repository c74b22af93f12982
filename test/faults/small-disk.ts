import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const script =
  'folder=$1; size=$2; ballast=$3; shift 3; mount -t tmpfs -o size="$size"m small "$folder" && head -c "$ballast"M /dev/zero > "$folder/ballast" && exec "$@"';

/** What starts a program, with arguments, that alone sees a file system of its own at the folder, with a file `ballast` in it: real, small, and no root
 *  is needed for it. */
export function onSmallDisk(
  folder: string,
  { mebibytes, ballastMebibytes }: { readonly mebibytes: number; readonly ballastMebibytes: number },
): readonly string[] {
  const shell = ['sh', '-c', script, 'sh', folder, String(mebibytes), String(ballastMebibytes)];
  return ['unshare', '--map-root-user', '--user', '--mount', ...shell];
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
