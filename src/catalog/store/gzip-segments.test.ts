import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compressSegment, expandSegment, gzipHeader, gzipTrailer, joinChecksums } from './gzip-segments.ts';

test('segments one after another are one gzip stream, whatever their texts', () => {
  const texts = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 6 });
  fc.assert(
    fc.property(texts, (parts) => {
      const segments = parts.map(compressSegment);
      const checksum = segments.reduce((sum, next) => joinChecksums(sum, next.checksum, next.lengthBytes), 0);
      const text = Buffer.concat(parts);
      expect(checksum).toBe(crc32(text));
      const stream = [gzipHeader(), ...segments.map(({ bytes }) => bytes), gzipTrailer(checksum, text.length)];
      expect(gunzipSync(Buffer.concat(stream)).equals(text)).toBe(true);
      expect(segments.every((segment, index) => expandSegment(segment)?.equals(parts[index] ?? Buffer.of(1)))).toBe(
        true,
      );
    }),
    { numRuns: 50 },
  );
});

test('a segment with a changed byte is detected', () => {
  const segment = compressSegment(Buffer.from('{"schema":"olm.package"}\n'.repeat(20)));
  for (let at = 0; at < segment.bytes.length; at += 1) {
    const bytes = Buffer.from(segment.bytes);
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    const text = expandSegment({ ...segment, bytes });
    // The marks of an end of a block may change without a change of the text.
    if (text !== undefined) expect(crc32(text)).toBe(segment.checksum);
  }
  expect(expandSegment({ ...segment, bytes: segment.bytes.subarray(0, 9) })).toBeUndefined();
});
