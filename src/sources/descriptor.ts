/** What a manifest says of a blob. */
export interface Descriptor {
  readonly digest: string;
  readonly sizeBytes: number;
}
