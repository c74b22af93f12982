import { TerminalError } from '../../src/base/index.ts';
import { readOptionFile } from './option-file.ts';

/** The PEM text of `--registry-ca`; none when the option is absent.
 *  @throws TerminalError InvalidOption */
export async function readAuthorities(path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
  const text = await readOptionFile('--registry-ca', path);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return [text];
  throw new TerminalError('InvalidOption', `--registry-ca ${path}: expected certificates in PEM form, found none`);
}
