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
  // The root itself is chosen by whoever starts the agent.
  return await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: folderMode });
  } catch (thrown) {
    if (!isCode(thrown, 'EEXIST')) throw thrown;
  }
}

/** The parts of a link that leads from `parts` of the root; a root user's link may lead anywhere, but within the root. */
async function followLink(
  place: string,
  walk: Walk,
): Promise<{ readonly isAbsolute: boolean; readonly parts: string[] }> {
  const { uid } = await lstat(place);
  if (!isTrusted(uid)) throw refuse(walk.path, `a symbolic link on the way belongs to user ${uid}`);
  const target = await readlink(place);
  return { isAbsolute: target.startsWith('/'), parts: target.split('/').filter((part) => part !== '' && part !== '.') };
}

/** Opens a folder below `root`, one name after the other; links of root are followed as if `root` were `/`.
 *  @returns undefined where it does not exist and is not made
 *  @throws TerminalError UnsafePath */
export async function openFolder(walk: Walk, folder: string): Promise<HeldFolder | undefined> {
  let pending = folder.split('/').filter((part) => part !== '');
  // The folders on the way, from the root: `..` of a link goes back to the one before, and never above the root.
  const stack: FileHandle[] = [await openRoot(walk)];
  let links = 0;
  try {
    while (pending.length > 0) {
      const [name = '', ...rest] = pending;
      pending = rest;
      if (name === '..') {
        if (stack.length > 1) await stack.pop()?.close();
        continue;
      }
      const next = await step(stack, name, walk);
      if (next === undefined) return undefined;
      if ('fd' in next) {
        stack.push(next);
        continue;
      }
      links += 1;
      if (links > maxLinks) throw refuse(walk.path, 'too many symbolic links on the way');
      pending = [...next.parts, ...pending];
      if (next.isAbsolute) while (stack.length > 1) await stack.pop()?.close();
    }
    const last = stack.pop();
    return last === undefined ? undefined : held(last);
  } finally {
    for (const handle of stack) await handle.close();
  }
}

async function step(
  stack: readonly FileHandle[],
  name: string,
  walk: Walk,
): Promise<FileHandle | { readonly isAbsolute: boolean; readonly parts: string[] } | undefined> {
  const parent = stack.at(-1);
  if (parent === undefined) return undefined;
  const place = `${pathOf(parent)}/${name}`;
  for (;;) {
    try {
      return await open(place, folderFlags);
    } catch (thrown) {
      if (isCode(thrown, 'ELOOP') || isCode(thrown, 'ENOTDIR')) {
        const { isLink } = await kindOf(place);
        if (isLink) return await followLink(place, walk);
        throw refuse(walk.path, `${name} on the way is not a folder`);
      }
      if (!isCode(thrown, 'ENOENT')) throw thrown;
      if (!walk.creates) return undefined;
      await makeFolder(place);
    }
  }
}

async function kindOf(place: string): Promise<{ readonly isLink: boolean }> {
  return { isLink: (await lstat(place)).isSymbolicLink() };
}
