import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink } from 'node:fs/promises';
import { TerminalError } from '../../../base/index.ts';

/** A folder that is held open: what others put in its place meanwhile does not matter. */
export interface HeldFolder extends AsyncDisposable {
  /** The path of an entry of this very folder. */
  entry(name: string): string;
  /** Makes its entries durable. */
  sync(): Promise<void>;
}

const maxLinks = 40;
const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const folderMode = 0o755;

function refuse(path: string, why: string): TerminalError {
  return new TerminalError('UnsafePath', `${path}: ${why}`);
}

function isCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}

/** An open folder by the name that Linux has for it: a path through it never leads elsewhere, whatever is renamed. */
function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

function held(handle: FileHandle): HeldFolder {
  return {
    entry: (name) => `${pathOf(handle)}/${name}`,
    sync: () => handle.sync(),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

interface Walk {
  readonly root: string;
  /** For messages. */
  readonly path: string;
  /** Whether missing folders are made. */
  readonly creates: boolean;
}

/** Who may leave links on the way: only those who could write the files anyway. */
function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.getuid?.();
}

async function openRoot({ root }: Walk): Promise<FileHandle> {
  // The root itself is chosen by the user who starts the agent.
  return await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: folderMode });
  } catch (thrown) {
    if (!isCode(thrown, 'EEXIST')) throw thrown;
  }
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** A way through folders, one name after the other, each of them held open. */
class Path {
  readonly #walk: Walk;
  /** From the root to where it is now. */
  readonly #handles: FileHandle[];
  #pending: string[];
  #links = 0;

  constructor(walk: Walk, root: FileHandle, folder: string) {
    this.#walk = walk;
    this.#handles = [root];
    this.#pending = partsOf(folder);
  }

  /** Goes on to the end; false where a folder is missing. */
  async follow(): Promise<boolean> {
    for (let name = this.#pending.shift(); name !== undefined; name = this.#pending.shift()) {
      // `..` of a link goes back, and never above the root.
      if (name === '..') await this.#back(this.#handles.length - 1);
      else if (!(await this.#enter(name))) return false;
    }
    return true;
  }

  /** The folder at the end; the others are closed. */
  async take(): Promise<HeldFolder | undefined> {
    const last = this.#handles.pop();
    await this.close();
    return last === undefined ? undefined : held(last);
  }

  async close(): Promise<void> {
    for (const handle of this.#handles.splice(0)) await handle.close();
  }

  async #back(depth: number): Promise<void> {
    for (const handle of this.#handles.splice(Math.max(1, depth))) await handle.close();
  }

  async #enter(name: string): Promise<boolean> {
    const parent = this.#handles.at(-1);
    if (parent === undefined) return false;
    const place = `${pathOf(parent)}/${name}`;
    try {
      this.#handles.push(await open(place, folderFlags));
      return true;
    } catch (thrown) {
      if (isCode(thrown, 'ENOENT')) return await this.#make(place, name);
      if (!isCode(thrown, 'ELOOP') && !isCode(thrown, 'ENOTDIR')) throw thrown;
      await this.#followLink(place, name);
      return true;
    }
  }

  async #make(place: string, name: string): Promise<boolean> {
    if (!this.#walk.creates) return false;
    await makeFolder(place);
    return await this.#enter(name);
  }

  /** A link of root leads where it would lead on the node: its root is that of this way. */
  async #followLink(place: string, name: string): Promise<void> {
    const { path } = this.#walk;
    const found = await lstat(place);
    if (!found.isSymbolicLink()) throw refuse(path, `${name} on the way is not a folder`);
    if (!isTrusted(found.uid)) throw refuse(path, `a symbolic link on the way belongs to user ${found.uid}`);
    this.#links += 1;
    if (this.#links > maxLinks) throw refuse(path, 'too many symbolic links on the way');
    const target = await readlink(place);
    if (target.startsWith('/')) await this.#back(1);
    this.#pending.unshift(...partsOf(target));
  }
}

/** Opens a folder below `root`, one name after the other; links of root are followed as if `root` were `/`.
 *  @returns undefined where it does not exist and is not made
 *  @throws TerminalError UnsafePath */
export async function openFolder(walk: Walk, folder: string): Promise<HeldFolder | undefined> {
  const path = new Path(walk, await openRoot(walk), folder);
  try {
    return (await path.follow()) ? await path.take() : undefined;
  } finally {
    await path.close();
  }
}
