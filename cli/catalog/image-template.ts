import { TerminalError } from '../../src/base/index.ts';
import type { BundleNames } from '../catalog-files/index.ts';

const placeholder = /\{\{-?\s*\.(Package|Name|Version)\s*-?\}\}/g;

/** Reads `registry.example/{{.Package}}:v{{.Version}}`: makes references of names. A template of Go with nothing in it but `.Package`, `.Name` and
 *  `.Version`.
 *  @throws TerminalError InvalidOption */
export function readImageTemplate(text: string): (names: BundleNames) => string {
  if (/\{\{|\}\}/.test(text.replace(placeholder, ''))) {
    const expected = 'expected no placeholders but {{.Package}}, {{.Name}} and {{.Version}}';
    throw new TerminalError('InvalidOption', `--image-ref-template: ${expected}, found "${text}"`);
  }
  return (names) => text.replace(placeholder, (_found, key: keyof BundleNames) => names[key]);
}
