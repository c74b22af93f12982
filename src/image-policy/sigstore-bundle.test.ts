import { beforeAll, describe, expect, test } from 'vitest';
import { bundleOf, type MomentAuthority, momentAuthority, signingKey } from '../../test/support/index.ts';
import { bundleManifestsIn, type SigstoreBundle, type SigstoreSigner, signatureProblem } from './index.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const another = `sha256:${'cd'.repeat(32)}`;
const log = signingKey();
const key = signingKey();
const { privateKey, publicPem } = key;
const keyed = (pem: string, rekorKey?: string): SigstoreSigner => ({ kind: 'key', key: pem, rekorKey });

function changed({ bundle }: SigstoreBundle, change: (text: string) => string): SigstoreBundle {
  return { bundle: Buffer.from(change(bundle.toString())) };
}

describe('a bundle of a key', () => {
  test.each(['ec', 'rsa', 'ed25519'] as const)('of type %s is valid for its digest and no other', async (type) => {
    const own = signingKey(type);
    const bundle = bundleOf(digest, own);
    expect(await signatureProblem(bundle, digest, keyed(own.publicPem))).toBe(undefined);
    expect(await signatureProblem(bundle, another, keyed(own.publicPem))).toBe(`it is for ${digest}`);
    expect(await signatureProblem(bundle, digest, keyed(publicPem))).toBe('it does not match the key');
  });

  const good = bundleOf(digest, { privateKey });
  test.each([
    {
      name: 'of an attestation',
      bundle: bundleOf(digest, { privateKey, predicateType: 'https://slsa.dev/provenance/v1' }),
      problem: 'it is a statement of the type "https://slsa.dev/provenance/v1", not a signature',
    },
    {
      name: 'with a changed statement',
      bundle: changed(good, (text) =>
        text.replace(/"payload":"[^"]+"/, `"payload":"${payloadOf(bundleOf(another, { privateKey }))}"`),
      ),
      problem: 'it does not match the key',
    },
    {
      name: 'with content of another type',
      bundle: changed(good, (text) => text.replace('application/vnd.in-toto+json', 'text/plain')),
      problem: 'it holds "text/plain", not a statement',
    },
    { name: 'without an envelope', bundle: { bundle: Buffer.from('{}') }, problem: 'it holds "", not a statement' },
    { name: 'that is no JSON', bundle: { bundle: Buffer.from('{') }, problem: 'the bundle' },
    { name: 'that is a list', bundle: { bundle: Buffer.from('[1]') }, problem: 'it holds ""' },
  ])('$name is refused', async ({ bundle, problem }) => {
    expect(await signatureProblem(bundle, digest, keyed(publicPem))).toContain(problem);
  });

  const noted = bundleOf(digest, { privateKey, publicPem, log });
  const signer = keyed(publicPem, log.publicPem);
  test('must be in the log if the policy requires it', async () => {
    expect(await signatureProblem(noted, digest, signer)).toBe(undefined);
    expect(await signatureProblem(good, digest, signer)).toBe('it has no transparency log entry');
  });

  test.each([
    {
      name: 'of another log',
      bundle: bundleOf(digest, { privateKey, publicPem, log: signingKey() }),
      problem: 'inclusion promise could not be verified',
    },
    {
      name: 'about another key',
      bundle: bundleOf(digest, { privateKey, publicPem: signingKey().publicPem, log }),
      problem: 'is about another key',
    },
    {
      name: 'about another statement',
      bundle: bundleOf(digest, { privateKey, publicPem, log, logged: 'something else' }),
      problem: 'DSSE payload hash mismatch',
    },
    {
      name: 'with another time',
      bundle: changed(noted, (text) => text.replace(/"integratedTime":"\d+"/, '"integratedTime":"1"')),
      problem: 'inclusion promise could not be verified',
    },
    {
      name: 'without a time',
      bundle: changed(noted, (text) => text.replace(/"integratedTime":"\d+"/, '"integratedTime":"soon"')),
      problem: 'inclusion promise could not be verified',
    },
    {
      name: 'with a proof without a checkpoint',
      bundle: changed(noted, (text) => text.replace('inclusionPromise', 'inclusionProof')),
      problem: 'has an inclusion proof without a checkpoint',
    },
  ])('with a note $name is refused', async ({ bundle, problem }) => {
    expect(await signatureProblem(bundle, digest, signer)).toContain(problem);
  });
});

function payloadOf({ bundle }: SigstoreBundle): string {
  return (JSON.parse(bundle.toString()) as { dsseEnvelope: { payload: string } }).dsseEnvelope.payload;
}

/** The log entry of a bundle, with a proof whose checkpoint has many signatures of the log; none is right. */
function withCheckpoint(text: string, count: number): string {
  const document = JSON.parse(text) as { verificationMaterial: { tlogEntries: Record<string, unknown>[] } };
  const [entry] = document.verificationMaterial.tlogEntries;
  const { keyId = '' } = (entry?.['logId'] ?? {}) as { readonly keyId?: string };
  const signature = Buffer.concat([
    Buffer.from(keyId, 'base64').subarray(0, 4),
    Buffer.from('3006020101020101', 'hex'),
  ]);
  const line = `\u2014 log ${signature.toString('base64')}\n`;
  const rootHash = 'AAAA';
  const envelope = `log\n1\n${rootHash}\n\n${line.repeat(count)}`;
  const inclusionProof = { logIndex: '0', rootHash, treeSize: '1', hashes: [], checkpoint: { envelope } };
  document.verificationMaterial.tlogEntries = [{ ...entry, inclusionProof }];
  return JSON.stringify(document);
}

