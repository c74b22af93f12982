/** Fetches sources, each several times at once, and prints what became of each, and the most memory and disk that this process had. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createUnpacker } from '../../provisioners/index.ts';
import { errorMessage } from '../../src/base/index.ts';
import type { ChildReport } from './memory-child.ts';
import { measurePeaks } from './peak-usage.ts';

interface Task {
  readonly sources: readonly { readonly type: string }[];
  readonly times: number;
  readonly layerBytes: number;
}

const { sources, times, layerBytes } = JSON.parse(process.argv[2] ?? '') as Task;
const storeDir = await mkdtemp(`${tmpdir()}/fetch-child-`);
const stop = measurePeaks(storeDir);
const limits = { compressedLayerBytes: layerBytes };
const unpacker = await createUnpacker({
  storeDir,
  storeBytes: 1024 ** 3,
  limits,
  answerDeadlineMs: 20_000,
  unpackDeadlineMs: 120_000,
});
const { signal } = new AbortController();
const outcomes = await Promise.all(
  Array.from({ length: times }, (_, round) =>
    sources.map(async (source, index) => {
      const name = `${source.type}-${index}-${round}`;
      const provisionerClassName = 'core-rukpak-io-plain';
      const request = { bundle: { name, uid: name }, provisionerClassName, source };
      return await unpacker.unpack(request, { signal }).then(() => `${name}: unpacked`, errorMessage);
    }),
  ).flat(),
);
await unpacker[Symbol.asyncDispose]();
const peaks = stop();
await rm(storeDir, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ outcomes, ...peaks } satisfies ChildReport));
