import { readFile } from 'node:fs/promises';
import { errorMessage, isJsonObject, type JsonObject, parseYaml, TerminalError } from '../../src/base/index.ts';

/** The mapping in the YAML file that an option names; `expected` describes its fields.
 *  @throws TerminalError InvalidOption, InvalidYaml */
export async function readMappingFile(option: string, path: string, expected: string): Promise<JsonObject> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `${option}: ${errorMessage(thrown)}`, { cause: thrown });
  }
  const value = parseYaml(`${option} ${path}`, text);
  if (isJsonObject(value)) return value;
  throw new TerminalError('InvalidOption', `${option} ${path}: expected a YAML mapping, ${expected}`);
}
