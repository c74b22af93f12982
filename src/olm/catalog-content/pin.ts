import type { Clock } from '../../base/index.ts';
import { createHttpClient, parsePlatform, pinImage, RateLimits } from '../../sources/index.ts';
import type { RegistryTerms, UnpackSettings } from './unpack-job.ts';

/** Resolves a reference to its present digest.
 *  @throws as `pinImage` of the sources */
export type PinImage = (ref: string, terms: RegistryTerms, signal: AbortSignal) => Promise<string>;

/** Its connections and its limits of rates last as long as the process. */
export function createPin(settings: UnpackSettings, clock: Clock): PinImage {
  const { registryCaPem: caPem, proxies, answerDeadlineMs, insecureRegistries } = settings;
  const deps = {
    http: createHttpClient({ caPem, proxies, answerDeadlineMs }),
    clock,
    limits: new RateLimits(clock),
    insecureRegistries,
    platform: parsePlatform(settings.platform),
  };
  return (ref, terms, signal) => pinImage(deps, { ...terms, ref }, { signal });
}
