import {
  assertHarmless,
  errorMessage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseYaml,
} from '../../src/base/index.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { groupVersionOf } from '../registry/type-registry.ts';
import { findDuplicateFields } from './duplicate-fields.ts';
import { checkFields } from './field-decoding.ts';
import type { Syntax } from './negotiation.ts';
import { decodeProtobufBody } from './protobuf-body.ts';
import { badRequest } from './status-error.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The kind of object that a body has to hold. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Custom resources must say their kind; built-in ones are taken from the URL. */
  readonly isCustom: boolean;
}

export interface DecodeOptions {
  readonly syntax: Syntax;
  readonly validation: FieldValidation;
  warn(text: string): void;
}

const shownBytes = 30;

function unrecognised(kind: string, text: string, why: string): Error {
  const shown = text.startsWith('{') ? text : Buffer.from(text.slice(0, shownBytes)).toString('hex');
  const cut = text.length > shownBytes ? `${shown.slice(0, shownBytes)} ...` : shown;
  const problem = `couldn't get version/kind; json parse error: ${why} (${cut})`;
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${problem}`);
}

/** Parses a body; a duplicate key is reported as a finding, not refused.
 *  @throws StatusError 400 */
export function parseBody(
  bytes: Buffer,
  kind: string,
  syntax: 'json' | 'yaml',
): { readonly value: JsonValue; readonly text: string } {
  const text = bytes.toString('utf8');
  try {
    const value = syntax === 'yaml' ? parseYaml('request body', text) : (JSON.parse(text) as JsonValue);
    assertHarmless('request body', value);
    return { value, text };
  } catch (thrown) {
    throw unrecognised(kind, text, errorMessage(thrown));
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

function checkKind(value: JsonObject, expected: ExpectedKind): void {
  const apiVersion = groupVersionOf(expected);
  if (!expected.isCustom) {
    value['kind'] ??= expected.kind;
    value['apiVersion'] ??= apiVersion;
  }
  const { kind, apiVersion: given } = value;
  if (typeof kind !== 'string' || kind === '') {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): Object 'Kind' is missing in '${JSON.stringify(value).slice(0, 200)}'`,
    );
  }
  if (given !== apiVersion) {
    throw badRequest(
      `the API version in the data (${typeof given === 'string' ? given : ''}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (kind !== expected.kind) {
    const target = `${expected.kind} in version "${expected.version}" cannot be handled as a ${expected.kind}`;
    throw badRequest(
      `${target}: converting (${given}.${kind}) to (${given}.${expected.kind}): unknown conversion`.replace(
        /^\w+/,
        kind,
      ),
    );
  }
}

/** Acts on unknown and duplicate fields as `fieldValidation` says.
 *  @throws StatusError 400 in strict mode */
function reportFindings(findings: readonly string[], expected: ExpectedKind, options: DecodeOptions): void {
  if (findings.length === 0 || options.validation === 'Ignore') return;
  if (options.validation === 'Strict') {
    const what = `${expected.kind} in version "${expected.version}" cannot be handled as a ${expected.kind}`;
    throw badRequest(`${what}: strict decoding error: ${findings.join(', ')}`);
  }
  for (const finding of findings) options.warn(finding);
}

/** The object that a body holds, checked for kind, types and fields; unknown fields are gone from it.
 *  @throws StatusError 400 */
export function decodeObject(bytes: Buffer, type: ResourceType, options: DecodeOptions): KubeObject {
  const expected = { apiVersion: groupVersionOf(type), kind: type.kind };
  const { value, text } = parseAny(bytes, expected, options.syntax);
  if (!isJsonObject(value)) throw unrecognised(type.kind, text, 'cannot unmarshal into Go value of type struct');
  checkKind(value, type);
  if (!isJsonObject(value['metadata'])) value['metadata'] = {};
  const duplicates = options.syntax === 'json' && options.validation !== 'Ignore' ? findDuplicateFields(text) : [];
  const unknown = checkFields(type, value as unknown as KubeObject);
  const findings = [
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
  reportFindings(findings, type, options);
  return value as unknown as KubeObject;
}

/** A body of a kind that is not a resource of its own: options, scales, reviews. Absent kind and version are accepted.
 *  @throws StatusError 400 */
export function decodePlain(bytes: Buffer, kind: string, syntax: Syntax): JsonObject {
  if (bytes.length === 0) return {};
  const { value, text } = parseAny(bytes, { apiVersion: 'v1', kind }, syntax);
  if (!isJsonObject(value)) throw unrecognised(kind, text, 'cannot unmarshal into Go value of type struct');
  if (value['kind'] !== undefined && value['kind'] !== kind) {
    throw badRequest(`${JSON.stringify(value['kind'])} in version "v1" cannot be handled as a ${kind}`);
  }
  return value;
}
