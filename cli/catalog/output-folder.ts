import { readdir } from 'node:fs/promises';
import { goQuote, TerminalError } from '../../src/base/index.ts';

/** Refuses a folder for output that has something in it; one that is not there will be made.
 *  @throws TerminalError InvalidOption */
export async function assertEmptyFolder(folder: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'ENOTDIR') throw thrown;
    const text = `output dir ${goQuote(folder)}: a file is there, or on the way to it: expected a folder`;
    throw new TerminalError('InvalidOption', text, { cause: thrown });
  }
  throw new TerminalError('InvalidOption', `output dir ${goQuote(folder)} must be empty`);
}
