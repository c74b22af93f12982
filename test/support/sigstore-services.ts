import { createHash, createPublicKey, KeyObject, randomBytes, sign, webcrypto, X509Certificate } from 'node:crypto';
import type { SigstoreBundle } from '../../src/image-policy/index.ts';
import { der, derChildren, derOid } from './der.ts';
import type { SigningKey } from './signing-key.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const sha256Oid = '2.16.840.1.101.3.4.2.1';
const tstInfoOid = '1.2.840.113549.1.9.16.1.4';

function sha256(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function spki(publicPem: string): Buffer {
  return createPublicKey(publicPem).export({ type: 'spki', format: 'der' });
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, bytes - Math.min(bytes, 6), Math.min(bytes, 6));
  return buffer;
}

/** The extension value of a certificate with a timestamp (SCT) of that certificate transparency log.
 *  @see RFC 6962, section 3 */
export function timestampList(
  ctlog: SigningKey,
  {
    certificate,
    issuerPem,
    timeMs,
  }: { readonly certificate: Buffer; readonly issuerPem: string; readonly timeMs: number },
): Buffer {
  const [tbs = Buffer.of()] = derChildren(certificate);
  const time = uint(timeMs, 8);
  const issuerKeyHash = sha256(new X509Certificate(issuerPem).publicKey.export({ type: 'spki', format: 'der' }));
  const signed = Buffer.concat([
    Buffer.of(0, 0),
    time,
    uint(1, 2),
    issuerKeyHash,
    uint(tbs.length, 3),
    tbs,
    uint(0, 2),
  ]);
  const signature = sign('sha256', signed, ctlog.privateKey);
  const head = Buffer.concat([Buffer.of(0), sha256(spki(ctlog.publicPem)), time, uint(0, 2), Buffer.of(4, 3)]);
  const one = Buffer.concat([head, uint(signature.length, 2), signature]);
  return der(0x04, Buffer.concat([uint(one.length + 2, 2), uint(one.length, 2), one]));
}

/** A timestamp authority, as of RFC 3161. */
export interface TimestampAuthority {
  /** The certificate that signs, and the one that issued it; base64 of DER. */
  readonly chain: readonly string[];
  /** The answer of the authority for a signature, base64. */
  timestamp(signature: Buffer, timeMs: number): string;
}

async function certificates(): Promise<{ readonly chain: readonly string[]; readonly key: KeyObject }> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const [rootKeys, keys] = await Promise.all([
    webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']),
    webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']),
  ]);
  const day = 86_400_000;
  const validity = { notBefore: new Date(Date.now() - 365 * day), notAfter: new Date(Date.now() + 365 * day) };
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: '01',
    name: 'CN=timestamps',
    signingAlgorithm: algorithm,
    keys: rootKeys,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  const leaf = await x509.X509CertificateGenerator.create({
    ...validity,
    serialNumber: `01${randomBytes(7).toString('hex')}`,
    subject: 'CN=timestamp',
    issuer: root.subject,
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: rootKeys.privateKey,
    extensions: [new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.8'], true)],
  });
  return { chain: [leaf, root].map((one) => one.toString('base64')), key: KeyObject.from(keys.privateKey) };
}

/** A new authority. */
export async function timestampAuthority(): Promise<TimestampAuthority> {
  const { chain, key } = await certificates();
  const [tbs = Buffer.of()] = derChildren(Buffer.from(chain[0] ?? '', 'base64'));
  const [, serial = Buffer.of(), , issuer = Buffer.of()] = derChildren(tbs);
  const sha256Algorithm = der(0x30, derOid(sha256Oid));
  return {
    chain,
    timestamp: (signature, timeMs) => {
      const time = `${new Date(timeMs).toISOString().replace(/[-:T]|\..*$/g, '')}Z`;
      const imprint = der(0x30, sha256Algorithm, der(0x04, sha256(signature)));
      const one = der(0x02, Buffer.of(1));
      const info = der(0x30, one, derOid('1.2.3.4'), imprint, one, der(0x18, Buffer.from(time)));
      const attributes = [
        der(0x30, derOid('1.2.840.113549.1.9.3'), der(0x31, derOid(tstInfoOid))),
        der(0x30, derOid('1.2.840.113549.1.9.4'), der(0x31, der(0x04, sha256(info)))),
      ];
      const signed = sign('sha256', der(0x31, ...attributes), key);
      const signer = der(
        0x30,
        one,
        der(0x30, issuer, serial),
        sha256Algorithm,
        der(0xa0, ...attributes),
        der(0x30, derOid('1.2.840.10045.4.3.2')),
        der(0x04, signed),
      );
      const content = der(0x30, derOid(tstInfoOid), der(0xa0, der(0x04, info)));
      const data = der(0x30, der(0x02, Buffer.of(3)), der(0x31, sha256Algorithm), content, der(0x31, signer));
      const token = der(0x30, derOid('1.2.840.113549.1.7.2'), der(0xa0, data));
      return der(0x30, der(0x30, der(0x02, Buffer.of(0))), token).toString('base64');
    },
  };
}