describe('what takes long to verify is counted before', () => {
  const repeated = (text: string, count: number): string =>
    text.replace(/"tlogEntries":\[(.*?)\]/, (_, entry: string) => `"tlogEntries":[${Array(count).fill(entry).join()}]`);
  const timed = (text: string, count: number): string => {
    const stamps = Array(count).fill('{"signedTimestamp":"MAA="}').join();
    return text.replace('"tlogEntries"', `"timestampVerificationData":{"rfc3161Timestamps":[${stamps}]},"tlogEntries"`);
  };
  const certified = (text: string, count: number): string => {
    const rawBytes = Buffer.alloc(count).toString('base64');
    return text.replace('"publicKey":{"hint":"key"}', `"certificate":{"rawBytes":"${rawBytes}"}`);
  };
  test.each([
    {
      name: 'bytes of a certificate',
      change: certified,
      count: 65_537,
      problem: '65537 bytes of certificates and timestamps, more than the limit of 65536',
    },
    {
      name: 'log entries',
      change: repeated,
      count: 33,
      problem: '33 transparency log entries, more than the limit of 32',
    },
    { name: 'timestamps', change: timed, count: 33, problem: '33 timestamps, more than the limit of 32' },
    {
      name: 'signatures in a checkpoint',
      change: withCheckpoint,
      count: 10_000,
      problem: '10000 signatures of checkpoints, more than the limit of 256',
    },
  ])('very many $name are refused', async ({ change, count, problem }) => {
    const bundle = changed(bundleOf(digest, { privateKey, publicPem, log }), (text) => change(text, count));
    expect(await signatureProblem(bundle, digest, keyed(publicPem, log.publicPem))).toBe(`it has ${problem}`);
  });

  test('a checkpoint with a few signatures is verified', async () => {
    const bundle = changed(bundleOf(digest, { privateKey, publicPem, log }), (text) => withCheckpoint(text, 20));
    expect(await signatureProblem(bundle, digest, keyed(publicPem, log.publicPem))).toContain(
      'invalid checkpoint signature',
    );
  });
});

test('what a bundle has in place of a short text is not repeated in full', async () => {
  const bundle = changed(bundleOf(digest, { privateKey, publicPem, log }), (text) =>
    text.replace('"kind":"dsse"', `"kind":"${'A'.repeat(400_000)}"`),
  );
  const problem = await signatureProblem(bundle, digest, keyed(publicPem, log.publicPem));
  expect(problem).toMatch(/A…?$/);
  expect(problem?.length).toBeLessThan(1100);
});

describe('a keyless bundle', () => {
  const issuer = 'https://token.actions.example.com';
  const subject = 'https://git.example.com/team/app/.ci/release.yaml@refs/heads/main';
  let authority: MomentAuthority;
  beforeAll(async () => {
    authority = await momentAuthority();
  });
  const signer = (more: Partial<Extract<SigstoreSigner, { kind: 'keyless' }>> = {}): SigstoreSigner => {
    return { kind: 'keyless', issuer, subject, roots: authority.pem, rekorKey: log.publicPem, ...more };
  };

  test('is valid long after its certificate has expired, and for no other identity', async () => {
    const timeMs = Date.now() - 100 * 86_400_000;
    const bundle = bundleOf(digest, { ...(await authority.certify({ subject, issuer, timeMs })), log, timeMs });
    expect(await signatureProblem(bundle, digest, signer())).toBe(undefined);
    expect(await signatureProblem(bundle, another, signer())).toBe(`it is for ${digest}`);
    expect(await signatureProblem(bundle, digest, signer({ subject: 'dev@example.com' }))).toContain(
      'its certificate has the subject',
    );
    const late = bundleOf(digest, { ...(await authority.certify({ subject, issuer, timeMs })), log });
    expect(await signatureProblem(late, digest, signer())).toContain(
      'certificate is not valid or expired at the specified date',
    );
  });

  test('without its certificate is refused', async () => {
    const bundle = bundleOf(digest, { privateKey, log });
    expect(await signatureProblem(bundle, digest, signer())).toBe('it has no certificate');
  });
});

test('of the artifacts attached to an image, signatures are used and attestations are not', () => {
  const one = (hex: string, more: Record<string, unknown>): unknown => ({
    digest: `sha256:${hex.repeat(32)}`,
    ...more,
  });
  const artifactType = 'application/vnd.dev.sigstore.bundle.v0.3+json';
  const predicate = (type: string): unknown => ({ 'dev.sigstore.bundle.predicateType': type });
  const manifests = [
    one('aa', { artifactType }),
    one('bb', { artifactType: 'application/spdx+json' }),
    one('cc', { artifactType, annotations: predicate('https://slsa.dev/provenance/v1') }),
    one('dd', { artifactType, annotations: predicate('https://sigstore.dev/cosign/sign/v1') }),
    { artifactType, digest: 'md5:1' },
    'nonsense',
  ];
  const found = [`sha256:${'aa'.repeat(32)}`, `sha256:${'dd'.repeat(32)}`];
  expect(bundleManifestsIn({ manifests } as never, 50)).toEqual(found);
  expect(bundleManifestsIn({ manifests } as never, 1)).toEqual(found.slice(0, 1));
  expect(bundleManifestsIn([], 50)).toEqual([]);
});
