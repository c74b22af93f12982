import { readdir, stat } from 'node:fs/promises';
import { TerminalError } from '../../src/base/index.ts';

/** The file at the top of an OCI image layout. */
export const layoutMarker = 'oci-layout';

/** What there is at a path; a file is a tar, of a layout or of other files.
 *  @throws TerminalError NotFound */
export async function pathKind(path: string): Promise<'folder' | 'layout folder' | 'file'> {
  try {
    if (!(await stat(path)).isDirectory()) return 'file';
    return (await readdir(path)).includes(layoutMarker) ? 'layout folder' : 'folder';
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    throw new TerminalError('NotFound', `${path}: no such file or directory`, { cause: thrown });
  }
}
