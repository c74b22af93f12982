import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import {
  allOf,
  asksToken,
  failsTimes,
  type Intercept,
  loopbackCertificate,
  neverAnswers,
  startRegistry,
  startWebServer,
} from '../../test/support/index.ts';
import { parseImageReference } from '../api/index.ts';
import { sha256Digest, systemClock } from '../base/index.ts';
import { createHttpClient } from './http-client.ts';
import { type PushBlob, pushImage } from './image-push.ts';

const mediaType = 'application/vnd.oci.image.manifest.v1+json';
const credentials = { credentials: { username: 'me', password: 'secret-word' }, note: 'those of the test were used' };

function blobOf(text: string): PushBlob {
  const bytes = Buffer.from(text);
  return { digest: sha256Digest(bytes), sizeBytes: bytes.length, open: () => Readable.from([bytes]) };
}

const blobs = [blobOf('{}'), blobOf('x'.repeat(300_000))];
const manifestBytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType }));
const manifest = { mediaType, bytes: manifestBytes, digest: sha256Digest(manifestBytes) };

interface Outcome {
  readonly ref: string;
  readonly requests: readonly string[];
  readonly sent: readonly (readonly [string, number])[];
}

interface PushSetup {
  readonly name?: string;
  readonly toPush?: readonly PushBlob[];
  readonly caPem?: readonly string[];
}

async function pushTo(
  intercept: Intercept,
  { name = 'team/x:v1', toPush = blobs, caPem = [] }: PushSetup = {},
): Promise<Outcome> {
  await using registry = await startRegistry({ intercept });
  using http = createHttpClient({ answerDeadlineMs: 5_000, caPem });
  const deps = { http, clock: systemClock, insecureRegistries: [], credentials };
  const sent: [string, number][] = [];
  const request = { reference: parseImageReference(`${registry.host}/${name}`), manifest, blobs: toPush };
  const ref = await pushImage(deps, request, {
    signal: AbortSignal.timeout(20_000),
    onBlob: ({ digest }, sentBytes) => sent.push([digest, sentBytes]),
  });
  return { ref: ref.slice(registry.host.length), requests: [...registry.requests], sent };
}

const never: Intercept = () => false;

test('blobs come first, the manifest last, and progress ends with all bytes', async () => {
  const { ref, requests, sent } = await pushTo(never);
  expect(ref).toBe(`/team/x@${manifest.digest}`);
  expect(requests.map((line) => line.split(' ')[0]).join(' ')).toBe('HEAD POST PUT HEAD POST PUT PUT');
  expect(requests.at(-1)).toBe('PUT /v2/team/x/manifests/v1');
  expect(sent.at(-1)).toEqual([blobs[1]?.digest, 300_000]);
});

test('a token is asked for, and used for what follows', async () => {
  const { requests } = await pushTo(asksToken('me', 'secret-word', 'http'));
  const tokens = requests.filter((line) => line.includes('/token?'));
  expect(tokens).toHaveLength(1);
  expect(decodeURIComponent(tokens[0] ?? '')).toContain('scope=repository:team/x:pull,push');
});

test('a failed transfer restarts; blobs that the registry has are not sent again', async () => {
  const { requests } = await pushTo(failsTimes(`state=1&digest=${encodeURIComponent(blobs[1]?.digest ?? '')}`, 2, 503));
  expect(requests.filter((line) => line.startsWith('POST'))).toHaveLength(4);
  const twice = await pushTo(never, { toPush: [blobOf('{}'), blobOf('{}')] });
  expect(twice.requests.filter((line) => line.startsWith('POST'))).toHaveLength(1);
});

/** Sends uploads to another server, which takes everything. */
async function pushElsewhere(isSecure: boolean): Promise<readonly string[]> {
  const { caPem, tls } = await loopbackCertificate();
  const seen: string[] = [];
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    seen.push(request.headers.authorization ?? 'anonymous');
    request.resume().on('end', () => response.writeHead(201).end());
  };
  await using storage = await startWebServer(take, isSecure ? tls : undefined);
  const away: Intercept = (request, response) => {
    if (request.method !== 'POST') return false;
    response.writeHead(202, { location: `${storage.url}/upload` }).end();
    return true;
  };
  const login = asksToken('me', 'secret-word', 'http');
  await pushTo(allOf(login, away), { caPem: [caPem] }).catch((thrown: unknown) => {
    seen.push((thrown as { reason: string }).reason);
  });
  return seen;
}

test('uploads may go to a storage server elsewhere, without the credentials, and over TLS alone', async () => {
  expect(await pushElsewhere(true)).toEqual(['anonymous', 'anonymous']);
  expect(await pushElsewhere(false)).toEqual(['RedirectRefused']);
});

test.each([
  {
    name: 'denies',
    intercept: failsTimes('/blobs/', 99, 403),
    reason: 'Forbidden',
    text: 'those of the test were used',
  },
  { name: 'has no such repository', intercept: failsTimes('uploads', 99, 404), reason: 'NotFound', text: '404' },
  { name: 'is silent', intercept: neverAnswers('uploads'), reason: 'DeadlineExceeded', text: 'no answer within 5 s' },
  {
    name: 'names no address for the upload',
    intercept: failsTimes('uploads', 99, 202),
    reason: 'UnexpectedAnswer',
    text: 'gave no address',
  },
  {
    name: 'makes another digest of the manifest',
    intercept: allOf((request, response) => {
      if (request.method !== 'PUT' || !request.url?.includes('manifests')) return false;
      response.writeHead(201, { 'docker-content-digest': `sha256:${'0'.repeat(64)}` }).end();
      return true;
    }),
    reason: 'DigestMismatch',
    text: 'the registry reports sha256:000',
  },
])('a registry that $name is reported', async ({ intercept, reason, text }) => {
  const failure = { reason, message: expect.stringContaining(text) as string };
  await expect(pushTo(intercept)).rejects.toMatchObject(failure);
});

test('a digest that is not that of what is pushed is refused before anything is sent', async () => {
  const wrong = `team/x@sha256:${'0'.repeat(64)}`;
  await expect(pushTo(never, { name: wrong })).rejects.toMatchObject({ reason: 'InvalidImageReference' });
});
