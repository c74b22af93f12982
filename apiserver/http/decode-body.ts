import {
  assertHarmlessText,
  errorMessage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonSyntaxProblem,
} from '../../src/base/index.ts';
import {
  atOnce,
  badRequest,
  groupVersionOf,
  type KubeObject,
  type ResourceType,
  StatusError,
  type Steps,
} from '../core/index.ts';
import { checkFields } from '../schema/index.ts';
import { checkKind, type ExpectedKind, shownStart, unrecognised } from './body-kind.ts';
import { findDuplicateFields, inDocumentOrder, parseMerging } from './duplicate-fields.ts';
import type { Syntax } from './negotiation.ts';
import { decodeProtobufBody } from './protobuf-body.ts';
import { parseYamlBody } from './yaml-text.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface DecodeOptions {
  readonly syntax: Syntax;
  readonly validation: FieldValidation;
  warn(text: string): void;
}

const goTypeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

function unparsable(kind: string, text: string, why: string): StatusError {
  return unrecognised(kind, `couldn't get version/kind; json parse error: ${why} ${shownStart(text)}`);
}

function noObjectText(value: JsonValue): string {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type ${goTypeMeta}`;
}

function noObject(kind: string, text: string, value: JsonValue): StatusError {
  return unparsable(kind, text, noObjectText(value));
}

/** Parses a body; a duplicate key is reported as a finding, not refused.
 *  @throws StatusError 400, 413 */
function parseBody(
  bytes: Buffer,
  kind: string,
  syntax: 'json' | 'yaml',
): { readonly value: JsonValue; readonly text: string } {
  const text = bytes.toString('utf8');
  try {
    if (syntax === 'yaml') return { value: parseYamlBody('request body', text), text };
    const value = JSON.parse(text) as JsonValue;
    assertHarmlessText('request body', text, value);
    return { value, text };
  } catch (thrown) {
    if (thrown instanceof StatusError) throw thrown;
    const why = syntax === 'json' ? jsonSyntaxProblem(bytes)?.text : undefined;
    throw unparsable(kind, text, why ?? errorMessage(thrown));
  }
}

/** A body of a kind that has a message in protobuf too.
 *  @throws StatusError 400 */
function parseAny(
  bytes: Buffer,
  expected: { readonly apiVersion: string; readonly kind: string },
  syntax: Syntax,
): { readonly value: JsonValue; readonly text: string } {
  if (syntax !== 'protobuf') return parseBody(bytes, expected.kind, syntax);
  return { value: decodeProtobufBody(bytes, expected), text: '' };
}

/** Acts on unknown and duplicate fields as `fieldValidation` requests.
 *  @throws StatusError 400 in strict mode */
function reportFindings(findings: readonly string[], expected: ExpectedKind, options: DecodeOptions): void {
  if (findings.length === 0 || options.validation === 'Ignore') return;
  if (options.validation === 'Strict') {
    const what = `${expected.kind} in version "${expected.version}" cannot be handled as a ${expected.kind}`;
    throw badRequest(`${what}: strict decoding error: ${findings.join(', ')}`);
  }
  for (const finding of findings) options.warn(finding);
}

/** What a body holds, and its keys that stand twice in one object. */
function* parseObject(
  bytes: Buffer,
  type: ResourceType,
  syntax: Syntax,
): Steps<{ readonly value: JsonObject; readonly text: string; readonly duplicates: readonly string[] }> {
  const { value: parsed, text } = parseAny(bytes, { apiVersion: groupVersionOf(type), kind: type.kind }, syntax);
  if (parsed === null && type.isCustom)
    throw unrecognised(type.kind, `Object 'Kind' is missing in 'null' ${shownStart(text)}`);
  const value = parsed === null ? {} : parsed;
  if (!isJsonObject(value)) throw noObject(type.kind, text, value);
  yield;
  const duplicates = syntax === 'json' ? findDuplicateFields(text, value) : [];
  if (duplicates.length === 0 || type.isCustom) return { value, text, duplicates };
  yield;
  const merged = parseMerging(text) as JsonObject;
  assertHarmlessText('request body', text, merged);
  return { value: merged, text, duplicates };
}

/** Unknown and duplicate fields, each once. The decoder of built-in kinds meets both in the order of the document; custom resources are
 *  searched for duplicates first. */
function findingsOf(
  body: { readonly text: string; readonly duplicates: readonly string[]; readonly unknown: readonly string[] },
  isCustom: boolean,
): string[] {
  const { text, duplicates, unknown } = body;
  const isUnknown = new Set(unknown);
  const all = new Set([...duplicates.filter((path) => !isUnknown.has(path)), ...unknown]);
  const isMixed = duplicates.length > 0 && unknown.length > 0 && !isCustom;
  const ordered = isMixed ? inDocumentOrder(text, unknown).filter((path) => all.has(path)) : [...all];
  return ordered.map((path) => `${isUnknown.has(path) ? 'unknown' : 'duplicate'} field ${JSON.stringify(path)}`);
}

/** The object that a body holds, checked for kind, types and fields; unknown fields are removed.
 *  @throws StatusError 400 */
export function decodeObject(bytes: Buffer, type: ResourceType, options: DecodeOptions): KubeObject {
  return atOnce(decodingSteps(bytes, type, options));
}

/** The same in steps, between which others may have their turns.
 *  @throws StatusError 400 */
export function* decodingSteps(bytes: Buffer, type: ResourceType, options: DecodeOptions): Steps<KubeObject> {
  const { value, text, duplicates } = yield* parseObject(bytes, type, options.syntax);
  checkKind(value, type, text);
  value['metadata'] ??= {};
  yield;
  const unknown = checkFields(type, value as unknown as KubeObject);
  yield;
  reportFindings(findingsOf({ text, duplicates, unknown }, type.isCustom), type, options);
  return value as unknown as KubeObject;
}

/** A body whose decoder's errors are answered as they are; an empty object for null.
 *  @throws StatusError 500 */
export function decodeBare(bytes: Buffer, kind: string, syntax: Syntax): JsonObject {
  const fail = (why: string): StatusError =>
    new StatusError({ code: 500, message: `couldn't get version/kind; json parse error: ${why}` });
  const problem = syntax === 'json' ? jsonSyntaxProblem(bytes)?.text : undefined;
  if (problem !== undefined) throw fail(problem);
  const { value } = parseAny(bytes, { apiVersion: 'v1', kind }, syntax);
  if (value === null) return {};
  if (!isJsonObject(value)) throw fail(noObjectText(value));
  return value;
}
