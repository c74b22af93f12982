import { crc32, deflateSync } from 'node:zlib';

/** Rows of pixels, three bytes each: red, green, blue. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Each row as the difference to the one above, which drawings have little of. */
function filtered({ width, height, pixels }: Pixels): Buffer {
  const stride = width * 3;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let row = 0; row < height; row += 1) {
    const [to, from] = [row * (stride + 1), row * stride];
    rows[to] = 2;
    for (let at = 0; at < stride; at += 1) {
      const above = row === 0 ? 0 : (pixels[from - stride + at] ?? 0);
      rows[to + 1 + at] = ((pixels[from + at] ?? 0) - above) & 0xff;
    }
  }
  return rows;
}

/** An image in true colour.
 *  @see Portable Network Graphics, third edition */
export function encodePng(image: Pixels): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(image.width, 0);
  header.writeUInt32BE(image.height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(filtered(image));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}
