import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SteppedClock } from '../../../test/support/stepped-clock.ts';
import type { ClusterVersion } from '../../api/index.ts';
import type { ObjectEvent } from '../../kube/index.ts';
import type { VerifyRelease } from '../verification/verification.ts';
import { type LoadTerms, loadRelease } from './load-release.ts';
import type { ReleaseSource } from './release-sources.ts';

const image = `registry.example/release@sha256:${'a'.repeat(64)}`;
const minuteMs = 60_000;
const clusterVersion = { metadata: { name: 'version' }, spec: { clusterID: '' } } as ClusterVersion;

/** Ends when its signal does. */
const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

interface World {
  readonly clock: SteppedClock;
  readonly events: ObjectEvent[];
  readonly asked: ('signatures' | 'source')[];
  readonly load: (isForced: boolean) => Promise<unknown>;
}

/** Neither signatures nor the source ever answer. */
function silentWorld(): World {
  const clock = new SteppedClock(0);
  const events: ObjectEvent[] = [];
  const asked: World['asked'] = [];
  const verify: VerifyRelease = (_, signal) => {
    asked.push('signatures');
    return never(signal);
  };
  const source: ReleaseSource = {
    stage: (_image, _staging, signal) => {
      asked.push('source');
      return never(signal);
    },
  };
  const terms: LoadTerms = {
    retrieval: { sources: [source], workDir: join(tmpdir(), 'longshore-load'), clusterProfile: '' },
    clock,
    verify,
    preconditions: () => Promise.resolve([]),
    onEvent: (event) => events.push(event),
  };
  const load = (isForced: boolean): Promise<unknown> => {
    const target = { version: '', image, isForced };
    const request = {
      target,
      clusterVersion,
      isLocal: false,
      isTrusted: false,
      verification: { running: [], stores: [] },
    };
    return loadRelease(request, terms, new AbortController().signal);
  };
  return { clock, events, asked, load };
}

async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await new Promise((resolve) => setImmediate(resolve));
}

test('CV-62: a verification without an answer ends after two minutes', async () => {
  const { clock, asked, load, events } = silentWorld();
  const loaded = load(false);
  loaded.catch(() => undefined);
  await until(() => asked.length === 1);
  await clock.pass(2 * minuteMs);
  const text = `Retrieving payload failed version="" image="${image}" failure=The update cannot be verified: verification of the signature: not done within 120 s`;
  await expect(loaded).rejects.toMatchObject({ reason: 'RetrievePayload', message: text });
  expect(events.map(({ reason }) => reason)).toEqual(['RetrievePayload', 'RetrievePayloadFailed']);
  expect(asked).toEqual(['signatures']);
});

test('CV-62: with force two of the four minutes are left for the download', async () => {
  const { clock, asked, load } = silentWorld();
  const loaded = load(true);
  loaded.catch(() => undefined);
  await until(() => asked.length === 1);
  await clock.pass(2 * minuteMs);
  await until(() => asked.length === 2);
  await clock.pass(2 * minuteMs);
  await expect(loaded).rejects.toMatchObject({
    message: expect.stringMatching(/Unable to download and prepare the update: .*not done within 120 s$/) as string,
  });
});
