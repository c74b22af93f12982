import type { ImageReference } from '../api/index.ts';
import { type JsonValue, mapLimit, parseJson, sha256Digest, TerminalError, TransientError } from '../base/index.ts';
import {
  bundleIn,
  bundleManifestsIn,
  type CosignSignature,
  type ImagePolicy,
  type ImageRule,
  maxBundleBytes,
  maxPayloadBytes,
  maxSignatures,
  ruleFor,
  type SigstoreBundle,
  signatureProblem,
  signaturesIn,
  signatureTag,
} from '../image-policy/index.ts';
import { readBody } from './http-client.ts';
import { fetchManifest } from './manifest-fetch.ts';
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
const indexType = 'application/vnd.oci.image.index.v1+json';
/** What registries answer that do not know of referrers. */
const withoutReferrers = [400, 404, 405];
const maxReported = 5;

/** Reason of errors about images that the policy does not allow. */
const imageDenied = 'ImageDenied';

/** The rule for an image; undefined without a policy. Asks no registry.
 *  @throws TerminalError ImageDenied */
export function assertAllowed(policy: ImagePolicy | undefined, reference: ImageReference): ImageRule | undefined {
  if (policy === undefined) return undefined;
  const name = `${reference.registry}/${reference.repository}`;
  const rule = ruleFor(policy, name);
  if (rule === undefined) {
    throw new TerminalError(imageDenied, `image policy: no rule allows ${name}: use an allowed image`);
  }
  if (rule.isDenied) throw new TerminalError(imageDenied, `image policy: ${name} is denied`);
  if (!rule.needsDigest || reference.digest !== undefined) return rule;
  const text = `image policy: ${name} must be named by digest (${name}@sha256:…), not by the tag "${reference.tag ?? ''}"`;
  throw new TerminalError(imageDenied, text);
}

type AnySignature = CosignSignature | SigstoreBundle;

interface Piece {
  readonly name: string;
  readonly digest: string;
  readonly maxBytes: number;
}

async function readPiece(client: RegistryClient, { name, digest, maxBytes }: Piece): Promise<Buffer> {
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

/** The index of what is attached to an image; registries that keep none of themselves have it in a tag. */
async function fetchReferrers(
  client: RegistryClient,
  { name, maxManifestBytes: maxBytes }: SignatureSearch,
  digest: string,
): Promise<JsonValue> {
  const ask = { headers: () => ({ accept: indexType }), statuses: [200, ...withoutReferrers] };
  const index = await client.get(`referrers/${digest}`, ask, async (response, request) => {
    const body = await readBody(request, response, maxBytes);
    return response.status === 200 ? parseJson(`${name}, referrers of ${digest}`, body.toString()) : undefined;
  });
  if (index !== undefined) return index;
  return (await fetchManifest(client, { name, reference: digest.replace(':', '-'), maxBytes })).document;
}

async function attachedBundles(search: SignatureSearch, digest: string): Promise<readonly SigstoreBundle[]> {
  const { places, name, maxManifestBytes: maxBytes } = search;
  return await unlessNotFound(() =>
    places.ask(async ({ client }) => {
      const index = await fetchReferrers(client, search, digest);
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

/** One after the other, so that what is not needed is not fetched. */
async function* signaturesOf(search: SignatureSearch, digest: string): AsyncGenerator<AnySignature> {
  yield* await taggedSignatures(search, digest);
  yield* await attachedBundles(search, digest);
}

async function problemsOf(
  { signedBy }: ImageRule,
  signature: AnySignature,
  digest: string,
): Promise<string | undefined> {
  const problems: string[] = [];
  for (const signer of signedBy) {
    const problem = await signatureProblem(signature, digest, signer);
    if (problem === undefined) return undefined;
    problems.push(problem);
  }
  return [...new Set(problems)].join(', ');
}

/** A required signer has signed the image: one of `digests`, each of which determines the next. A signature may
 *  come later than its image.
 *  @throws TransientError ImageDenied with what was found */
export async function assertSigned(
  search: SignatureSearch,
  rule: ImageRule,
  digests: readonly string[],
): Promise<void> {
  if (rule.signedBy.length === 0) return;
  const problems: string[] = [];
  for (const digest of digests) {
    for await (const signature of signaturesOf(search, digest)) {
      const problem = await problemsOf(rule, signature, digest);
      if (problem === undefined) return;
      problems.push(`signature ${problems.length + 1}: ${problem}`);
    }
  }
  const what = `image policy: ${search.name}@${digests.at(-1) ?? ''}`;
  if (problems.length === 0) {
    const tags = digests.map(signatureTag).join(', ');
    throw new TransientError(
      imageDenied,
      `${what} is not signed: there is no tag ${tags}, and no sigstore bundle is attached`,
    );
  }
  const more = problems.length > maxReported ? `; and ${problems.length - maxReported} more` : '';
  const text = `${what} is not signed by a required signer: ${problems.slice(0, maxReported).join('; ')}${more}`;
  throw new TransientError(imageDenied, text);
}
