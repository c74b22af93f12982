import { cutText, TerminalError } from '../../base/index.ts';
import type { ObjectFormat } from './object-format.ts';
import type { Pack } from './pack.ts';

/** More entries than any bundle may have. */
const maxTreeBytes = 16 * 1024 * 1024;
const maxCommitBytes = 1024 * 1024;
/** Take less than a millisecond. */
const entriesAtATime = 500;
/** A tag may name another tag. */
const maxTagDepth = 10;

export interface TreeEntry {
  readonly kind: 'tree' | 'file' | 'executable' | 'link' | 'submodule';
  readonly name: string;
  readonly oid: string;
}

const kinds: ReadonlyMap<number, TreeEntry['kind']> = new Map([
  [0o040000, 'tree'],
  [0o100000, 'file'],
  [0o120000, 'link'],
  [0o160000, 'submodule'],
]);

function invalid(oid: string, problem: string): TerminalError {
  return new TerminalError('InvalidObject', `the tree ${oid} is invalid: ${problem}`);
}

function kindOf(oid: string, mode: string): TreeEntry['kind'] {
  const bits = /^[0-7]{5,6}$/.test(mode) ? Number.parseInt(mode, 8) : 0;
  const kind = kinds.get(bits & 0o170000);
  if (kind === undefined) throw invalid(oid, `an entry has the mode ${JSON.stringify(cutText(mode, 20))}`);
  return kind === 'file' && (bits & 0o100) !== 0 ? 'executable' : kind;
}

/** Reads a tree: names are distinct and of one part each; what they may be called besides is for those who write files.
 *  @throws TerminalError ObjectMissing, InvalidObject, ObjectTooLarge, TooManyEntries */
export async function readTree(
  pack: Pick<Pack, 'readWhole' | 'share'>,
  oid: string,
  { format, maxEntries }: { readonly format: ObjectFormat; readonly maxEntries: number },
): Promise<readonly TreeEntry[]> {
  const bytes = await pack.readWhole(oid, { type: 'tree', maxBytes: maxTreeBytes });
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = space < 0 ? -1 : bytes.indexOf(0, space);
    if (end < 0 || end + 1 + format.oidBytes > bytes.length) throw invalid(oid, 'unexpected end of data');
    const name = bytes.toString('utf8', space + 1, end);
    if (name === '' || name.includes('/') || entries.has(name)) {
      throw invalid(oid, `it has an entry ${JSON.stringify(cutText(name, 200))}`);
    }
    const kind = kindOf(oid, bytes.toString('latin1', at, space));
    at = end + 1 + format.oidBytes;
    entries.set(name, { kind, name, oid: bytes.toString('hex', end + 1, at) });
    if (entries.size % entriesAtATime === 0) await pack.share();
    if (entries.size > maxEntries) throw new TerminalError('TooManyEntries', `more than ${maxEntries} entries`);
  }
  return [...entries.values()];
}

function fieldOf(text: string, name: string): string | undefined {
  const head = text.slice(0, text.indexOf('\n\n') + 1 || text.length);
  return new RegExp(`^${name} (\\S+)$`, 'm').exec(head)?.[1];
}

/** The commit that an object is or, being a tag, leads to, and the tree of that.
 *  @throws TerminalError ObjectMissing, InvalidObject, ObjectTooLarge */
export async function readCommit(pack: Pack, oid: string): Promise<{ readonly oid: string; readonly tree: string }> {
  let at = oid;
  for (let depth = 0; depth <= maxTagDepth; depth += 1) {
    const { type } = await pack.read(at);
    const expected = type === 'tag' ? 'tag' : 'commit';
    const text = (await pack.readWhole(at, { type: expected, maxBytes: maxCommitBytes })).toString();
    const next = fieldOf(text, expected === 'tag' ? 'object' : 'tree');
    if (next === undefined) throw new TerminalError('InvalidObject', `the ${expected} ${at} names no object`);
    if (expected === 'commit') return { oid: at, tree: next };
    at = next;
  }
  throw new TerminalError('InvalidObject', `the tag ${oid} leads to no commit`);
}
