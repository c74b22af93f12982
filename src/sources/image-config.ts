import { defaultContentLimits, isJsonObject, type JsonObject, sha256Digest, TransientError } from '../base/index.ts';
import type { Descriptor } from './descriptor.ts';
import { readBody } from './http-client.ts';
import type { RegistryClient } from './registry-client.ts';
import { parseRegistryDocument } from './registry-document.ts';

/** The configuration of an image: platform, labels. `name` is the repository's, for messages.
 *  @throws TransientError DigestMismatch · those of the client */
export async function fetchImageConfig(client: RegistryClient, name: string, config: Descriptor): Promise<JsonObject> {
  const what = `${name}, configuration ${config.digest}`;
  return await client.get(`blobs/${config.digest}`, { headers: () => ({}) }, async (response, request) => {
    const body = await readBody(request, response, defaultContentLimits.manifestBytes);
    const digest = sha256Digest(body);
    if (digest !== config.digest) throw new TransientError('DigestMismatch', `${what}: got ${digest}`);
    const document = parseRegistryDocument(what, body.toString());
    return isJsonObject(document) ? document : {};
  });
}
