import type { Logger } from '../base/index.ts';

/** `spec.source` of a Bundle, as far as the sources read it. */
export interface ContentSource {
  readonly type: string;
  readonly image?: { readonly ref: string; readonly pullSecret?: string };
  readonly git?: GitSourceSpec;
  readonly http?: HttpSourceSpec;
  readonly upload?: Readonly<Record<string, never>>;
  readonly configMaps?: readonly { readonly configMap: { readonly name?: string }; readonly path?: string }[];
}

export interface GitSourceSpec {
  readonly repository: string;
  readonly directory?: string;
  readonly ref: { readonly branch?: string; readonly commit?: string; readonly tag?: string };
  readonly auth?: { readonly secret?: { readonly name?: string }; readonly insecureSkipVerify?: boolean };
}

export interface HttpSourceSpec {
  /** Of a gzip tar; `#sha256=<hex>` at its end pins the bytes; or a chart repository, with `#chart=<name>&version=<range>`. */
  readonly url: string;
  readonly auth?: { readonly secret?: { readonly name?: string }; readonly insecureSkipVerify?: boolean };
}

/** A Secret as the API gives it: `data` values are base64. The sources pick the keys they need and name what is missing. */
export interface SourceSecret {
  readonly name: string;
  readonly namespace?: string;
  readonly type?: string;
  /** Its annotation `core.rukpak.io/hosts`: where its credentials may be sent. */
  readonly hosts?: string;
  /** Its annotation `core.rukpak.io/allow-unverified-tls`. */
  readonly allowsUnverifiedTls?: boolean;
  readonly data?: Readonly<Record<string, string>>;
}

/** A ConfigMap as the API gives it: `binaryData` values are base64. */
export interface SourceConfigMap {
  readonly name: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
  /** Its annotation `olm.contentEncoding`: how the values of `binaryData` are packed. */
  readonly contentEncoding?: string;
}

/** Progress of a source; lines are for people, without secrets. */
export type ProgressListener = (line: string) => void;

export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ProgressListener;
  readonly log?: Logger;
}
