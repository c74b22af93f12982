import { TerminalError } from '../base/index.ts';
import type { PathSegments } from './file-tree.ts';
import { quoteEntry } from './quote-entry.ts';

/** The segments of a name in an archive or repository; `.` and empty segments vanish, the root is `[]`.
 *  @throws TerminalError UnsafePath (absolute, `..`, NUL), PathTooLong; messages start with what is wrong, not with the name */
export function parseEntryPath(name: string, maxBytes: number): PathSegments {
  const sizeBytes = Buffer.byteLength(name);
  if (sizeBytes > maxBytes) {
    throw new TerminalError('PathTooLong', `path of ${sizeBytes} bytes is longer than the limit of ${maxBytes} bytes`);
  }
  if (name.startsWith('/')) throw new TerminalError('UnsafePath', 'absolute paths are not accepted');
  if (name.includes('\0')) throw new TerminalError('UnsafePath', 'paths with a NUL character are not accepted');
  const segments = name.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw new TerminalError('UnsafePath', 'paths with ".." are not accepted');
  return segments;
}

/** Checks where a symbolic link points; `linkPath` is the link's own path. Absolute targets count from the bundle's root, as in a
 *  container, and are checked when everything is staged.
 *  @throws TerminalError LinkLeavesRoot */
export function assertLinkStaysInside(linkPath: PathSegments, target: string): void {
  if (target.startsWith('/')) return;
  let depth = linkPath.length - 1;
  for (const segment of target.split('/')) {
    if (segment === '' || segment === '.') continue;
    depth += segment === '..' ? -1 : 1;
    if (depth < 0) throw new TerminalError('LinkLeavesRoot', `link to ${quoteEntry(target)} leaves the bundle root`);
  }
}
