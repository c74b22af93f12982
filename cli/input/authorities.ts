import { readFile } from 'node:fs/promises';
import { fileProblem, TerminalError } from '../../src/base/index.ts';

/** The PEM text of `--registry-ca`; none when the option is absent.
 *  @throws TerminalError InvalidOption */
export async function readAuthorities(path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
  try {
    const text = await readFile(path, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return [text];
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `--registry-ca ${path}: ${fileProblem(thrown)}`, { cause: thrown });
  }
  throw new TerminalError('InvalidOption', `--registry-ca ${path}: expected certificates in PEM form, found none`);
}
