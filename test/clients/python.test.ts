import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { thingDefinition } from './manifests.ts';

const run = promisify(execFile);
const python = process.env['LONGSHORE_PYTHON'] ?? 'python3';
const isThere = spawnSync(python, ['-c', 'import kubernetes']).status === 0;

test.skipIf(!isThere)('the Python client does its work (skipped without its package `kubernetes`)', async () => {
  await using server = await startApiServer({ crds: [thingDefinition('things.example.com') as never] });
  const folder = await mkdtemp(join(tmpdir(), 'longshore-python-'));
  try {
    await writeFile(join(folder, 'config'), server.kubeconfig, { mode: 0o600 });
    const script = join(import.meta.dirname, 'python', 'client.py');
    const { stdout } = await run(python, [script, join(folder, 'config')], { timeout: 100_000 });
    expect(stdout).toBe('done\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
