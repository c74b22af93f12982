/** Status codes of gRPC, as far as they are used. */
export const grpcStatus = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
} as const;

export type GrpcStatusCode = (typeof grpcStatus)[keyof typeof grpcStatus];

/** How a call fails. */
export class GrpcError extends Error {
  readonly code: GrpcStatusCode;

  constructor(code: GrpcStatusCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A status message as a header has it: bytes outside printable ASCII, and `%`, percent-encoded. */
export function encodeStatusMessage(text: string): string {
  return Array.from(Buffer.from(text), (byte) => {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    return isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
