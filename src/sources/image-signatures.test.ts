import { expect, test } from 'vitest';
import { neverAnswers, startRegistry } from '../../test/support/index.ts';
import { sha256Digest, systemClock } from '../base/index.ts';
import { signatureTag } from '../image-policy/index.ts';
import { createHttpClient } from './http-client.ts';
import { signaturesOf } from './image-signatures.ts';
import { RateLimits } from './rate-limits.ts';
import { RegistryClient } from './registry-client.ts';
import { RegistryPlaces } from './registry-places.ts';

test('a signature is there before the next one is fetched: of very many, one alone is in memory', async () => {
  const silent = sha256Digest('never');
  await using registry = await startRegistry({ intercept: neverAnswers(silent) });
  const payload = Buffer.from('{}');
  const layers = [registry.putBlob(payload), silent].map((digest) => ({
    mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json',
    digest,
    size: payload.length,
    annotations: { 'dev.cosignproject.cosign/signature': 'x' },
  }));
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const digest = sha256Digest('image');
  registry.putManifest(`app:${signatureTag(digest)}`, { schemaVersion: 2, mediaType, layers });
  const stop = new AbortController();
  using http = createHttpClient({ answerDeadlineMs: 60_000 });
  const client = new RegistryClient({
    http,
    clock: systemClock,
    registry: registry.host,
    repository: 'app',
    credentials: { credentials: undefined, note: '' },
    limits: new RateLimits(systemClock),
    insecureRegistries: [],
    signal: stop.signal,
  });
  const name = `${registry.host}/app`;
  const places = new RegistryPlaces({
    name,
    places: [{ name, client }],
    isSourceBarred: false,
    signal: stop.signal,
  });
  const signatures = signaturesOf({ places, name, maxManifestBytes: 1_000_000 }, digest);
  await expect(signatures.next()).resolves.toMatchObject({ value: { payload } });
  const next = signatures.next();
  stop.abort(new Error('stopped'));
  await expect(next).rejects.toThrow('stopped');
});
