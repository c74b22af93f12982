import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SteppedClock } from '../../../test/support/stepped-clock.ts';
import type { ClusterVersion } from '../../api/index.ts';
import { silentLogger, TransientError } from '../../base/index.ts';
import type { LoadRequest, LoadTerms } from './load-release.ts';
import { type LoadState, ReleaseLoader } from './release-loader.ts';

const image = `registry.example/release@sha256:${'a'.repeat(64)}`;
const request: LoadRequest = {
  target: { version: '', image, isForced: false },
  clusterVersion: { metadata: { name: 'version' }, spec: { clusterID: '' } } as ClusterVersion,
  isLocal: true,
  isTrusted: false,
  verification: { running: [], stores: [] },
};

test('a rejected release is tried again after a pause, and at once where the clock was set back', async () => {
  const clock = new SteppedClock(365 * 86_400_000);
  const stop = new AbortController();
  let changed = Promise.withResolvers<void>();
  const terms: LoadTerms = {
    retrieval: {
      sources: [{ stage: () => Promise.reject(new TransientError('RegistryUnavailable', 'no route')) }],
      workDir: join(tmpdir(), 'longshore-loader'),
      clusterProfile: '',
    },
    clock,
    verify: () => Promise.reject(new Error('a local release is not verified')),
    preconditions: () => Promise.resolve([]),
    onEvent: () => undefined,
  };
  const onChange = (): void => changed.resolve();
  const loader = new ReleaseLoader({ terms, clock, log: silentLogger(), onChange, signal: stop.signal });
  const rejected = async (): Promise<LoadState> => {
    expect(loader.request(request)).toEqual({ kind: 'loading' });
    await changed.promise;
    changed = Promise.withResolvers<void>();
    return loader.request(request);
  };
  expect(await rejected()).toMatchObject({ kind: 'rejected', message: expect.stringContaining('no route') as string });
  clock.jump(14_999);
  expect(loader.request(request).kind).toBe('rejected');
  clock.jump(1);
  expect(await rejected()).toMatchObject({ kind: 'rejected' });
  clock.jump(-365 * 86_400_000);
  expect(loader.request(request)).toEqual({ kind: 'loading' });
  stop.abort();
});
