import { beforeAll, describe, expect, test } from 'vitest';
import {
  bundleOf,
  type MomentAuthority,
  momentAuthority,
  signatureOf,
  signingKey,
  timestampAuthority,
  trustedRootOf,
  withCheckpoint,
  withTimestamp,
} from '../../test/support/index.ts';
import { parseImagePolicy, type SigstoreBundle, type SigstoreSigner, signatureProblem } from './index.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const issuer = 'https://token.actions.example.com';
const subject = 'https://git.example.com/team/app/.ci/release.yaml@refs/heads/main';
const [log, ctlog] = [signingKey(), signingKey()];
const timeMs = Date.now() - 100 * 86_400_000;

let authority: MomentAuthority;
let clock: Awaited<ReturnType<typeof timestampAuthority>>;
beforeAll(async () => {
  authority = await momentAuthority();
  clock = await timestampAuthority();
});

function trusting(parts: Partial<Parameters<typeof trustedRootOf>[0]>): SigstoreSigner {
  return { kind: 'trustedRoot', issuer, subject, trustedRoot: trustedRootOf({ roots: authority.pem, ...parts }) };
}

async function bundleBy(who: { readonly ctlog?: ReturnType<typeof signingKey> } = {}): Promise<SigstoreBundle> {
  return bundleOf(digest, { ...(await authority.certify({ subject, issuer, timeMs, ...who })), log, timeMs });
}

const problem = async (bundle: SigstoreBundle, signer: SigstoreSigner): Promise<string | undefined> =>
  await signatureProblem(bundle, digest, signer);

describe('a certificate', () => {
  test('needs a timestamp of the certificate transparency log that the policy names', async () => {
    const keyless: SigstoreSigner = {
      kind: 'keyless',
      issuer,
      subject,
      roots: authority.pem,
      rekorKey: log.publicPem,
      ctlogKey: ctlog.publicPem,
    };
    for (const signer of [keyless, trusting({ log, ctlog })]) {
      expect(await problem(await bundleBy({ ctlog }), signer)).toBe(undefined);
      expect(await problem(await bundleBy(), signer)).toBe('its certificate is not trusted: expected 1 SCTs, got 0');
      expect(await problem(await bundleBy({ ctlog: signingKey() }), signer)).toBe(
        'its certificate is not trusted: SCT verification failed',
      );
    }
    expect(await problem(await bundleBy({ ctlog }), { ...keyless, ctlogKey: undefined })).toBe(
      'its certificate has a timestamp of a certificate transparency log (SCT), for which the policy has no key: add its ctlogKey, or use a trustedRoot',
    );
  });
});

describe('a signed timestamp', () => {
  test('shows when the certificate was used, without a log', async () => {
    const certified = await authority.certify({ subject, issuer, timeMs });
    const bundle = bundleOf(digest, certified);
    const signer = trusting({ authority: clock });
    expect(await problem(withTimestamp(bundle, clock, timeMs), signer)).toBe(undefined);
    expect(await problem(withTimestamp(bundle, clock, timeMs + 3_600_000), signer)).toContain(
      'certificate is not valid or expired at the specified date',
    );
    expect(await problem(bundle, signer)).toBe('its timestamp is not trusted: expected 1 timestamps, got 0');
  });

  test('of another authority, or of another signature, is refused', async () => {
    const certified = await authority.certify({ subject, issuer, timeMs });
    const bundle = bundleOf(digest, certified);
    const signer = trusting({ authority: clock });
    const refused = 'its timestamp is not trusted: timestamp could not be verified';
    expect(await problem(withTimestamp(bundle, await timestampAuthority(), timeMs), signer)).toBe(refused);
    const ofAnother = { ...clock, timestamp: () => clock.timestamp(Buffer.from('another signature'), timeMs) };
    expect(await problem(withTimestamp(bundle, ofAnother, timeMs), signer)).toBe(refused);
  });

  test('counts for a signature in a tag', async () => {
    const { certificatePem, privateKey } = await authority.certify({ subject, issuer, timeMs });
    const { payload, annotations } = signatureOf(digest, { privateKey });
    const signature = Buffer.from(annotations['dev.cosignproject.cosign/signature'] ?? '', 'base64');
    const timestamp = JSON.stringify({ SignedRFC3161Timestamp: clock.timestamp(signature, timeMs) });
    const certified = { ...annotations, 'dev.sigstore.cosign/certificate': certificatePem };
    const timed = { ...certified, 'dev.sigstore.cosign/rfc3161timestamp': timestamp };
    const signer = trusting({ authority: clock });
    expect(await signatureProblem({ payload, annotations: timed }, digest, signer)).toBe(undefined);
    expect(await signatureProblem({ payload, annotations: certified }, digest, signer)).toContain('got 0');
  });
});

