import { readFile } from 'node:fs/promises';
import { fileProblem, TerminalError } from '../../src/base/index.ts';

/** The text of the file that an option such as `--policy` names.
 *  @throws TerminalError InvalidOption, naming the option, the file and what is wrong with it */
export async function readOptionFile(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `${option} ${path}: ${fileProblem(thrown)}`, { cause: thrown });
  }
}
