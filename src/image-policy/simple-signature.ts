/** A signature of an image as cosign stores it in a separate tag.
 *  @see cosign, SIGNATURE_SPEC.md, "Simple Signing" */
export interface CosignSignature {
  /** What was signed. */
  readonly payload: Buffer;
  readonly annotations: Readonly<Record<string, string>>;
}
