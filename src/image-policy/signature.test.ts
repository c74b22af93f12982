import { beforeAll, describe, expect, test } from 'vitest';
import { logged, type MomentAuthority, momentAuthority, signatureOf, signingKey } from '../../test/support/index.ts';
import { type CosignSignature, type SigstoreSigner, signatureProblem } from './index.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const another = `sha256:${'cd'.repeat(32)}`;
const log = signingKey();
const nowMs = Date.now();

describe('a signature of a key', () => {
  const keyed = (key: string, rekorKey?: string): SigstoreSigner => ({ kind: 'key', key, rekorKey });

  test.each(['ec', 'rsa', 'ed25519'] as const)('of type %s is valid for its digest and no other', async (type) => {
    const key = signingKey(type);
    const signature = signatureOf(digest, key);
    expect(await signatureProblem(signature, digest, keyed(key.publicPem))).toBe(undefined);
    expect(await signatureProblem(signature, another, keyed(key.publicPem))).toBe(`it is for ${digest}`);
    const other = keyed(signingKey(type).publicPem);
    expect(await signatureProblem(signature, digest, other)).toBe('it does not match the key');
  });

  const key = signingKey();
  const good = signatureOf(digest, key);
  const noted = logged(good, log, { signerPem: key.publicPem, timeMs: nowMs });
  const tampered = (change: (text: string) => string): CosignSignature => {
    const { 'dev.sigstore.cosign/bundle': bundle = '', ...rest } = noted.annotations;
    return { ...noted, annotations: { ...rest, 'dev.sigstore.cosign/bundle': change(bundle) } };
  };

  test.each([
    {
      name: 'a changed payload',
      signature: { ...good, payload: Buffer.from(`${good.payload.toString()} `) },
      problem: 'it does not match the key',
    },
    { name: 'no signature', signature: { ...good, annotations: {} }, problem: 'its manifest has no signature' },
    {
      name: 'another claim',
      signature: signatureOf(digest, key, { type: 'atomic container signature' }),
      problem: 'it is a claim of the type "atomic container signature"',
    },
  ])('with $name is refused', async ({ signature, problem }) => {
    expect(await signatureProblem(signature, digest, keyed(key.publicPem))).toBe(problem);
  });

  test('must be in the log if the policy requires it', async () => {
    const signer = keyed(key.publicPem, log.publicPem);
    expect(await signatureProblem(noted, digest, signer)).toBe(undefined);
    expect(await signatureProblem(good, digest, signer)).toBe('it has no transparency log entry');
  });

  test.each([
    {
      name: 'of another log',
      signature: logged(good, signingKey(), { signerPem: key.publicPem, timeMs: nowMs }),
      problem: 'inclusion promise could not be verified',
    },
    {
      name: 'about another key',
      signature: logged(good, log, { signerPem: signingKey().publicPem, timeMs: nowMs }),
      problem: 'is about another key',
    },
    {
      name: 'with another time',
      signature: tampered((text) => text.replace(/"integratedTime":\d+/, '"integratedTime":1')),
      problem: 'inclusion promise could not be verified',
    },
    { name: 'that is no JSON', signature: tampered(() => '{'), problem: 'JSON' },
    {
      name: 'without a time',
      signature: tampered((text) => text.replace(/"integratedTime":\d+/, '"integratedTime":"x"')),
      problem: 'its transparency log entry has no integratedTime',
    },
    {
      name: 'about another signature',
      signature: {
        ...signatureOf(another, key),
        annotations: { ...noted.annotations, ...signatureOf(another, key).annotations },
      },
      problem: 'signature mismatch',
    },
  ])('with a note $name is refused', async ({ signature, problem }) => {
    expect(await signatureProblem(signature, digest, keyed(key.publicPem, log.publicPem))).toContain(problem);
  });
});

describe('a keyless signature', () => {
  const issuer = 'https://token.actions.example.com';
  const subject = 'https://git.example.com/team/app/.ci/release.yaml@refs/heads/main';
  let authority: MomentAuthority;
  beforeAll(async () => {
    authority = await momentAuthority();
  });

  const signer = (more: Partial<Extract<SigstoreSigner, { kind: 'keyless' }>> = {}): SigstoreSigner => {
    return { kind: 'keyless', issuer, subject, roots: authority.pem, rekorKey: log.publicPem, ...more };
  };

  async function signatureBy(
    who: Partial<Parameters<MomentAuthority['certify']>[0]> = {},
    loggedAtMs = nowMs,
  ): Promise<CosignSignature> {
    const { certificatePem, privateKey } = await authority.certify({ subject, issuer, timeMs: nowMs, ...who });
    const signature = signatureOf(digest, { privateKey });
    const annotations = { ...signature.annotations, 'dev.sigstore.cosign/certificate': certificatePem };
    return logged({ ...signature, annotations }, log, { signerPem: certificatePem, timeMs: loggedAtMs });
  }

  test('is valid long after its certificate has expired', async () => {
    const longAgoMs = nowMs - 100 * 86_400_000;
    const signature = await signatureBy({ timeMs: longAgoMs }, longAgoMs);
    expect(await signatureProblem(signature, digest, signer())).toBe(undefined);
    expect(await signatureProblem(signature, another, signer())).toBe(`it is for ${digest}`);
  });

  test('is valid for an identity that a pattern matches', async () => {
    const pattern = 'https://git.example.com/team/*@refs/heads/main';
    expect(await signatureProblem(await signatureBy(), digest, signer({ subject: pattern }))).toBe(undefined);
    const mail = await signatureBy({ subject: 'dev@example.com' });
    expect(await signatureProblem(mail, digest, signer({ subject: 'dev@example.com' }))).toBe(undefined);
  });

  test('is refused with an invalid certificate', async () => {
    const problem = async (signature: CosignSignature, by: SigstoreSigner = signer()): Promise<string | undefined> =>
      await signatureProblem(signature, digest, by);
    expect(await problem(await signatureBy({ subject: 'https://git.example.com/other' }))).toContain(
      'its certificate has the subject "https://git.example.com/other", expected',
    );
    expect(await problem(await signatureBy({ issuer: 'https://hostile.example.com' }))).toContain(
      'has the issuer "https://hostile.example.com", expected "https://token.actions.example.com"',
    );
    expect(await problem(await signatureBy({ usage: '1.3.6.1.5.5.7.3.1' }))).toBe(
      'its certificate is not a code signing certificate',
    );
    expect(await problem(await signatureBy({}, nowMs + 3_600_000))).toContain(
      'certificate is not valid or expired at the specified date',
    );
    const strange = signer({ roots: (await momentAuthority()).pem });
    expect(await problem(await signatureBy(), strange)).toContain('its certificate is not trusted');
    const { 'dev.sigstore.cosign/certificate': _certificate, ...annotations } = (await signatureBy()).annotations;
    expect(await problem({ ...(await signatureBy()), annotations })).toBe('it has no certificate');
    const { 'dev.sigstore.cosign/bundle': _bundle, ...unnoted } = (await signatureBy()).annotations;
    const signature = await signatureBy();
    expect(
      await problem({
        ...signature,
        annotations: { ...signature.annotations, ...unnoted, 'dev.sigstore.cosign/bundle': '' },
      }),
    ).toMatch(/it does not match the certificate|no transparency log entry/);
  });
});
