import type { JsonObject } from '../base/index.ts';

/** A trusted signer of charts: keys, one of which has signed the provenance of a chart. */
export interface OpenpgpSigner {
  readonly kind: 'openpgp';
  /** Public keys, armored. */
  readonly keys: string;
}

/** A trusted signer: a key, or an identity to which an authority issued a short-lived certificate (keyless). */
export type SigstoreSigner =
  | {
      readonly kind: 'key';
      /** PEM: ECDSA, RSA or Ed25519. */
      readonly key: string;
      /** PEM; the signature must be in the transparency log of this key. */
      readonly rekorKey: string | undefined;
    }
  | {
      readonly kind: 'keyless';
      /** The OIDC issuer: `https://accounts.google.com`. */
      readonly issuer: string;
      /** The identity: a mail address or a URL; `*` matches any text. */
      readonly subject: string;
      /** PEM of the authorities, with their intermediates. */
      readonly roots: string;
      /** PEM; the log records when the certificate was used. */
      readonly rekorKey: string;
      /** PEM of the certificate transparency log; with it, certificates need a timestamp (SCT) of that log. */
      readonly ctlogKey?: string | undefined;
    }
  | {
      readonly kind: 'trustedRoot';
      readonly issuer: string;
      readonly subject: string;
      /** Authorities, logs and timestamp authorities, as in Sigstore's `trusted_root.json`. */
      readonly trustedRoot: JsonObject;
    };

/** One of the two. */
export type Signer = SigstoreSigner | OpenpgpSigner;
