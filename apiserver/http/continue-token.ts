import { errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { badRequest } from '../core/index.ts';

const tokenVersion = 'meta.k8s.io/v1';
const expectedTypes: Readonly<Record<string, readonly [type: string, goType: string]>> = {
  v: ['string', 'string'],
  rv: ['number', 'int64'],
  start: ['string', 'string'],
};

/** Where a list goes on. */
export interface Continuation {
  /** The version of its first page; undefined: the rest as it is now. */
  readonly revision: number | undefined;
  /** The first key of the rest, below the namespace of the list. */
  readonly startKey: string;
}

/** A token that goes on with a list of `revision` after `lastKey`; a revision of -1 asks for the rest as it is then. */
export function formatContinue(revision: number, lastKey: string): string {
  return formatContinueFrom(revision, `${lastKey}\u0000`);
}

/** The same, from `startKey` on. */
export function formatContinueFrom(revision: number, startKey: string): string {
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: revision, start: startKey })).toString('base64url');
}

function refuse(why: string, cause?: unknown): never {
  throw badRequest(`invalid continue token: continue key is not valid: ${why}`, cause);
}

function decodeText(token: string): string {
  const bad = token.search(/[^\w-]/);
  const end = token.length % 4 === 1 ? token.length - 1 : -1;
  const at = bad < 0 ? end : bad;
  if (at >= 0) refuse(`illegal base64 data at input byte ${at}`);
  return Buffer.from(token, 'base64url').toString('utf8');
}

function parseText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (thrown) {
    const [first] = text.trimStart();
    if (first === undefined) refuse('unexpected end of JSON input', thrown);
    if (!/[[{"\d-]/.test(first)) refuse(`invalid character '${first}' looking for beginning of value`, thrown);
    refuse(errorMessage(thrown), thrown);
  }
}

function goTypeOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function checkTypes(value: JsonObject): void {
  for (const [field, [type, goType]] of Object.entries(expectedTypes)) {
    const given = value[field] ?? null;
    const isFraction = typeof given === 'number' && !Number.isInteger(given);
    if (given === null || (typeof given === type && !isFraction)) continue;
    const shown = isFraction ? `number ${String(given)}` : goTypeOf(given);
    refuse(`json: cannot unmarshal ${shown} into Go struct field continueToken.${field} of type ${goType}`);
  }
}

/** Below the namespace of a list, without the slash that it may begin with; a key cannot climb out of it. */
function checkKey(start: string): string {
  const key = start.startsWith('/') ? start.slice(1) : start;
  const isClean = key === '' || key.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isClean) refuse(start);
  return key;
}

function continuationOf({ v, rv, start }: JsonObject): Continuation {
  if (v !== tokenVersion) refuse(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (typeof rv !== 'number' || rv === 0) {
    refuse(`incorrect encoded start resourceVersion (version ${tokenVersion})`);
  }
  if (typeof start !== 'string' || start === '') refuse(`encoded start key empty (version ${tokenVersion})`);
  return { revision: rv > 0 ? rv : undefined, startKey: checkKey(start) };
}

/** Reads a token that a list handed out.
 *  @throws StatusError 400 */
export function parseContinue(token: string): Continuation {
  const value = parseText(decodeText(token));
  if (value !== null && !isJsonObject(value)) {
    refuse(`json: cannot unmarshal ${goTypeOf(value)} into Go value of type storage.continueToken`);
  }
  const fields = value ?? {};
  checkTypes(fields);
  return continuationOf(fields);
}
