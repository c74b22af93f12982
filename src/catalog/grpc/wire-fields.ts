const [varint, fixed64, delimited, fixed32] = [0, 1, 2, 5];

/** The index behind a number of variable length. */
function pastVarint(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] as number) >= 0x80) at += 1;
  return at + 1;
}

function lengthAt(bytes: Uint8Array, from: number): number {
  let length = 0;
  for (let [at, scale] = [from, 1]; at < bytes.length; at += 1, scale *= 128) {
    const byte = bytes[at] as number;
    length += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
  }
  return length;
}

function varintBytes(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

/** What precedes the bytes of a text, of bytes or of a message in field `number`. */
export function delimitedHead(number: number, lengthBytes: number): Buffer {
  return Buffer.from([...varintBytes(number * 8 + delimited), ...varintBytes(lengthBytes)]);
}

/** How many fields a protobuf message has: each becomes an object of a hundred bytes, from two bytes. Counts no more than `max` and one, and stops
 *  where the bytes are no message. */
export function countFields(bytes: Uint8Array, max: number): number {
  let count = 0;
  for (let at = 0; at < bytes.length && count <= max; count += 1) {
    const type = (bytes[at] as number) & 7;
    at = pastVarint(bytes, at);
    if (type === varint) at = pastVarint(bytes, at);
    else if (type === fixed64) at += 8;
    else if (type === fixed32) at += 4;
    else if (type === delimited) at = pastVarint(bytes, at) + lengthAt(bytes, at);
    else break;
  }
  return count;
}
