const offsetBasis = { high: 0xcbf29ce4, low: 0x84222325 };
const prime = { high: 0x100, low: 0x1b3 };

/** URL-safe base64, padded, of the 64-bit FNV-1 hash of texts, one after another.
 *  @see docs/spec/cluster-version.md#reading-manifests */
export function versionHash(texts: Iterable<string>): string {
  // Two halves of 32 bits: numbers are much quicker than bigint.
  let { high, low } = offsetBasis;
  for (const text of texts) {
    const bytes = Buffer.from(text);
    // By index: an iterator takes several times as long.
    for (let index = 0; index < bytes.length; index += 1) {
      const lowLow = (low & 0xffff) * prime.low;
      const lowHigh = (low >>> 16) * prime.low + Math.floor(lowLow / 0x10000);
      const carried = Math.floor(lowHigh / 0x10000);
      high = (Math.imul(high, prime.low) + Math.imul(low, prime.high) + carried) >>> 0;
      low = ((((lowHigh & 0xffff) << 16) | (lowLow & 0xffff)) ^ (bytes[index] ?? 0)) >>> 0;
    }
  }
  const hash = Buffer.alloc(8);
  hash.writeUInt32BE(high, 0);
  hash.writeUInt32BE(low, 4);
  return hash.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
