import { errorMessage, type JsonObject, TerminalError } from '../../src/base/index.ts';
import { badRequest, StatusError } from '../core/index.ts';
import { decodeMessage, type Envelope, messageOfKind, openEnvelope } from '../protobuf/index.ts';
import { maxBodyValues, tooManyValues } from './body-limits.ts';

const shownBytes = 30;

/** 400 for bytes that are no object at all. */
function unrecognised(kind: string, bytes: Buffer, thrown: unknown): StatusError {
  const hex = bytes.subarray(0, shownBytes).toString('hex');
  const shown = bytes.length > shownBytes ? `${hex} ...` : hex;
  const problem = `${errorMessage(thrown)} (${bytes.length === 0 ? '<empty>' : shown})`;
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${problem}`, thrown);
}

function open(bytes: Buffer, kind: string): Envelope {
  try {
    return openEnvelope(bytes);
  } catch (thrown) {
    throw unrecognised(kind, bytes, thrown);
  }
}

/** The object of a protobuf body as its JSON would be. The envelope may omit the kind; `apiVersion` and `kind` are then the expected ones.
 *  @throws StatusError 400 */
export function decodeProtobufBody(
  bytes: Buffer,
  expected: { readonly apiVersion: string; readonly kind: string },
): JsonObject {
  const { raw, ...envelope } = open(bytes, expected.kind);
  const kind = envelope.kind === '' ? expected.kind : envelope.kind;
  const apiVersion = envelope.apiVersion === '' ? expected.apiVersion : envelope.apiVersion;
  const what = `${kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${expected.kind}`;
  const codec = messageOfKind(apiVersion, kind);
  if (codec === undefined) {
    const why = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    throw badRequest(`${what}: ${why} in scheme "pkg/runtime/scheme.go:110"`);
  }
  try {
    return { kind, apiVersion, ...decodeMessage(codec, raw, maxBodyValues) };
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === 'TooManyValues') throw tooManyValues();
    throw badRequest(`${what}: ${errorMessage(thrown)}`, thrown);
  }
}
