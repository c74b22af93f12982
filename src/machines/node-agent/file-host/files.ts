import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import { posix } from 'node:path';
import { TerminalError } from '../../../base/index.ts';
import { type HeldFolder, openFolder } from './places.ts';

/** What is at a path of the node. */
export type Entry =
  | {
      readonly kind: 'file';
      readonly content: Buffer;
      readonly mode: number;
      readonly uid: number;
      readonly gid: number;
    }
  | { readonly kind: 'link'; readonly target: string };

const maxFileBytes = 32 * 1024 * 1024;
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const permissionBits = 0o7777;
const temporaryPrefix = '.longshore-';

function isCode(thrown: unknown, ...codes: readonly string[]): boolean {
  return thrown instanceof Error && 'code' in thrown && codes.includes(String(thrown.code));
}

function refuse(path: string, why: string): TerminalError {
  return new TerminalError('UnsafePath', `${path}: ${why}`);
}

/** Files of a node below its root. No write follows a link at its end, or leaves the root by one on the way; what is replaced is replaced at once. */
export class RootedFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async #folderOf(path: string, creates: boolean): Promise<HeldFolder | undefined> {
    return await openFolder({ root: this.#root, path, creates }, posix.dirname(path));
  }

  /** What is at the path; undefined where nothing is.
   *  @throws TerminalError UnsafePath when it is a folder or a device, or too large */
  async read(path: string): Promise<Entry | undefined> {
    await using folder = await this.#folderOf(path, false);
    if (folder === undefined) return undefined;
    const place = folder.entry(posix.basename(path));
    try {
      return await this.#readAt(path, place);
    } catch (thrown) {
      if (isCode(thrown, 'ENOENT')) return undefined;
      throw thrown;
    }
  }

  async #readAt(path: string, place: string): Promise<Entry> {
    const found = await lstat(place);
    if (found.isSymbolicLink()) return { kind: 'link', target: await readlink(place) };
    if (!found.isFile()) throw refuse(path, 'it is neither a file nor a symbolic link');
    await using file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, mode, uid, gid } = await file.stat();
    if (size > maxFileBytes) throw refuse(path, `it has ${size} bytes, at most ${maxFileBytes} are read`);
    return { kind: 'file', content: await file.readFile(), mode: mode & permissionBits, uid, gid };
  }

  /** Writes a file or a link, durably and in one step: readers find the old one or the new one.
   *  @throws TerminalError UnsafePath when a folder is there */
  async write(path: string, entry: Entry): Promise<void> {
    await using folder = await this.#folderOf(path, true);
    if (folder === undefined) throw refuse(path, 'its folder cannot be made');
    const temporary = folder.entry(`${temporaryPrefix}${randomBytes(8).toString('hex')}`);
    try {
      await this.#create(temporary, entry);
      await rename(temporary, folder.entry(posix.basename(path)));
    } catch (thrown) {
      await unlink(temporary).catch(() => undefined);
      if (isCode(thrown, 'EISDIR', 'ENOTEMPTY', 'EEXIST')) throw refuse(path, 'a folder is there');
      throw thrown;
    }
    await folder.sync();
  }

  async #create(place: string, entry: Entry): Promise<void> {
    if (entry.kind === 'link') return await symlink(entry.target, place);
    await using file = await open(place, newFile, 0o600);
    await file.writeFile(entry.content);
    const isOwn = entry.uid === process.getuid?.() && entry.gid === process.getgid?.();
    if (!isOwn) await file.chown(entry.uid, entry.gid);
    await file.chmod(entry.mode);
    await file.sync();
  }

  /** Removes a file or a link; nothing where there is none. Its folder goes with it if that is empty and `removesFolder`.
   *  @throws TerminalError UnsafePath when a folder is there */
  async remove(path: string, { removesFolder = false }: { readonly removesFolder?: boolean } = {}): Promise<void> {
    await using folder = await this.#folderOf(path, false);
    if (folder === undefined) return;
    try {
      await unlink(folder.entry(posix.basename(path)));
    } catch (thrown) {
      if (isCode(thrown, 'EISDIR', 'EPERM')) throw refuse(path, 'a folder is there');
      if (!isCode(thrown, 'ENOENT')) throw thrown;
    }
    await folder.sync();
    if (removesFolder) await this.#removeFolder(posix.dirname(path));
  }

  async #removeFolder(path: string): Promise<void> {
    await using parent = await this.#folderOf(path, false);
    if (parent === undefined) return;
    await rmdir(parent.entry(posix.basename(path))).catch((thrown: unknown) => {
      if (!isCode(thrown, 'ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR')) throw thrown;
    });
  }
}
