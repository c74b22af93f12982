import { join } from 'node:path';
import { systemClock } from '../../base/index.ts';
import { createLocks, type Staging } from '../../content/index.ts';
import {
  createHttpClient,
  fetchImage,
  fetchImageLabels,
  LayerCache,
  parsePlatform,
  RateLimits,
} from '../../sources/index.ts';
import type { ImageJob } from './image-job.ts';

/** Layers that a try leaves for the next one. */
const layerCacheBytes = 2 * 1024 ** 3;

/** What of an image is staged. */
export interface ImageExtent {
  readonly staging: Staging;
  /** A label of the image that names a directory: only that is taken. */
  readonly directoryLabel?: string;
  /** A directory of the image: only that is taken. */
  readonly directory?: string;
  /** Labels of the image fill in what `metadata/annotations.yaml` lacks. */
  readonly isOperator?: boolean;
}

function registryDeps({ settings, workDir }: ImageJob): Parameters<typeof fetchImage>[0] {
  const { insecureRegistries, registryCaPem, proxies, answerDeadlineMs } = settings;
  const clock = systemClock;
  return {
    http: createHttpClient({ caPem: registryCaPem, proxies, answerDeadlineMs }),
    clock,
    cache: new LayerCache({ dir: join(workDir, 'layers'), maxBytes: layerCacheBytes, locks: createLocks() }),
    limits: new RateLimits(clock),
    insecureRegistries,
    platform: parsePlatform(settings.platform),
  };
}

/** Stages the files of an image; returns the image by its digest. For worker threads: nothing of it outlasts the call but the layers in `workDir`.
 *  @throws as `fetchImage` */
export async function fetchFiles(job: ImageJob, extent: ImageExtent, signal: AbortSignal): Promise<string> {
  const { pullSecrets, mirrors, policy, askedRef: firstRef, isKnown } = job;
  const source = { type: 'image', image: { ref: job.ref } };
  const request = { source, pullSecrets, mirrors, policy, firstRef, isKnown, ...extent };
  const pinned = await fetchImage(registryDeps(job), request, { signal });
  return pinned.image?.ref ?? job.ref;
}

/** All labels of the image.
 *  @throws as `fetchImageLabels` */
export async function fetchLabels(job: ImageJob, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
  const { ref, pullSecrets, mirrors, policy } = job;
  return await fetchImageLabels(registryDeps(job), { ref, pullSecrets, mirrors, policy }, { signal });
}
