import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

// Packs as git stores and sends them, entry by entry. See gitformat-pack(5).

/** The header of an entry, as gitformat-pack(5) has it. */
export function entryHeader(type: number, sizeBytes: number): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(sizeBytes / 16);
  bytes.push((type << 4) | (sizeBytes % 16) | (rest > 0 ? 0x80 : 0));
  while (rest > 0) {
    const digit = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(digit | (rest > 0 ? 0x80 : 0));
  }
  return Buffer.from(bytes);
}

/** A size, as deltas have it. */
export function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const digit = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(digit | (rest > 0 ? 0x80 : 0));
    if (rest === 0) return bytes;
  }
}

/** 1: a commit, 2: a tree, 3: a blob, 4: a tag. */
export function object(type: number, content: Buffer): Buffer {
  return Buffer.concat([entryHeader(type, content.length), deflateSync(content)]);
}

/** How far back a base lies, as entries have it. */
export function distance(value: number): Buffer {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift((rest % 128) | 0x80);
  }
  return Buffer.from(bytes);
}

/** A delta on what lies `back` bytes before it. */
export function ofsDelta(back: number, delta: Buffer): Buffer {
  return Buffer.concat([entryHeader(6, delta.length), distance(back), deflateSync(delta)]);
}

/** A delta on the object of that name. */
export function refDelta(base: Buffer, delta: Buffer): Buffer {
  return Buffer.concat([entryHeader(7, delta.length), base, deflateSync(delta)]);
}

/** Copies the whole base `times` over. */
export function repetition(baseBytes: number, times: number): Buffer {
  const copy = [0x80 | 0x70, baseBytes & 0xff, (baseBytes >> 8) & 0xff, (baseBytes >> 16) & 0xff];
  const copies = Array.from({ length: times }, () => copy).flat();
  return Buffer.from([...varint(baseBytes), ...varint(baseBytes * times), ...copies]);
}

/** A whole pack, with its digest; `count` is the number of entries that it declares. */
export function packOf(entries: readonly Buffer[], count: number = entries.length): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(count, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}
