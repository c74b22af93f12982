import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileProblem, TerminalError } from '../../src/base/index.ts';

const maxBytes = 64 * 1024 * 1024;

async function read(path: string): Promise<string> {
  if (path === '-') return await text(process.stdin);
  const { size } = await stat(path);
  if (size > maxBytes) throw new TerminalError('FileTooLarge', `more than ${maxBytes} bytes`);
  return await readFile(path, 'utf8');
}

/** The text of a file that a person names; `-` is standard input.
 *  @throws TerminalError UnreadableFile */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await read(path);
  } catch (thrown) {
    throw new TerminalError('UnreadableFile', `${path}: ${fileProblem(thrown)}`, { cause: thrown });
  }
}
