import { isUtf8 } from 'node:buffer';
import { TerminalError } from './errors.ts';
import { decodeJson, type JsonValue, parseJson } from './json.ts';
import { endedText, NodeBudget, parseYamlPart, TextFault, type YamlReading } from './yaml.ts';

const [newline, space, tab, carriageReturn, quote, backslash, percent] = [10, 32, 9, 13, 34, 92, 37];
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93];

/** Documents smaller than this are parsed together: each text that a parser is given costs it a little. */
const minPartBytes = 32 * 1024;

/** Up to this size the values of a part are copied, so that they do not retain the text that they were cut from. */
const maxCopiedBytes = 1024 * 1024;

/** A range of bytes that holds whole documents. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab || byte === newline || byte === carriageReturn;
}

/** Lines that begin with a percent sign are directives for the document after the next separator. */
function hasDirectives(content: Buffer): boolean {
  return content[0] === percent || content.includes('\n%');
}

/** Where a text may be cut: `---` at the start of a line ends a document, whatever stands before it. */
function* yamlParts(content: Buffer): Generator<TextPart> {
  let start = 0;
  let at = hasDirectives(content) ? -1 : content.indexOf('\n---');
  for (; at >= 0; at = content.indexOf('\n---', at + 4)) {
    if (at + 1 - start < minPartBytes || (at + 4 < content.length && !isBlank(content[at + 4]))) continue;
    yield { start, end: at + 1 };
    start = at + 1;
  }
  yield { start, end: content.length };
}

/** The byte behind a JSON text in quotation marks. */
function endOfText(content: Buffer, from: number): number {
  let at = from + 1;
  while (at < content.length && content[at] !== quote) at += content[at] === backslash ? 2 : 1;
  return at + 1;
}

/** The byte behind a JSON object; beyond the end of `content` when it is not closed. */
function endOfObject(content: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < content.length; at += 1) {
    const byte = content[at];
    if (byte === quote) at = endOfText(content, at) - 1;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return content.length + 1;
}

/** JSON objects one after the other; undefined when there is anything else. */
function jsonParts(content: Buffer): readonly TextPart[] | undefined {
  const parts: TextPart[] = [];
  for (let at = 0; at < content.length; at += 1) {
    if (isBlank(content[at])) continue;
    if (content[at] !== openBrace) return undefined;
    const end = endOfObject(content, at);
    if (end > content.length) return undefined;
    parts.push({ start: at, end });
    at = end - 1;
  }
  return parts.length === 0 ? undefined : parts;
}

/** The parts of a text in UTF-8, in order. */
export function textParts(content: Buffer): Iterable<TextPart> {
  return jsonParts(content) ?? yamlParts(content);
}

/** The text of a part. */
export function textOf(content: Buffer, { start, end }: TextPart): string {
  return content.toString('utf8', start, end);
}

/** The documents of a text that is JSON throughout, else undefined. */
function jsonDocuments(what: string, texts: () => readonly string[] | undefined): JsonValue[] | undefined {
  try {
    return texts()?.map((text) => parseJson(what, text));
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === 'InvalidJson') return undefined;
    throw thrown;
  }
}

/** Lines that end before a byte. */
export function countLines(content: Buffer, end: number): number {
  let lines = 0;
  for (let at = content.indexOf(newline); at >= 0 && at < end; at = content.indexOf(newline, at + 1)) lines += 1;
  return lines;
}

function refuseBytes(what: string, content: Buffer): never {
  let [line, start] = [1, 0];
  for (;;) {
    const end = content.indexOf(newline, start);
    const bytes = content.subarray(start, end < 0 ? content.length : end);
    if (end < 0 || !isUtf8(bytes)) {
      const before = Array.from({ length: bytes.length }, (_, length) => length).findLast((length) =>
        isUtf8(bytes.subarray(0, length)),
      );
      const column = bytes.toString('utf8', 0, before ?? 0).length + 1;
      const reason = 'not UTF-8: save the file in that encoding';
      const cause = new TextFault({ reason, line, column });
      throw new TerminalError('InvalidYaml', `${what}: ${reason}`, { cause });
    }
    [line, start] = [line + 1, end + 1];
  }
}