interface BundleDocument {
  readonly verificationMaterial: Record<string, unknown> & { readonly tlogEntries: readonly Record<string, unknown>[] };
  readonly dsseEnvelope: { readonly signatures: readonly { readonly sig: string }[] };
}

function changed({ bundle }: SigstoreBundle, change: (document: BundleDocument) => unknown): SigstoreBundle {
  return { bundle: Buffer.from(JSON.stringify(change(JSON.parse(bundle.toString()) as BundleDocument))) };
}

/** The bundle with a signed timestamp of its signature. */
export function withTimestamp(bundle: SigstoreBundle, authority: TimestampAuthority, timeMs: number): SigstoreBundle {
  return changed(bundle, (document) => {
    const signature = Buffer.from(document.dsseEnvelope.signatures[0]?.sig ?? '', 'base64');
    const rfc3161Timestamps = [{ signedTimestamp: authority.timestamp(signature, timeMs) }];
    return {
      ...document,
      verificationMaterial: { ...document.verificationMaterial, timestampVerificationData: { rfc3161Timestamps } },
    };
  });
}

/** The bundle with a proof that its log entry is in the tree of a signed checkpoint, instead of the log's promise. */
export function withCheckpoint(
  bundle: SigstoreBundle,
  log: SigningKey,
  { name = 'log.example.com', root }: { readonly name?: string; readonly root?: Buffer } = {},
): SigstoreBundle {
  return changed(bundle, (document) => {
    const tlogEntries = document.verificationMaterial.tlogEntries.map(({ inclusionPromise: _promise, ...entry }) => {
      const leaf = sha256(Buffer.of(0), Buffer.from(String(entry['canonicalizedBody']), 'base64'));
      const sibling = sha256(Buffer.from('another entry'));
      const rootHash = root ?? sha256(Buffer.of(1), sibling, leaf);
      const note = `${name}\n2\n${rootHash.toString('base64')}\n`;
      const hint = sha256(spki(log.publicPem)).subarray(0, 4);
      const signature = Buffer.concat([hint, sign('sha256', Buffer.from(note), log.privateKey)]).toString('base64');
      const inclusionProof = {
        logIndex: '1',
        treeSize: '2',
        rootHash: rootHash.toString('base64'),
        hashes: [sibling.toString('base64')],
        checkpoint: { envelope: `${note}\n— ${name} ${signature}\n` },
      };
      return { ...entry, inclusionProof };
    });
    return { ...document, verificationMaterial: { ...document.verificationMaterial, tlogEntries } };
  });
}

/** A `trusted_root.json` with one of each that is given. */
export function trustedRootOf(parts: {
  readonly roots: string;
  readonly log?: SigningKey;
  readonly ctlog?: SigningKey;
  readonly authority?: TimestampAuthority;
}): { readonly [key: string]: never } {
  const logOf = ({ publicPem }: SigningKey): unknown => ({
    baseUrl: 'https://log.example.com',
    hashAlgorithm: 'SHA2_256',
    publicKey: { rawBytes: spki(publicPem).toString('base64'), keyDetails: 'PKIX_ECDSA_P256_SHA_256' },
    logId: { keyId: sha256(spki(publicPem)).toString('base64') },
  });
  const chainOf = (chain: readonly string[]): unknown => ({
    certChain: { certificates: chain.map((rawBytes) => ({ rawBytes })) },
  });
  const { roots, log, ctlog, authority } = parts;
  return {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    certificateAuthorities: [chainOf([new X509Certificate(roots).raw.toString('base64')])],
    tlogs: log === undefined ? [] : [logOf(log)],
    ctlogs: ctlog === undefined ? [] : [logOf(ctlog)],
    timestampAuthorities: authority === undefined ? [] : [chainOf(authority.chain)],
  } as never;
}
