/** The measured unpacker: one source in JSON an argument, after the folder of the store; prints how long each took and the peak memory. */

import { createUnpacker } from '../provisioners/index.ts';
import { parseBundle } from '../src/api/index.ts';
import { parseJson } from '../src/base/index.ts';
import { peakMemoryBytes } from './memory.ts';

const [storeDir = '', ...sources] = process.argv.slice(2);
const unpacker = await createUnpacker({ storeDir, answerDeadlineMs: 30_000, storeBytes: 1024 ** 3 });
for (const [index, text] of sources.entries()) {
  const metadata = { name: `bench-${index}`, uid: String(index) };
  const spec = { provisionerClassName: 'core-rukpak-io-plain', source: parseJson('source', text) };
  const bundle = parseBundle({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', metadata, spec });
  const startedMs = performance.now();
  const { sizeBytes } = await unpacker.unpack(
    { bundle: metadata, ...bundle.spec },
    { signal: AbortSignal.timeout(300_000) },
  );
  const facts = { tookMs: performance.now() - startedMs, sizeBytes, peakBytes: peakMemoryBytes() };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}
await unpacker[Symbol.asyncDispose]();
process.exit(0);
