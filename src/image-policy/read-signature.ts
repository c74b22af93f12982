import type { LogNote } from './rekor.ts';

/** A signature as it was read, regardless of its storage. */
export interface ReadSignature {
  /** The bytes that were signed. */
  readonly signed: Buffer;
  /** The signed content itself. */
  readonly content: Buffer;
  /** Base64. */
  readonly signature: string;
  /** Undefined where a key has signed. */
  readonly certificatePem: string | undefined;
  /** Authorities between the certificate and a root; may be empty. */
  readonly chainPem: string;
  /** Of the transparency log. */
  readonly note: LogNote | undefined;
  /** Digest of the signed image. */
  readonly subject: string;
}
