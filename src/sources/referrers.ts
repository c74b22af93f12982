import { sha256Digest } from '../base/index.ts';
import { readBody } from './http-client.ts';
import { type FetchedManifest, fetchManifest } from './manifest-fetch.ts';
import type { RegistryClient } from './registry-client.ts';
import { parseRegistryDocument } from './registry-document.ts';

const indexType = 'application/vnd.oci.image.index.v1+json';
/** What registries answer that do not know of referrers. */
const withoutReferrers = [400, 404, 405];

/** The tag of the index, in registries that keep none of themselves. */
export function referrersTag(digest: string): string {
  return digest.replace(':', '-');
}

/** The index of what is attached to an image.
 *  @throws TerminalError NotFound where the registry has neither an index nor a tag for it · those of the client */
export async function fetchReferrers(
  client: RegistryClient,
  { name, maxBytes }: { readonly name: string; readonly maxBytes: number },
  digest: string,
): Promise<FetchedManifest> {
  const ask = { headers: () => ({ accept: indexType }), statuses: [200, ...withoutReferrers] };
  const index = await client.get(`referrers/${digest}`, ask, async (response, request) => {
    const bytes = await readBody(request, response, maxBytes);
    if (response.status !== 200) return undefined;
    const document = parseRegistryDocument(`${name}, referrers of ${digest}`, bytes.toString());
    return { document, bytes, digest: sha256Digest(bytes), contentType: indexType };
  });
  return index ?? (await fetchManifest(client, { name, reference: referrersTag(digest), maxBytes }));
}
