/** Tags of the ASN.1 types that certificates are made of. */
export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const digits = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 | digits.length), digits]);
}

/** One element in DER: its tag, its length and what is in it, at most 64 KiB. */
export function element(elementTag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length > 0xffff) throw new RangeError(`element of ${body.length} bytes: at most 65535 are written`);
  return Buffer.concat([Buffer.of(elementTag), lengthBytes(body.length), body]);
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift(0x80 | (rest & 0x7f));
  return digits;
}

/** `1.2.840.10045.4.3.2` */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return element(tag.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A time to the second, in the form that its year asks for.
 *  @see RFC 5280, 4.1.2.5 */
export function time(timeMs: number): Buffer {
  const digits = new Date(timeMs).toISOString().replace(/\.\d+|[-:T]/g, '');
  const isLate = Number(digits.slice(0, 4)) >= 2050;
  return isLate
    ? element(tag.generalizedTime, Buffer.from(digits))
    : element(tag.utcTime, Buffer.from(digits.slice(2)));
}

/** The elements that stand one after another in `content`, each with its tag and length.
 *  @throws RangeError when an element is not whole */
export function elementsOf(content: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const end = at + sizeOf(content.subarray(at));
    if (end > content.length) throw new RangeError('element is cut off');
    found.push(content.subarray(at, end));
    at = end;
  }
  return found;
}

/** What is in the element that `bytes` begin with. */
export function contentOf(bytes: Buffer): Buffer {
  return bytes.subarray(headerSize(bytes), sizeOf(bytes));
}

function headerSize(bytes: Buffer): number {
  const short = bytes.readUInt8(1);
  if (short > 0x84 || short === 0x80) throw new RangeError('element has no length that is read here');
  return short < 0x80 ? 2 : 2 + (short & 0x7f);
}

function sizeOf(bytes: Buffer): number {
  const header = headerSize(bytes);
  return header + (header === 2 ? bytes.readUInt8(1) : bytes.readUIntBE(2, header - 2));
}
