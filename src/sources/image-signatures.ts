import { mapLimit, sha256Digest, TerminalError, TransientError } from '../base/index.ts';
import {
  bundleIn,
  bundleManifestsIn,
  type CosignSignature,
  maxBundleBytes,
  maxPayloadBytes,
  maxSignatures,
  type SigstoreBundle,
  signaturesIn,
  signatureTag,
} from '../image-policy/index.ts';
import { readBody } from './http-client.ts';
import { fetchManifest } from './manifest-fetch.ts';
import { fetchReferrers } from './referrers.ts';
import type { RegistryClient } from './registry-client.ts';
import type { RegistryPlaces } from './registry-places.ts';

/** Where signatures are looked for. */
export interface SignatureSearch {
  readonly places: RegistryPlaces;
  /** `registry/repository` */
  readonly name: string;
  readonly maxManifestBytes: number;
}

const payloadsAtATime = 4;
/** In one of cosign's forms. */
export type AnySignature = CosignSignature | SigstoreBundle;

/** A blob that is read whole. */
export interface Piece {
  readonly name: string;
  readonly digest: string;
  readonly maxBytes: number;
}

/** A small blob, verified. */
export async function readPiece(client: RegistryClient, { name, digest, maxBytes }: Piece): Promise<Buffer> {
  const what = `${name}, signature ${digest}`;
  return await client.get(`blobs/${digest}`, { headers: () => ({}) }, async (response, request) => {
    const body = await readBody(request, response, maxBytes);
    if (sha256Digest(body) === digest) return body;
    throw new TransientError('DigestMismatch', `${what}: got ${sha256Digest(body)}`);
  });
}

/** What `read` gives; nothing where the registry has nothing of that name. */
async function unlessNotFound<T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === 'NotFound') return [];
    throw thrown;
  }
}

async function taggedSignatures(search: SignatureSearch, digest: string): Promise<readonly CosignSignature[]> {
  const { places, name, maxManifestBytes: maxBytes } = search;
  return await unlessNotFound(() =>
    places.ask(async ({ client }) => {
      const { document } = await fetchManifest(client, { name, reference: signatureTag(digest), maxBytes });
      return await mapLimit(signaturesIn(document), payloadsAtATime, async (unread) => ({
        payload: await readPiece(client, { name, digest: unread.digest, maxBytes: maxPayloadBytes }),
        annotations: unread.annotations,
      }));
    }),
  );
}

async function attachedBundles(search: SignatureSearch, digest: string): Promise<readonly SigstoreBundle[]> {
  const { places, name, maxManifestBytes: maxBytes } = search;
  return await unlessNotFound(() =>
    places.ask(async ({ client }) => {
      const { document: index } = await fetchReferrers(client, { name, maxBytes }, digest);
      const found = await mapLimit(bundleManifestsIn(index, maxSignatures), payloadsAtATime, async (reference) => {
        const { document } = await fetchManifest(client, { name, reference, maxBytes });
        const piece = bundleIn(document);
        if (piece === undefined) return [];
        return [{ bundle: await readPiece(client, { name, digest: piece, maxBytes: maxBundleBytes }) }];
      });
      return found.flat();
    }),
  );
}

/** What cosign has stored for an image; one after the other, so that what is not needed is not fetched. */
export async function* signaturesOf(search: SignatureSearch, digest: string): AsyncGenerator<AnySignature> {
  yield* await taggedSignatures(search, digest);
  yield* await attachedBundles(search, digest);
}
