/** One element of DER. */
export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length =
    size < 0x80 ? Buffer.of(size) : size < 0x100 ? Buffer.of(0x81, size) : Buffer.of(0x82, size >> 8, size & 0xff);
  return Buffer.concat([Buffer.of(tag), length, content]);
}

/** An object identifier in dots. */
export function derOid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const septets = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) septets.unshift((left & 0x7f) | 0x80);
    return septets;
  });
  return der(0x06, Buffer.from(bytes));
}

/** The elements within an element, each with its head. */
export function derChildren(element: Buffer): readonly Buffer[] {
  const [, , content] = readHead(element);
  const found: Buffer[] = [];
  for (let rest = content; rest.length > 0; ) {
    const [, length] = readHead(rest);
    found.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
  return found;
}

function readHead(element: Buffer): readonly [tag: number, length: number, content: Buffer] {
  const [tag = 0, first = 0] = element;
  const size = first < 0x80 ? 0 : first & 0x7f;
  const length = size === 0 ? first : element.readUIntBE(2, size);
  return [tag, 2 + size + length, element.subarray(2 + size, 2 + size + length)];
}
