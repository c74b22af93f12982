import {
  type CertifiedKey,
  certificateExpiryMs,
  certificateStartMs,
  createCertificateAuthority,
  isJsonObject,
  issueCertificate,
  type JsonObject,
  type ServingPair,
  splitCertificates,
} from '../src/base/index.ts';
import type { KubeObject } from '../src/kube/index.ts';

const lifetimeDays = 365;
/** Outlives every certificate that it has signed. */
const authorityLifetimeDays = 2 * lifetimeDays;

function textAt(data: JsonObject, key: string): string {
  const value = data[key];
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
}

/** What a Secret of type `kubernetes.io/tls` holds, `ca.crt` included; empty texts for what is not there. */
export function servingIn(secret: KubeObject): ServingPair {
  const data = isJsonObject(secret['data']) ? secret['data'] : {};
  return {
    certificatePem: textAt(data, 'tls.crt'),
    privateKeyPem: textAt(data, 'tls.key'),
    caBundlePem: textAt(data, 'ca.crt'),
  };
}

/** A third of its life is left then. */
export function renewalMs({ certificatePem }: CertifiedKey): number {
  const [startMs, endMs] = [certificateStartMs(certificatePem), certificateExpiryMs(certificatePem)];
  return endMs - (endMs - startMs) / 3;
}

/** Whether it holds by now and is not to be renewed yet. One that begins later comes from a clock that was wrong. */
export function isFresh(pair: CertifiedKey, nowMs: number): boolean {
  return certificateStartMs(pair.certificatePem) <= nowMs && nowMs < renewalMs(pair);
}

/** A certificate of a new authority. The authority before it, the first of `previousPem`, is trusted as well: a server may not have seen the new
 *  certificate yet. */
export async function issueServing(
  dnsNames: readonly string[],
  previousPem: string,
  nowMs: number,
): Promise<ServingPair> {
  const commonName = 'longshore';
  const authority = await createCertificateAuthority({
    commonName: `${commonName} authority`,
    nowMs,
    lifetimeDays: authorityLifetimeDays,
  });
  const certified = await issueCertificate(authority, { commonName, usage: 'server', dnsNames, nowMs, lifetimeDays });
  const previous = splitCertificates(previousPem).slice(0, 1);
  return { ...certified, caBundlePem: [authority.certificatePem, ...previous].join('') };
}

/** `data` of the Secret. */
export function servingData({ certificatePem, privateKeyPem, caBundlePem }: ServingPair): JsonObject {
  const members = { 'tls.crt': certificatePem, 'tls.key': privateKeyPem, 'ca.crt': caBundlePem };
  return Object.fromEntries(Object.entries(members).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}
