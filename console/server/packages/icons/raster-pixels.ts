/** Of a picture in any of the formats; undefined where it is none of them, or its size is not where the format has it. */
export function rasterPixels(bytes: Buffer): number | undefined {
  const format = formats.find(({ begin, at = 0 }) => bytes.toString('latin1', at, at + begin.length) === begin);
  try {
    return format?.pixels(bytes);
  } catch (thrown) {
    // A number beyond the end.
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

interface Format {
  readonly begin: string;
  readonly at?: number;
  /** @throws RangeError where the file is too short */
  readonly pixels: (bytes: Buffer) => number | undefined;
}

const formats: readonly Format[] = [
  { begin: 'IHDR', at: 12, pixels: (bytes) => bytes.readUInt32BE(16) * bytes.readUInt32BE(20) },
  { begin: 'GIF8', pixels: gifPixels },
  { begin: 'WEBPVP8', at: 8, pixels: webpPixels },
  { begin: '\xff\xd8\xff', pixels: jpegPixels },
];

/** Behind a list of blocks, each with its length, that ends with an empty one. */
function afterBlocks(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes.readUInt8(at) !== 0) at += 1 + bytes.readUInt8(at);
  return at + 1;
}

/** Bytes of a table of colors, by the flags that announce it. */
function colorBytes(flags: number): number {
  return flags < 0x80 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Of the screen, or of a frame that is larger; frames count each, as they are shown one after the other without end. */
function gifPixels(bytes: Buffer): number {
  let at = 13 + colorBytes(bytes.readUInt8(10));
  let pixels = bytes.readUInt16LE(6) * bytes.readUInt16LE(8);
  while (at < bytes.length && bytes[at] !== 0x3b) {
    if (bytes[at] === 0x21) at = afterBlocks(bytes, at + 2);
    else {
      pixels = Math.max(pixels, bytes.readUInt16LE(at + 5) * bytes.readUInt16LE(at + 7));
      at = afterBlocks(bytes, at + 11 + colorBytes(bytes.readUInt8(at + 9)));
    }
  }
  return pixels;
}

function webpPixels(bytes: Buffer): number | undefined {
  const form = bytes.toString('latin1', 12, 16);
  if (form === 'VP8X') return (1 + bytes.readUIntLE(24, 3)) * (1 + bytes.readUIntLE(27, 3));
  if (form === 'VP8 ') return (bytes.readUInt16LE(26) & 0x3fff) * (bytes.readUInt16LE(28) & 0x3fff);
  if (form !== 'VP8L') return undefined;
  const bits = bytes.readUInt32LE(21);
  return (1 + (bits & 0x3fff)) * (1 + ((bits >>> 14) & 0x3fff));
}

/** Markers without a size in their segment: tables of Huffman codes, and extensions. */
const notFrames: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

function jpegPixels(bytes: Buffer): number | undefined {
  let at = 2;
  while (bytes.readUInt8(at) === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && !notFrames.has(marker)) {
      return bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7);
    }
    // A fill byte stands alone, any other segment has a length.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