/** The bytes of a file in UTF-8, without the byte order mark.
 *  @throws TerminalError InvalidYaml when they are neither UTF-8 nor, by their mark, UTF-16 */
function toUtf8(what: string, content: Buffer): Buffer {
  const mark = content.toString('latin1', 0, 2);
  if (mark === '\xFF\xFE') return Buffer.from(new TextDecoder('utf-16le').decode(content));
  if (mark === '\xFE\xFF') return Buffer.from(new TextDecoder('utf-16be').decode(content));
  if (!isUtf8(content)) return refuseBytes(what, content);
  return content.toString('latin1', 0, 3) === '\xEF\xBB\xBF' ? content.subarray(3) : content;
}

function* yamlDocuments(what: string, content: Buffer, options: YamlReading): Generator<JsonValue> {
  const budget = new NodeBudget(what, content.length, options.limits);
  for (const part of yamlParts(content)) {
    const documents = parseYamlPart(what, endedText(textOf(content, part)), {
      ...options,
      budget,
      linesBefore: () => countLines(content, part.start),
    });
    const isCopied = part.end - part.start <= maxCopiedBytes;
    for (const document of documents) yield isCopied ? decodeJson(JSON.stringify(document)) : document;
  }
}

/** Whether all of a text is one part. */
function isOnePart(content: Buffer): boolean {
  const [part] = yamlParts(content);
  return part?.end === content.length;
}

/** A file from outside. Takes the bytes over: those of a large document are released as soon as they are decoded, so that it is in memory once. */
export class SourceText {
  #bytes: Buffer;
  /** Instead of the bytes; ended for the parser. */
  #ended: string | undefined;

  constructor(content: Buffer) {
    this.#bytes = content;
  }

  /** The bytes, without a byte order mark when they could be decoded; those of a large document are encoded again. */
  get content(): Buffer {
    return this.#ended === undefined ? this.#bytes : Buffer.from(this.#ended.slice(0, -1));
  }

  /** The `endedText` of a large document, once it was decoded. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** All documents, as `readDocuments` gives them. */
  documents(what: string, options: YamlReading = {}): Iterable<JsonValue> {
    this.#bytes = toUtf8(what, this.#bytes);
    const jsonCount = jsonParts(this.#bytes)?.length ?? 0;
    if (this.#bytes.length <= maxCopiedBytes || jsonCount > 1 || !isOnePart(this.#bytes)) {
      return readDocuments(what, this.#bytes, options);
    }
    const ended = endedText(this.#bytes.toString());
    this.#release(ended);
    const found = jsonCount === 1 ? jsonDocuments(what, () => [ended.slice(0, -1)]) : undefined;
    const budget = new NodeBudget(what, ended.length, options.limits);
    return found ?? parseYamlPart(what, ended, { ...options, budget, linesBefore: () => 0 });
  }

  /** Releases memory at once, regardless of other references. */
  #release(ended: string): void {
    this.#ended = ended;
    const { buffer, byteLength } = this.#bytes;
    if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
    this.#bytes = Buffer.alloc(0);
  }
}

/** All documents of a file that came from outside, YAML or JSON objects one after the other, in order; empty ones are `null`.
 *  Large files of many documents are read piece by piece: keep what you need of each.
 *  @throws TerminalError InvalidYaml (`yamlFault` has the place), AliasBomb, TooDeeplyNested, ForbiddenKey */
export function readDocuments(what: string, content: Buffer, options: YamlReading = {}): Iterable<JsonValue> {
  const bytes = toUtf8(what, content);
  const texts = (): readonly string[] | undefined => jsonParts(bytes)?.map((part) => textOf(bytes, part));
  return jsonDocuments(what, texts) ?? yamlDocuments(what, bytes, options);
}
