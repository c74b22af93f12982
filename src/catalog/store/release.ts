/** Releases the memory of bytes that are no longer read at once. Left to the garbage collector, which does not see how large they are, many of
 *  them would wait there together. Bytes that may share the memory that Node.js lends out in one piece are left to it. */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return;
  if (buffer.byteLength === bytes.byteLength || buffer.byteLength > Buffer.poolSize) buffer.transfer(0);
}
