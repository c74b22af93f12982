/** The other side does not follow SPDY/3.1, or exceeds a limit: its connection ends. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}
