import { isJsonObject, isSha256Digest, type JsonValue, objectAt, objectsAt, textAt } from '../base/index.ts';

/** A signature whose payload is still to be fetched. */
export interface UnreadSignature {
  /** Of the payload. */
  readonly digest: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Further signatures of one image are ignored. */
export const maxSignatures = 50;
/** Of one payload. */
export const maxPayloadBytes: number = 64 * 1024;

const payloadType = 'application/vnd.dev.cosign.simplesigning.v1+json';

/** The tag that holds the signatures of an image with this digest.
 *  @see cosign, SIGNATURE_SPEC.md, "Tag-based discovery" */
export function signatureTag(digest: string): string {
  return `${digest.replace(':', '-')}.sig`;
}

/** The signatures that a manifest with that tag lists. */
export function signaturesIn(document: JsonValue): readonly UnreadSignature[] {
  const layers = isJsonObject(document) ? objectsAt(document, 'layers') : [];
  return layers
    .filter((layer) => textAt(layer, 'mediaType') === payloadType && isSha256Digest(textAt(layer, 'digest')))
    .slice(0, maxSignatures)
    .map((layer) => {
      const entries = Object.entries(objectAt(layer, 'annotations') ?? {});
      const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
      return { digest: textAt(layer, 'digest'), annotations: Object.fromEntries(texts) };
    });
}
