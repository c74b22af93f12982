import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Registry, startRegistry } from '../test/support/index.ts';
import { startChild } from './child.ts';
import { type Figure, median } from './table.ts';

interface UnpackFacts {
  readonly tookMs: number;
  readonly peakBytes: number;
}

const mebibyte = 1024 * 1024;
const runs = 3;
const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bench}\n';

/** An image whose one layer holds a manifest and `sizeBytes` of data that hardly compress. */
function push(registry: Registry, name: string, sizeBytes: number): string {
  const files = { 'manifests/bench.yaml': manifest, 'data.bin': randomBytes(sizeBytes) };
  registry.putImage(name, [{ files }]);
  return `${registry.host}/${name}`;
}

async function measure(registry: Registry, sizeBytes: number): Promise<Figure> {
  const facts: UnpackFacts[] = [];
  for (let run = 0; run < runs; run++) {
    const dir = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
    try {
      // A small one first, so that the threads have started and the code is warm.
      const warm = push(registry, 'warm:latest', 1024);
      await using child = startChild('unpack-child.ts', [dir, warm, push(registry, `bench:${run}`, sizeBytes)]);
      await child.next();
      facts.push(await child.next<UnpackFacts>());
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }
  const tookMs = median(facts.map((fact) => fact.tookMs));
  const peak = (median(facts.map((fact) => fact.peakBytes)) / mebibyte).toFixed(0);
  const rate = (sizeBytes / 1_000_000 / (tookMs / 1000)).toFixed(0);
  return { what: `${sizeBytes / mebibyte} MiB`, value: `${rate} MB/s (${tookMs.toFixed(0)} ms, peak ${peak} MiB)` };
}

/** From a registry on loopback to stored and checked, in a process of its own. */
export async function measureFetch(): Promise<Figure[]> {
  await using registry = await startRegistry();
  return [await measure(registry, mebibyte), await measure(registry, 200 * mebibyte)];
}
