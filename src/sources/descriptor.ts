/** A descriptor of a blob in a manifest. */
export interface Descriptor {
  readonly digest: string;
  readonly sizeBytes: number;
}
