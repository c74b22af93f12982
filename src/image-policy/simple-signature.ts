import { objectAt, parseJson, TerminalError, textAt } from '../base/index.ts';
import type { ReadSignature } from './read-signature.ts';
import { readNote } from './rekor.ts';

/** A signature of an image as cosign keeps it in a tag of its own. */
export interface CosignSignature {
  /** What was signed. */
  readonly payload: Buffer;
  readonly annotations: Readonly<Record<string, string>>;
}

const keys = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  chain: 'dev.sigstore.cosign/chain',
  bundle: 'dev.sigstore.cosign/bundle',
};

/** @throws TerminalError BadSignature, InvalidJson for what is none
 *  @see cosign, SIGNATURE_SPEC.md, "Simple Signing" */
export function readSimpleSignature({ payload, annotations }: CosignSignature): ReadSignature {
  const critical = objectAt({ claim: parseJson('the signed claim', payload.toString()) }, 'claim', 'critical');
  const type = textAt(critical, 'type');
  if (type !== 'cosign container image signature') {
    throw new TerminalError('BadSignature', `it is a claim of the type "${type.slice(0, 100)}"`);
  }
  const note = annotations[keys.bundle] ?? '';
  return {
    signed: payload,
    content: payload,
    signature: annotations[keys.signature] ?? '',
    certificatePem: annotations[keys.certificate] || undefined,
    chainPem: annotations[keys.chain] ?? '',
    note: note === '' ? undefined : readNote(note),
    subject: textAt(objectAt(critical, 'image'), 'docker-manifest-digest'),
  };
}
