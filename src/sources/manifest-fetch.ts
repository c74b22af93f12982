import { isSha256Digest, type JsonValue, sha256Digest, TerminalError, TransientError } from '../base/index.ts';
import { readBody } from './http-client.ts';
import { manifestAccept } from './image-manifest.ts';
import type { RegistryClient } from './registry-client.ts';
import { parseRegistryDocument } from './registry-document.ts';

/** A manifest or index as a registry gave it; its digest was checked where one was promised. */
export interface FetchedManifest {
  readonly document: JsonValue;
  readonly bytes: Buffer;
  readonly digest: string;
  readonly contentType: string | undefined;
}

/** Fetches the manifest with a tag or digest, `reference`; `name` is the repository's, for messages.
 *  @throws TerminalError InvalidSource · TransientError DigestMismatch · those of the client */
export async function fetchManifest(
  client: RegistryClient,
  { name, reference, maxBytes }: { readonly name: string; readonly reference: string; readonly maxBytes: number },
): Promise<FetchedManifest> {
  const what = `${name}, manifest ${reference}`;
  if (reference.includes(':') && !isSha256Digest(reference)) {
    throw new TerminalError('InvalidSource', `${what}: only sha256 digests are supported`);
  }
  const headers = (): Record<string, string> => ({ accept: manifestAccept });
  return await client.get(`manifests/${reference}`, { headers }, async (response, request) => {
    const body = await readBody(request, response, maxBytes);
    const digest = sha256Digest(body);
    const promised = reference.includes(':') ? reference : response.headers['docker-content-digest'];
    if (typeof promised === 'string' && isSha256Digest(promised) && promised !== digest) {
      throw new TransientError('DigestMismatch', `${what}: expected digest ${promised}, got ${digest}`);
    }
    const contentType = response.headers['content-type'];
    return { document: parseRegistryDocument(what, body.toString()), bytes: body, digest, contentType };
  });
}
