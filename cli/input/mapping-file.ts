import { isJsonObject, type JsonObject, parseYaml, TerminalError } from '../../src/base/index.ts';
import { readOptionFile } from './option-file.ts';

/** The mapping in the YAML file that an option names; `expected` describes its fields.
 *  @throws TerminalError InvalidOption, InvalidYaml */
export async function readMappingFile(option: string, path: string, expected: string): Promise<JsonObject> {
  const value = parseYaml(`${option} ${path}`, await readOptionFile(option, path));
  if (isJsonObject(value)) return value;
  throw new TerminalError('InvalidOption', `${option} ${path}: expected a YAML mapping, ${expected}`);
}
