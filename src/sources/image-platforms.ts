import type { ImageReference } from '../api/index.ts';
import { type Clock, defaultContentLimits, mapLimit } from '../base/index.ts';
import type { Descriptor } from './descriptor.ts';
import type { HttpClient } from './http-client.ts';
import { fetchImageConfig } from './image-config.ts';
import { type Platform, readPlatforms } from './image-manifest.ts';
import { fetchManifest } from './manifest-fetch.ts';
import type { FoundCredentials } from './pull-credentials.ts';
import type { RateLimits } from './rate-limits.ts';
import { RegistryClient } from './registry-client.ts';

const configsAtATime = 3;

export interface PlatformReaderDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly limits: RateLimits;
  readonly insecureRegistries: readonly string[];
  readonly credentials: FoundCredentials;
}

/** The configuration of an image names its platform. */
async function platformInConfig(client: RegistryClient, name: string, config: Descriptor): Promise<Platform[]> {
  const { os, architecture } = await fetchImageConfig(client, name, config);
  return typeof os === 'string' && typeof architecture === 'string' ? [{ os, architecture }] : [];
}

/** The platforms that an image offers: those of its index, or what its only manifest was built for. No layer is fetched.
 *  @throws as `fetchImage` for manifests */
export async function fetchImagePlatforms(
  deps: PlatformReaderDeps,
  reference: ImageReference,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly Platform[]> {
  const { registry, repository, digest, tag } = reference;
  const name = `${registry}/${repository}`;
  const client = new RegistryClient({ ...deps, registry, repository, signal });
  const maxBytes = defaultContentLimits.manifestBytes;
  const configsOf = async (reference: string): Promise<readonly Platform[]> => {
    const { document, contentType } = await fetchManifest(client, { name, reference, maxBytes });
    const found = readPlatforms(`${name}, manifest ${reference}`, document, contentType);
    return found.config === undefined ? found.platforms : await platformInConfig(client, name, found.config);
  };
  const { document, contentType } = await fetchManifest(client, {
    name,
    reference: digest ?? tag ?? 'latest',
    maxBytes,
  });
  const { platforms, silent, config } = readPlatforms(name, document, contentType);
  if (config !== undefined) return await platformInConfig(client, name, config);
  const others = await mapLimit(silent, configsAtATime, async (one) => await configsOf(one.digest));
  return [...platforms, ...others.flat()];
}
