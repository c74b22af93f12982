import { assertHarmlessText, isJsonObject, type JsonValue, jsonSyntaxProblem } from '../../src/base/index.ts';
import { badRequest, type StatusError } from '../core/index.ts';
import { findDuplicateFields } from './duplicate-fields.ts';

export type PatchKind = 'json' | 'merge' | 'strategic';

/** The document of a patch. */
export interface DecodedPatch {
  readonly value: JsonValue;
  /** What strict decoding finds in the patch itself. */
  readonly findings: readonly string[];
}

function goKindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The problem of a value that does not have the type that Go reads it into. */
function refuse(value: JsonValue, prefix: string, where: string): StatusError {
  return badRequest(`${prefix}json: cannot unmarshal ${goKindOf(value)} into Go ${where}`);
}

function parseDocument(bytes: Buffer, prefix: string): JsonValue {
  const text = bytes.toString('utf8');
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (thrown) {
    throw badRequest(`${prefix}${jsonSyntaxProblem(bytes)?.text ?? 'invalid UTF-8'}`, thrown);
  }
  assertHarmlessText('patch', text, value);
  return value;
}

const operationFields = ['op', 'path', 'from', 'value'];
const textFields = ['op', 'path', 'from'];

function checkOperation(operation: JsonValue, prefix: string): void {
  if (operation === null) return;
  if (!isJsonObject(operation)) throw refuse(operation, prefix, 'value of type handlers.jsonPatchOp');
  for (const name of textFields) {
    const value = operation[name] ?? '';
    if (typeof value !== 'string') throw refuse(value, prefix, `struct field jsonPatchOp.${name} of type string`);
  }
}

function unknownFields(operations: readonly JsonValue[]): string[] {
  return operations.flatMap((operation, index) =>
    Object.keys(isJsonObject(operation) ? operation : {})
      .filter((name) => !operationFields.includes(name))
      .map((name) => `unknown field "[${index}].${name}"`),
  );
}

/** Checks the operations of a JSON patch as far as Go's decoder does; gives the fields that they should not have. */
function checkOperations(patch: JsonValue, isStrict: boolean, prefix: string): string[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) {
    throw refuse(patch, prefix, `value of type ${isStrict ? '[]handlers.jsonPatchOp' : 'jsonpatch.Patch'}`);
  }
  const other = patch.find((operation) => operation !== null && !isJsonObject(operation));
  if (!isStrict && other !== undefined) throw refuse(other, prefix, 'value of type jsonpatch.Operation');
  if (!isStrict) return [];
  for (const operation of patch) checkOperation(operation, prefix);
  return unknownFields(patch);
}

function checkMap(value: JsonValue, prefix: string): void {
  if (value === null || isJsonObject(value)) return;
  throw refuse(value, prefix, 'value of type map[string]interface {}');
}

/** Decodes the document of a patch; strictly, unless the request wants unknown fields ignored.
 *  @throws StatusError 400 */
export function decodePatch(bytes: Buffer, kind: PatchKind, isStrict: boolean): DecodedPatch {
  const prefix = kind !== 'strategic' && isStrict ? 'error decoding patch: ' : '';
  const value = parseDocument(bytes, prefix);
  const twice = isStrict ? findDuplicateFields(bytes.toString('utf8'), value) : [];
  const findings = twice.map((path) => `duplicate field ${JSON.stringify(path)}`);
  if (kind === 'json') {
    const unknown = checkOperations(value, isStrict, prefix);
    return { value, findings: [...findings, ...unknown].map((text) => `json patch ${text}`) };
  }
  if (isStrict || kind === 'strategic') checkMap(value, prefix);
  return { value: kind === 'strategic' ? (value ?? {}) : value, findings };
}
