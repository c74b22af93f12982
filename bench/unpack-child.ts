/** The measured unpacker: one image reference an argument; prints how long each took and the peak memory. */

import { createUnpacker } from '../provisioners/index.ts';
import { peakMemoryBytes } from './memory.ts';

const [storeDir = '', ...references] = process.argv.slice(2);
const unpacker = await createUnpacker({ storeDir });
for (const [index, ref] of references.entries()) {
  const startedMs = performance.now();
  const { sizeBytes } = await unpacker.unpack(
    {
      bundle: { name: `bench-${index}`, uid: String(index) },
      provisionerClassName: 'core-rukpak-io-plain',
      source: { type: 'image', image: { ref } },
    },
    { signal: AbortSignal.timeout(300_000) },
  );
  const facts = { tookMs: performance.now() - startedMs, sizeBytes, peakBytes: peakMemoryBytes() };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}
await unpacker[Symbol.asyncDispose]();
process.exit(0);
