import { randomBytes } from 'node:crypto';
import {
  type CertifiedKey,
  certificateExpiryMs,
  certificateStartMs,
  createCertificateAuthority,
  isServingCertificate,
  issueCertificate,
  type JsonObject,
  objectAt,
  type ServingPair,
  sha256Digest,
  splitCertificates,
  textAt,
} from '../../../base/index.ts';
import type { KubeObject } from '../../../kube/index.ts';
import type { ServedDeployment } from './descriptions.ts';

const lifetimeDays = 730;
const dayMs = 86_400_000;
/** Authorities and certificates are valid from a few minutes before they are issued. */
const clockSkewMs = 5 * 60_000;
const maxCommonName = 64;
/** Member of the Secret with the authorities to trust. */
const authorityKey = 'olmCAKey';

/** Names by which clients reach the Service of a Deployment. */
function hostsOf({ service, namespace }: ServedDeployment): readonly string[] {
  const host = `${service}.${namespace}`;
  return [host, `${host}.svc`, `${host}.svc.cluster.local`];
}

/** The authority of all certificates of one installation. Its key is forgotten when they are issued. */
export async function createAuthority(nowMs: number): Promise<CertifiedKey> {
  const commonName = `olm-selfsigned-${randomBytes(8).toString('hex')}`;
  return await createCertificateAuthority({ commonName, nowMs, lifetimeDays });
}

/** A certificate for the Service of a Deployment. The authority of `previous` is trusted as well until the next one: a server may not have seen the
 *  new certificate yet. */
export async function issueServing(
  authority: CertifiedKey,
  served: ServedDeployment,
  { previous, nowMs }: { readonly previous: ServingPair | undefined; readonly nowMs: number },
): Promise<ServingPair> {
  const dnsNames = hostsOf(served);
  const commonName = (dnsNames[0] ?? '').slice(0, maxCommonName);
  const certified = await issueCertificate(authority, { commonName, usage: 'server', dnsNames, nowMs, lifetimeDays });
  const before = splitCertificates(previous?.caBundlePem ?? '').slice(0, 1);
  return { ...certified, caBundlePem: [authority.certificatePem, ...before].join('') };
}

/** When it was issued, in milliseconds since the epoch. */
export function issuedMs({ certificatePem }: ServingPair): number {
  return certificateStartMs(certificatePem) + clockSkewMs;
}

/** When it is to be replaced: a day before it or its authority expires. */
export function rotationMs({ certificatePem, caBundlePem }: ServingPair): number {
  return Math.min(certificateExpiryMs(certificatePem), certificateExpiryMs(caBundlePem)) - dayMs;
}

/** Hash of the authorities to trust, on the Secret and on Pods.
 *  @see docs/spec/olm-v0.md#webhooks */
export function authorityHash({ caBundlePem }: ServingPair): string {
  return sha256Digest(caBundlePem).slice('sha256:'.length);
}

/** `data` of the Secret. */
export function secretData({ certificatePem, privateKeyPem, caBundlePem }: ServingPair): JsonObject {
  const members = { 'tls.crt': certificatePem, 'tls.key': privateKeyPem, [authorityKey]: caBundlePem };
  return Object.fromEntries(Object.entries(members).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}

function parsePair(secret: KubeObject, served: ServedDeployment): ServingPair | undefined {
  const data = objectAt(secret as JsonObject, 'data');
  const text = (key: string): string => Buffer.from(textAt(data, key), 'base64').toString('utf8');
  const pair = { certificatePem: text('tls.crt'), privateKeyPem: text('tls.key'), caBundlePem: text(authorityKey) };
  return isServingCertificate(pair, { caBundlePem: pair.caBundlePem, dnsNames: hostsOf(served) }) ? pair : undefined;
}

interface ReadPair {
  readonly pair: ServingPair | undefined;
  readonly startMs: number;
  readonly endMs: number;
}

function read(secret: KubeObject, served: ServedDeployment): ReadPair {
  const pair = parsePair(secret, served);
  if (pair === undefined) return { pair, startMs: 0, endMs: 0 };
  const { certificatePem, caBundlePem } = pair;
  return {
    pair,
    startMs: Math.max(certificateStartMs(certificatePem), certificateStartMs(caBundlePem)),
    endMs: Math.min(certificateExpiryMs(certificatePem), certificateExpiryMs(caBundlePem)),
  };
}

/** Reads certificates of Secrets; those of cached Secrets are verified once. */
export class CertificateReader {
  readonly #known = new WeakMap<KubeObject, ReadPair>();

  /** The certificate in a Secret; undefined unless a server may show it now: it has the key, the authority, all names, and is valid. */
  validPair(secret: KubeObject | undefined, served: ServedDeployment, nowMs: number): ServingPair | undefined {
    if (secret === undefined) return undefined;
    const found = this.#known.get(secret) ?? read(secret, served);
    this.#known.set(secret, found);
    return found.startMs <= nowMs && nowMs < found.endMs ? found.pair : undefined;
  }
}