describe('a checkpoint', () => {
  const both = (): SigstoreSigner => trusting({ log, authority: clock });

  test('proves that the signature is in the log, and a timestamp when it was made', async () => {
    const proven = withCheckpoint(await bundleBy(), log);
    expect(await problem(withTimestamp(proven, clock, timeMs), both())).toBe(undefined);
    expect(await problem(proven, both())).toBe('its timestamp is not trusted: expected 1 timestamps, got 0');
  });

  test.each([
    { name: 'of another tree', change: { root: Buffer.alloc(32, 1) }, text: 'calculated root hash does not match' },
    { name: 'of a log of another name', change: { name: 'hostile.example.net' }, text: 'invalid checkpoint signature' },
    { name: 'by another key', change: {}, by: signingKey(), text: 'invalid checkpoint signature' },
  ])('$name is refused', async ({ change, by = log, text }) => {
    const bundle = withTimestamp(withCheckpoint(await bundleBy(), by, change), clock, timeMs);
    expect(await problem(bundle, both())).toContain(`its transparency log entry is not trusted: ${text}`);
  });

  test('is verified for a plain key with rekorKey, under any name', async () => {
    const key = signingKey();
    const signer: SigstoreSigner = { kind: 'key', key: key.publicPem, rekorKey: log.publicPem };
    const bundle = bundleOf(digest, { ...key, log, timeMs });
    expect(await problem(withCheckpoint(bundle, log, { name: 'any.example.net' }), signer)).toBe(undefined);
    expect(await problem(withCheckpoint(bundle, log, { root: Buffer.alloc(32, 1) }), signer)).toContain('root hash');
    expect(await problem(withCheckpoint(bundle, signingKey()), signer)).toContain('invalid checkpoint signature');
  });
});

describe('a policy with a trusted root', () => {
  const policyWith = (keyless: object, more: object = {}): string =>
    JSON.stringify({
      rules: [{ images: ['x.io/y'], signedBy: [{ keyless: { issuer, subject, ...keyless }, ...more }] }],
    });

  test('has it as text or as a mapping', () => {
    const trustedRoot = trustedRootOf({ roots: authority.pem, log });
    for (const given of [trustedRoot, JSON.stringify(trustedRoot)]) {
      const { rules } = parseImagePolicy('policy.yaml', policyWith({ trustedRoot: given }));
      expect(rules[0]?.signedBy).toEqual([{ kind: 'trustedRoot', issuer, subject, trustedRoot }]);
    }
  });

  test('that cannot verify anything is refused', () => {
    const root = trustedRootOf({ roots: authority.pem, log });
    const refusal = (keyless: object, more?: object) => (): unknown =>
      parseImagePolicy('policy.yaml', policyWith(keyless, more));
    expect(refusal({ trustedRoot: {} })).toThrow('keyless.trustedRoot: expected a trusted root with certificateAuth');
    expect(refusal({ trustedRoot: { ...root, tlogs: [] } })).toThrow('with tlogs or timestampAuthorities');
    expect(refusal({ trustedRoot: { ...root, ctlogs: [{}] } })).toThrow('with a public key in each log');
    expect(refusal({ trustedRoot: { ...root, certificateAuthorities: [{}] } })).toThrow('with certificates in each');
    expect(refusal({ trustedRoot: root }, { rekorKey: log.publicPem })).toThrow('trustedRoot alone');
  });
});
