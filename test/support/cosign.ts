import { createHash, type KeyObject, randomBytes, sign, webcrypto } from 'node:crypto';
import type { Registry } from '../../cli/examples/registry.ts';
import type { CosignSignature, SigstoreBundle } from '../../src/image-policy/index.ts';
import type { SigningKey } from './signing-key.ts';
import { timestampList } from './sigstore-services.ts';

function signed(key: KeyObject, payload: Buffer): string {
  return sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', payload, key).toString('base64');
}

function claim(digest: string, type: string): Buffer {
  const identity = { 'docker-reference': 'registry.example.com/any' };
  const critical = { identity, image: { 'docker-manifest-digest': digest }, type };
  return Buffer.from(JSON.stringify({ critical, optional: null }));
}

/** What cosign would keep for an image of that digest. */
export function signatureOf(
  digest: string,
  { privateKey }: Pick<SigningKey, 'privateKey'>,
  { type = 'cosign container image signature' }: { readonly type?: string } = {},
): CosignSignature {
  const payload = claim(digest, type);
  return { payload, annotations: { 'dev.cosignproject.cosign/signature': signed(privateKey, payload) } };
}

interface Promised {
  readonly payload: {
    readonly body: string;
    readonly integratedTime: number;
    readonly logID: string;
    readonly logIndex: number;
  };
  readonly promise: string;
}

/** The promise of a log when it accepts an entry. */
function promised(entry: unknown, log: SigningKey, timeMs: number): Promised {
  const der = Buffer.from(log.publicPem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const body = Buffer.from(JSON.stringify(entry)).toString('base64');
  const logID = createHash('sha256').update(der).digest('hex');
  const payload = { body, integratedTime: Math.floor(timeMs / 1000), logID, logIndex: 7 };
  return { payload, promise: signed(log.privateKey, Buffer.from(JSON.stringify(payload))) };
}

/** The note of a transparency log with that key, about a signature that `signerPem` made, at that time. */
export function logged(
  signature: CosignSignature,
  log: SigningKey,
  { signerPem, timeMs }: { readonly signerPem: string; readonly timeMs: number },
): CosignSignature {
  const entry = {
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: 'sha256', value: createHash('sha256').update(signature.payload).digest('hex') } },
      signature: {
        content: signature.annotations['dev.cosignproject.cosign/signature'],
        publicKey: { content: Buffer.from(signerPem).toString('base64') },
      },
    },
  };
  const { promise, payload } = promised(entry, log, timeMs);
  const bundle = { SignedEntryTimestamp: promise, Payload: payload };
  const annotations = { ...signature.annotations, 'dev.sigstore.cosign/bundle': JSON.stringify(bundle) };
  return { ...signature, annotations };
}

const statementType = 'application/vnd.in-toto+json';

/** What a bundle is to contain besides the digest. */
export interface SigstoreBundleOptions {
  readonly privateKey: KeyObject;
  /** PEM of what it was signed with; a bundle without `certificatePem` is one of a key. */
  readonly publicPem?: string;
  readonly certificatePem?: string;
  readonly log?: SigningKey;
  readonly timeMs?: number;
  readonly predicateType?: string;
  /** What the log is to have noted instead of the statement. */
  readonly logged?: string;
}

function logEntryOf(content: Buffer, signature: string, options: SigstoreBundleOptions): unknown[] {
  const { log, timeMs = Date.now(), logged: other } = options;
  if (log === undefined) return [];
  const payloadHash = {
    algorithm: 'sha256',
    value: createHash('sha256')
      .update(other ?? content)
      .digest('hex'),
  };
  const signer = options.certificatePem ?? options.publicPem ?? '';
  const signatures = [{ signature, verifier: Buffer.from(signer).toString('base64') }];
  const entry = { apiVersion: '0.0.1', kind: 'dsse', spec: { payloadHash, signatures } };
  const { payload, promise } = promised(entry, log, timeMs);
  return [
    {
      logIndex: String(payload.logIndex),
      logId: { keyId: Buffer.from(payload.logID, 'hex').toString('base64') },
      kindVersion: { kind: 'dsse', version: '0.0.1' },
      integratedTime: String(payload.integratedTime),
      inclusionPromise: { signedEntryTimestamp: promise },
      canonicalizedBody: payload.body,
    },
  ];
}

/** What cosign 3 would attach to an image of that digest. */
export function bundleOf(digest: string, options: SigstoreBundleOptions): SigstoreBundle {
  const { privateKey, certificatePem, predicateType = 'https://sigstore.dev/cosign/sign/v1' } = options;
  const subject = [{ name: '', digest: { sha256: digest.replace('sha256:', '') } }];
  const statement = { _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate: {} };
  const content = Buffer.from(JSON.stringify(statement));
  const head = `DSSEv1 ${statementType.length} ${statementType} ${content.length} `;
  const signature = signed(privateKey, Buffer.concat([Buffer.from(head), content]));
  const rawBytes = certificatePem?.replace(/-----[^-]+-----|\s/g, '');
  const bundle = {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      ...(rawBytes === undefined ? { publicKey: { hint: 'key' } } : { certificate: { rawBytes } }),
      tlogEntries: logEntryOf(content, signature, options),
    },
    dsseEnvelope: {
      payload: content.toString('base64'),
      payloadType: statementType,
      signatures: [{ sig: signature }],
    },
  };
  return { bundle: Buffer.from(JSON.stringify(bundle)) };
}

