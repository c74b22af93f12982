import { sha256Digest, TerminalError, TransientError } from '../base/index.ts';
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

async function piecesOf({ places }: SignatureSearch, piece: Piece): Promise<readonly Buffer[]> {
  return await unlessNotFound(async () => [await places.ask(({ client }) => readPiece(client, piece))]);
}

async function* taggedSignatures(search: SignatureSearch, digest: string): AsyncGenerator<CosignSignature> {
  const { places, name, maxManifestBytes: maxBytes } = search;
  const reference = signatureTag(digest);
  const unread = await unlessNotFound(() =>
    places.ask(async ({ client }) =>
      signaturesIn((await fetchManifest(client, { name, reference, maxBytes })).document),
    ),
  );
  for (const { digest: piece, annotations } of unread) {
    for (const payload of await piecesOf(search, { name, digest: piece, maxBytes: maxPayloadBytes })) {
      yield { payload, annotations };
    }
  }
}

async function* attachedBundles(search: SignatureSearch, digest: string): AsyncGenerator<SigstoreBundle> {
  const { places, name, maxManifestBytes: maxBytes } = search;
  const references = await unlessNotFound(() =>
    places.ask(async ({ client }) => {
      const { document } = await fetchReferrers(client, { name, maxBytes }, digest);
      return bundleManifestsIn(document, maxSignatures);
    }),
  );
  for (const reference of references) {
    const found = await unlessNotFound(() =>
      places.ask(async ({ client }) => {
        const piece = bundleIn((await fetchManifest(client, { name, reference, maxBytes })).document);
        return piece === undefined ? [] : [piece];
      }),
    );
    for (const piece of found) {
      for (const bundle of await piecesOf(search, { name, digest: piece, maxBytes: maxBundleBytes })) yield { bundle };
    }
  }
}

/** What cosign has stored for an image; one after the other, so that what is not needed is not fetched, and one alone is in memory. */
export async function* signaturesOf(search: SignatureSearch, digest: string): AsyncGenerator<AnySignature> {
  yield* taggedSignatures(search, digest);
  yield* attachedBundles(search, digest);
}
