import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { type TrustMaterial, toTrustMaterial } from '@sigstore/verify';
import { type JsonObject, splitCertificates } from '../base/index.ts';
import type { SigstoreSigner } from './signer.ts';

/** What a signature is verified with. */
export interface Trust {
  readonly material: TrustMaterial;
  /** A timestamp must show that the certificate was valid when the signature was made. */
  readonly needsTime: boolean;
}

function logOf(keyPem: string, baseUrl: string): JsonObject {
  const der = createPublicKey(keyPem).export({ type: 'spki', format: 'der' });
  const keyId = createHash('sha256').update(der).digest('base64');
  return { baseUrl, publicKey: { rawBytes: der.toString('base64') }, logId: { keyId } };
}

function authorityOf(pem: string): JsonObject {
  const certificates = splitCertificates(pem).map((text) => ({
    rawBytes: new X509Certificate(text).raw.toString('base64'),
  }));
  return { certChain: { certificates } };
}

/** A signer's keys and roots as a trusted root. A log of which the policy has only the key has no name, so that the `names` of the
 *  checkpoints are accepted: their signatures are verified with the key. */
function trustedRootOf(signer: Exclude<SigstoreSigner, { readonly kind: 'trustedRoot' }>, names: string): JsonObject {
  const tlogs = signer.rekorKey === undefined ? [] : [logOf(signer.rekorKey, names)];
  if (signer.kind === 'key') return { tlogs };
  const ctlogs = signer.ctlogKey === undefined ? [] : [logOf(signer.ctlogKey, '')];
  return { tlogs, ctlogs, certificateAuthorities: [authorityOf(signer.roots)] };
}

/** What the policy trusts for a signer; `checkpointNames` contains the names of the checkpoints in the signature. */
export function trustOf(signer: SigstoreSigner, checkpointNames: string): Trust {
  const root = signer.kind === 'trustedRoot' ? signer.trustedRoot : trustedRootOf(signer, checkpointNames);
  const key = signer.kind === 'key' ? createPublicKey(signer.key) : undefined;
  const material = toTrustMaterial(TrustedRoot.fromJSON(root), () => {
    if (key === undefined) throw new Error('it has no certificate');
    return { publicKey: key, validFor: () => true };
  });
  return { material, needsTime: signer.kind !== 'key' };
}
