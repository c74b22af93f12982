import type { ImageReference } from '../api/index.ts';
import { mapLimit, sha256Digest, TerminalError, TransientError } from '../base/index.ts';
import {
  type CosignSignature,
  type ImagePolicy,
  type ImageRule,
  maxPayloadBytes,
  ruleFor,
  signatureProblem,
  signaturesIn,
  signatureTag,
  type UnreadSignature,
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
const maxTold = 5;

/** Reason of errors about images that the policy does not allow. */
const imageDenied = 'ImageDenied';

/** The rule for an image; undefined without a policy. Asks no registry.
 *  @throws TerminalError ImageDenied */
export function assertAllowed(policy: ImagePolicy | undefined, reference: ImageReference): ImageRule | undefined {
  if (policy === undefined) return undefined;
  const name = `${reference.registry}/${reference.repository}`;
  const rule = ruleFor(policy, name);
  if (rule === undefined) {
    throw new TerminalError(imageDenied, `image policy: no rule allows ${name}: use an image that one allows`);
  }
  if (rule.isDenied) throw new TerminalError(imageDenied, `image policy: ${name} is denied`);
  if (!rule.needsDigest || reference.digest !== undefined) return rule;
  const text = `image policy: ${name} must be named by digest (${name}@sha256:…), not by the tag "${reference.tag ?? ''}"`;
  throw new TerminalError(imageDenied, text);
}

async function readPayload(client: RegistryClient, name: string, { digest }: UnreadSignature): Promise<Buffer> {
  const what = `${name}, signature ${digest}`;
  return await client.get(`blobs/${digest}`, { headers: () => ({}) }, async (response, request) => {
    const body = await readBody(request, response, maxPayloadBytes);
    if (sha256Digest(body) === digest) return body;
    throw new TransientError('DigestMismatch', `${what}: got ${sha256Digest(body)}`);
  });
}

async function signaturesOf(search: SignatureSearch, digest: string): Promise<readonly CosignSignature[]> {
  const { places, name, maxManifestBytes: maxBytes } = search;
  try {
    return await places.ask(async ({ client }) => {
      const { document } = await fetchManifest(client, { name, wanted: signatureTag(digest), maxBytes });
      return await mapLimit(signaturesIn(document), payloadsAtATime, async (unread) => ({
        payload: await readPayload(client, name, unread),
        annotations: unread.annotations,
      }));
    });
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === 'NotFound') return [];
    throw thrown;
  }
}

async function problemsOf(
  { signedBy }: ImageRule,
  signature: CosignSignature,
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

/** One of those who must sign has signed the image: one of `digests`, of which each says what the next one is. A signature may
 *  come later than its image.
 *  @throws TransientError ImageDenied that says what was found */
export async function assertSigned(
  search: SignatureSearch,
  rule: ImageRule,
  digests: readonly string[],
): Promise<void> {
  if (rule.signedBy.length === 0) return;
  const told: string[] = [];
  for (const digest of digests) {
    for (const signature of await signaturesOf(search, digest)) {
      const problem = await problemsOf(rule, signature, digest);
      if (problem === undefined) return;
      told.push(`signature ${told.length + 1}: ${problem}`);
    }
  }
  const what = `image policy: ${search.name}@${digests.at(-1) ?? ''}`;
  if (told.length === 0) {
    const tags = digests.map(signatureTag).join(', ');
    throw new TransientError(imageDenied, `${what} is not signed: there is no tag ${tags}`);
  }
  const more = told.length > maxTold ? `; and ${told.length - maxTold} more` : '';
  const text = `${what} is not signed by anybody who must sign it: ${told.slice(0, maxTold).join('; ')}${more}`;
  throw new TransientError(imageDenied, text);
}
