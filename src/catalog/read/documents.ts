import { isUtf8 } from 'node:buffer';
import {
  assertHarmless,
  decodeJson,
  errorMessage,
  isJsonObject,
  type JsonValue,
  jsonSyntaxProblem,
  maxNestingDepth,
  mayHaveForbiddenKey,
  parseYamlDocuments,
  TerminalError,
  yamlFault,
} from '../../base/index.ts';
import { type CutDocument, DocumentCutter } from './document-cutter.ts';

/** A document of a stream, or why it cannot be read. */
export type ReadDocument = { readonly line: number } & (
  | { readonly value: JsonValue; readonly syntax: 'json' | 'yaml' }
  | { readonly message: string }
);

/** The parser's words, and those that people know from other tools. */
const knownYamlReasons: ReadonlyMap<string, string> = new Map([
  ['bad indentation of a mapping entry', 'mapping values are not allowed in this context'],
  ['tab characters must not be used in indentation', 'found character that cannot start any token'],
  ['directives end mark is expected', 'did not find expected <document start>'],
]);

class Unreadable extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** A number that may be too large for any: with an exponent of three digits, or with many digits. */
const largeNumber = /\d[eE]\+?\d{3}|\d{300}/;

function assertNumbers(line: number, text: string): void {
  JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    const shown = (context?.source ?? '').slice(0, 40);
    throw new Unreadable(line, `json: cannot unmarshal number ${shown} into Go value of type float64`);
  });
}

/** What is not JSON after all is undefined; in a stream of JSON it is an error. */
function readJson(cut: CutDocument): JsonValue | undefined {
  const { bytes, line, hasLongNumber, depth } = cut;
  if (depth > maxNestingDepth) throw new Unreadable(line, `nested deeper than ${maxNestingDepth} levels`);
  let value: JsonValue;
  const text = bytes.toString();
  try {
    value = hasLongNumber ? decodeJson(text) : (JSON.parse(text) as JsonValue);
  } catch {
    if (cut.isJsonStream) throw new Unreadable(line, strictJsonFault(cut));
    return undefined;
  }
  if (largeNumber.test(text)) assertNumbers(line, text);
  if (mayHaveForbiddenKey(text)) assertHarmless('document', value);
  return value;
}

/** What is wrong with a document of a stream of JSON. */
function strictJsonFault({ bytes, offset }: CutDocument): string {
  const problem = jsonSyntaxProblem(bytes);
  if (problem === undefined) return 'expected a JSON object';
  if (problem.text === 'unexpected end of JSON input') return 'unexpected EOF';
  return `json: offset ${offset + problem.offset}: ${problem.text}`;
}

/** Why something that begins like JSON cannot be read, in the reference's words; undefined when it is better called YAML. */
function jsonFault({ bytes, offset, isFallback, isAfterJson }: CutDocument): string | undefined {
  if (isAfterJson && !isFallback) {
    const first = bytes.toString('latin1', 0, 200).search(/\S/);
    const problem = jsonSyntaxProblem(bytes.subarray(first, first + 1));
    const found =
      problem?.text.startsWith('invalid') === true ? problem.text : 'invalid YAML or JSON after a JSON value';
    return `json: offset ${offset + first + 1}: ${found}`;
  }
  if (!isFallback || !/^\s*\{\s*(?:"|$)/.test(bytes.toString('latin1', 0, 200))) return undefined;
  const problem = jsonSyntaxProblem(bytes);
  if (problem === undefined) return undefined;
  if (problem.text === 'unexpected end of JSON input') return 'unexpected EOF';
  return `json: offset ${offset + problem.offset}: ${problem.text}`;
}

function yamlProblem(cut: CutDocument, thrown: unknown): Unreadable {
  const json = jsonFault(cut);
  if (json !== undefined) return new Unreadable(cut.line, json);
  const isSyntax = thrown instanceof TerminalError && thrown.reason === 'InvalidYaml';
  if (!isSyntax) return new Unreadable(cut.line, errorMessage(thrown));
  const { reason, line = 1 } = yamlFault(thrown);
  const known = knownYamlReasons.get(reason) ?? reason;
  const fileLine = cut.line + line - 1;
  return new Unreadable(fileLine, `error converting YAML to JSON: yaml: line ${fileLine}: ${known}`);
}

/** A separator with a document on its line. */
const crowdedSeparator = /^---[ \t]*([^\s#][^\r\n]*)/;

function readYaml(cut: CutDocument): JsonValue[] {
  if (cut.isJsonStream) throw new Unreadable(cut.line, strictJsonFault(cut));
  const [, behind] = crowdedSeparator.exec(cut.bytes.toString('utf8', 0, 200)) ?? [];
  if (behind !== undefined) throw new Unreadable(cut.line, `invalid Yaml document separator: ${behind.trim()}`);
  let documents: JsonValue[];
  try {
    documents = parseYamlDocuments('document', cut.bytes.toString(), { isLastKeyTaken: true });
  } catch (thrown) {
    throw yamlProblem(cut, thrown);
  }
  const isFine = !cut.isAfterJson || documents.every((document) => document === null || isJsonObject(document));
  if (!isFine) throw yamlProblem(cut, undefined);
  // The parser's values keep the text alive that they were cut from; those of JSON do not.
  return documents.map((value) => decodeJson(JSON.stringify(value)));
}

/** Characters that begin or separate values. */
const separators = new Uint8Array(256);
for (const character of ',:[{\n') separators[character.charCodeAt(0)] = 1;
/** A value takes many times the memory of its two bytes; no smaller document can have more. */
const maxSeparators = 2 * 1024 * 1024;

function assertFewValues({ bytes, line }: CutDocument): void {
  if (bytes.length <= maxSeparators) return;
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) count += separators[bytes[at] as number] as number;
  if (count > maxSeparators) throw new Unreadable(line, `more than ${maxSeparators} values or lines in one document`);
}

/** What the cut holds; undefined when it has to be cut as YAML. */
function readCut(cut: CutDocument): JsonValue[] | undefined {
  assertFewValues(cut);
  if (!isUtf8(cut.bytes)) throw new Unreadable(cut.line, 'not UTF-8: save the file in that encoding');
  if (cut.syntax === 'yaml') return readYaml(cut);
  const value = readJson(cut);
  return value === undefined ? undefined : [value];
}

function* readAvailable(cutter: DocumentCutter, isEnd: boolean): Generator<ReadDocument> {
  for (let cut = cutter.next(isEnd); cut !== undefined; cut = cutter.next(isEnd)) {
    try {
      const values = readCut(cut);
      if (values === undefined) cutter.retryAsYaml();
      for (const value of values ?? []) yield { line: cut.line, value, syntax: cut.syntax };
    } catch (thrown) {
      const line = thrown instanceof Unreadable ? thrown.line : cut.line;
      yield { line, message: errorMessage(thrown) };
    }
  }
}

/** The documents of a stream of bytes, one at a time; memory follows the largest. What cannot be read is reported in its place, and what
 *  comes behind it is read all the same, as far as its end can be found.
 *  @see docs/spec/catalogs.md#walking-a-catalog-root */
export async function* readDocuments(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<ReadDocument> {
  const cutter = new DocumentCutter();
  try {
    for await (const chunk of chunks) {
      cutter.push(chunk);
      yield* readAvailable(cutter, false);
    }
    yield* readAvailable(cutter, true);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError && thrown.reason === 'DocumentTooLarge')) throw thrown;
    yield { line: cutter.line, message: thrown.message };
  }
}