/** Attaches bundles to the image `repository@digest`, one manifest each, as cosign does: by their subject, or in a tag for registries that
 *  know of no subjects. */
export function attachBundles(
  registry: Registry,
  {
    repository,
    digest,
    by = 'subject',
  }: { readonly repository: string; readonly digest: string; readonly by?: 'subject' | 'tag' },
  bundles: readonly SigstoreBundle[],
): void {
  const artifactType = 'application/vnd.dev.sigstore.bundle.v0.3+json';
  const manifestType = 'application/vnd.oci.image.manifest.v1+json';
  const nothing = {
    mediaType: 'application/vnd.oci.empty.v1+json',
    digest: registry.putBlob(Buffer.from('{}')),
    size: 2,
  };
  const manifests = bundles.map(({ bundle }, index) => {
    const layer = { mediaType: artifactType, digest: registry.putBlob(bundle), size: bundle.length };
    const subject = by === 'subject' ? { subject: { mediaType: manifestType, digest, size: 1 } } : {};
    const manifest = {
      schemaVersion: 2,
      mediaType: manifestType,
      artifactType,
      config: nothing,
      layers: [layer],
      ...subject,
    };
    const put = registry.putManifest(`${repository}:attached-${index}`, manifest);
    return { mediaType: manifestType, digest: put, size: JSON.stringify(manifest).length, artifactType };
  });
  if (by === 'subject') return;
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  registry.putManifest(`${repository}:${digest.replace(':', '-')}`, { schemaVersion: 2, mediaType, manifests });
}

/** An authority that gives certificates for a moment, as Fulcio does. */
export interface MomentAuthority {
  readonly pem: string;
  certify(who: {
    readonly subject: string;
    readonly issuer: string;
    readonly timeMs: number;
    readonly usage?: string;
    /** Of certificate transparency, whose timestamp the certificate is to contain. */
    readonly ctlog?: SigningKey;
  }): Promise<{ readonly certificatePem: string; readonly privateKey: KeyObject }>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const codeSigning = '1.3.6.1.5.5.7.3.3';

function utf8String(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = bytes.length < 128 ? [0x0c, bytes.length] : [0x0c, 0x81, bytes.length];
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** A new authority. */
export async function momentAuthority(): Promise<MomentAuthority> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const { KeyObject: Keys } = await import('node:crypto');
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const day = 86_400_000;
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(8).toString('hex'),
    name: 'CN=moments',
    notBefore: new Date(Date.now() - 365 * day),
    notAfter: new Date(Date.now() + 365 * day),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  return {
    pem: root.toString('pem'),
    certify: async ({ subject, issuer, timeMs, usage = codeSigning, ctlog }) => {
      const own = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const type = subject.includes('://') ? ('url' as const) : ('email' as const);
      const parameters = {
        serialNumber: randomBytes(8).toString('hex'),
        subject: '',
        issuer: root.subject,
        notBefore: new Date(timeMs - 60_000),
        notAfter: new Date(timeMs + 600_000),
        signingAlgorithm: algorithm,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
      };
      const extensions: InstanceType<typeof x509.Extension>[] = [
        new x509.ExtendedKeyUsageExtension([usage]),
        new x509.SubjectAlternativeNameExtension([{ type, value: subject }], true),
        new x509.Extension('1.3.6.1.4.1.57264.1.8', false, utf8String(issuer)),
      ];
      let certificate = await x509.X509CertificateGenerator.create({ ...parameters, extensions });
      if (ctlog !== undefined) {
        const before = { certificate: Buffer.from(certificate.rawData), issuerPem: root.toString('pem'), timeMs };
        extensions.push(new x509.Extension('1.3.6.1.4.1.11129.2.4.2', false, timestampList(ctlog, before)));
        certificate = await x509.X509CertificateGenerator.create({ ...parameters, extensions });
      }
      return { certificatePem: certificate.toString('pem'), privateKey: Keys.from(own.privateKey) };
    },
  };
}

/** Puts signatures where cosign would, for the image `repository@digest`. */
export function putSignatures(
  registry: Registry,
  { repository, digest }: { readonly repository: string; readonly digest: string },
  signatures: readonly CosignSignature[],
): void {
  const layers = signatures.map(({ payload, annotations }) => ({
    mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json',
    digest: registry.putBlob(payload),
    size: payload.length,
    annotations,
  }));
  const configuration = Buffer.from('{}');
  registry.putManifest(`${repository}:${digest.replace(':', '-')}.sig`, {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      digest: registry.putBlob(configuration),
      size: configuration.length,
    },
    layers,
  });
}
