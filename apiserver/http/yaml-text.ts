import { isUtf8 } from 'node:buffer';
import { type JsonValue, parseYaml, TerminalError } from '../../src/base/index.ts';
import { maxBodyBytes, maxBodyValues, tooManyValues } from './body-limits.ts';

/** Keys count too: a node of YAML takes the time of several values of JSON. */
const limits = { maxNodes: maxBodyValues, maxCharacters: maxBodyBytes };

/** Bytes of the character that a byte leads; 0 when it leads none. */
function widthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc0 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf8 ? 4 : 0;
}

function isTrailing(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

/** Why a text is no UTF-8, at its first bad character, in the words of a YAML reader. */
function problemOf(bytes: Uint8Array): string {
  for (let at = 0; at < bytes.length; ) {
    const width = widthOf(bytes[at] ?? 0);
    if (width === 0) return 'invalid leading UTF-8 octet';
    if (at + width > bytes.length) return 'incomplete UTF-8 octet sequence';
    for (let next = 1; next < width; next += 1) {
      if (!isTrailing(bytes[at + next])) return 'invalid trailing UTF-8 octet';
    }
    if (!isUtf8(bytes.subarray(at, at + width))) return 'invalid length of a UTF-8 sequence';
    at += width;
  }
  return 'invalid Unicode character';
}

/** The text of a YAML body. JSON may hold broken characters, which become U+FFFD; YAML may not.
 *  @throws TerminalError InvalidYaml */
export function decodeYamlText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new TerminalError('InvalidYaml', `error converting YAML to JSON: yaml: ${problemOf(bytes)}`);
}

/** The value of a YAML body, with the numbers of JavaScript.
 *  @throws TerminalError as `parseYaml`; StatusError 413 for very many values, in the text or by its aliases */
export function parseYamlBody(what: string, text: string): JsonValue {
  try {
    return JSON.parse(JSON.stringify(parseYaml(what, text, { limits }))) as JsonValue;
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === 'TooManyValues') throw tooManyValues();
    throw thrown;
  }
}
