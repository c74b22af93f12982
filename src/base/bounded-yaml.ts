import { isShortIndented } from './indented-length.ts';
import type { JsonValue } from './json.ts';
import { formatYaml } from './yaml.ts';

/** Of a text in block style, in characters, roughly. */
const maxBlockCharacters = 512 * 1024;

/** JSON as YAML, which has fewer characters that may stand for themselves. A character of it is never split over two texts. */
export function jsonAsYaml(json: string): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
}

/** YAML of a value that others have written, in time and memory that grow with its JSON: in block style, or in flow style where that would be long. */
export function formatBoundedYaml(value: JsonValue): string {
  return isShortIndented(value, maxBlockCharacters) ? formatYaml(value) : `${jsonAsYaml(JSON.stringify(value))}\n`;
}
