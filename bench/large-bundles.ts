import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { largeManifests, memoryRatio, writeBundle } from '../test/support/index.ts';
import type { Measurement } from './table.ts';

const commands = ['render', 'explain', 'validate'];

/** Memory that commands take for a bundle with a file of 20 MiB, beyond what they take for the bundle without it. */
export async function measureLargeBundles(): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  try {
    const small = await writeBundle(join(folder, 'small'), '');
    const measurements: Measurement[] = [];
    for (const [name, manifest] of Object.entries(largeManifests)) {
      const large = await writeBundle(join(folder, 'large'), manifest());
      for (const command of commands) {
        const ratio = await memoryRatio(command, small, large);
        measurements.push({
          what: `20 MiB, ${name}: ${command}`,
          value: `${ratio.toFixed(1)} × its size`,
          goal: '4 ×',
        });
      }
    }
    return measurements;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
