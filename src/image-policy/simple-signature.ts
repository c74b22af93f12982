/** A signature of an image as cosign keeps it in a tag of its own.
 *  @see cosign, SIGNATURE_SPEC.md, "Simple Signing" */
export interface CosignSignature {
  /** What was signed. */
  readonly payload: Buffer;
  readonly annotations: Readonly<Record<string, string>>;
}
