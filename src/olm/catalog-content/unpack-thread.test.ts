import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startRegistry } from '../../../test/support/index.ts';
import { defaultContentLimits, TransientError } from '../../base/index.ts';
import { CatalogThreads } from './unpack-thread.ts';

const label = 'operators.operatorframework.io.index.configs.v1';

test('unpacking a catalog that never ends is aborted at the deadline', { timeout: 60_000, tags: 'long' }, async () => {
  await using stack = new AsyncDisposableStack();
  const registry = stack.use(await startRegistry());
  const workDir = await mkdtemp(join(tmpdir(), 'longshore-unpack-'));
  stack.defer(() => rm(workDir, { recursive: true, force: true }));
  // Each file is compared with each pattern, which takes minutes, and nothing of them is read.
  const files = Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`configs/${'a'.repeat(200)}b${n}`, '']));
  const pattern = `${'*a'.repeat(120)}\n`;
  const ignore = { 'configs/.indexignore': `*b*\n${pattern.repeat(4_000)}` };
  const digest = registry.putImage('cat:v1', [{ files: { ...files, ...ignore } }], { [label]: '/configs' });
  const ref = `${registry.host}/cat@${digest}`;
  const job = {
    pullSecrets: undefined,
    mirrors: undefined,
    policy: undefined,
    settings: {
      limits: defaultContentLimits,
      insecureRegistries: [],
      registryCaPem: [],
      answerDeadlineMs: 10_000,
      platform: 'linux/amd64',
      deadlineMs: 2_000,
    },
    ref,
    askedRef: ref,
    isKnown: false,
    group: '',
    workDir,
    file: join(workDir, 'index'),
  };
  using threads = new CatalogThreads();
  await expect(threads.unpack(job, new AbortController().signal)).rejects.toBeInstanceOf(TransientError);
});
