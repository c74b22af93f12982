import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TerminalError } from '../../base/index.ts';
import { maxReleaseFileBytes, payloadDirectories } from '../../release/index.ts';

const maxFiles = 20_000;

async function hashFile(path: string, hash: ReturnType<typeof createHash>): Promise<void> {
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
}

async function filesOf(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const directory of payloadDirectories) {
    const entries = await readdir(join(folder, directory), { withFileTypes: true }).catch(() => []);
    files.push(...entries.filter((entry) => entry.isFile()).map(({ name }) => join(directory, name)));
  }
  if (files.length === 0 || files.length > maxFiles) {
    const text = `${folder}: expected a release, with the directories manifests and release-manifests, and at most ${maxFiles} files`;
    throw new TerminalError('InvalidRelease', text);
  }
  return files.toSorted();
}

/** The pull spec that a release on this machine has: its digest is that of its content. A folder with the two directories of a release, or a tar of one.
 *  @throws TerminalError InvalidRelease, FileTooLarge, and Node.js' own errors for what cannot be read */
export async function localReleaseImage(path: string): Promise<string> {
  const hash = createHash('sha256');
  if ((await stat(path)).isFile()) await hashFile(path, hash);
  else {
    for (const file of await filesOf(path)) {
      const { size } = await stat(join(path, file));
      if (size > maxReleaseFileBytes) {
        throw new TerminalError('FileTooLarge', `${join(path, file)}: more than ${maxReleaseFileBytes} bytes`);
      }
      hash.update(`${file}\n${size}\n`);
      await hashFile(join(path, file), hash);
    }
  }
  const name = basename(path)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `local/${name === '' ? 'release' : name}@sha256:${hash.digest('hex')}`;
}
