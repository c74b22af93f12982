import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterRelease } from '../src/api/index.ts';
import {
  addClusterVersion,
  type ClusterVersionOptions,
  createPromqlEvaluator,
  jobSource,
  localReleaseImage,
  localSource,
  registrySource,
  releaseVerification,
} from '../src/cluster-version/index.ts';
import { createLocks } from '../src/content/index.ts';
import type { Manager } from '../src/controller/index.ts';
import type { UnpackSettings } from '../src/olm/index.ts';
import { createHttpClient, fetchImage, LayerCache, parsePlatform, RateLimits } from '../src/sources/index.ts';
import type { ClusterVersionSettings, RegistrySettings } from './settings.ts';

/** Layers that a try leaves for the next one. */
const layerCacheBytes = 1024 ** 3;

/** What the update engine runs with. */
export interface ClusterVersionContext {
  /** No other process uses it. */
  readonly releaseDir: string;
  readonly registries: RegistrySettings;
  readonly unpacking: UnpackSettings;
  /** Version of this program. */
  readonly version: string;
}

type Stage = Parameters<typeof registrySource>[0];

function fetchFrom(manager: Manager, { releaseDir, registries, unpacking }: ClusterVersionContext): Stage {
  const { clock } = manager;
  const { insecureRegistries, registryCaPem, proxies, answerDeadlineMs, platform } = unpacking;
  const deps = {
    http: createHttpClient({ caPem: registryCaPem, proxies, answerDeadlineMs }),
    clock,
    cache: new LayerCache({ dir: join(releaseDir, 'layers'), maxBytes: layerCacheBytes, locks: createLocks() }),
    limits: new RateLimits(clock),
    insecureRegistries,
    platform: parsePlatform(platform),
  };
  return async (ref, staging, signal) => {
    const mirrors = await registries.mirrors.read();
    const policy = await registries.imagePolicy.read();
    const source = { type: 'image', image: { ref } };
    await fetchImage(deps, { source, staging, mirrors, policy }, { signal });
  };
}

/** The release of the settings, and the places of releases that are on this machine. */
async function placesOf({ release, paths }: ClusterVersionSettings): Promise<{
  readonly initial: ClusterRelease | undefined;
  readonly local: ReadonlyMap<string, string>;
}> {
  if (release === undefined) return { initial: undefined, local: paths };
  if (paths.has(release) || !existsSync(release)) return { initial: { version: '', image: release }, local: paths };
  const image = await localReleaseImage(release);
  return { initial: { version: '', image }, local: new Map([...paths, [image, release]]) };
}

/** The update service, and the Prometheus that evaluates risks. Authorities of registries are trusted for both, and for stores of signatures. */
function updatesOf(
  { signal }: Manager,
  { prometheus, updateService }: ClusterVersionSettings,
  { unpacking: { registryCaPem: caPem, proxies }, version }: ClusterVersionContext,
): ClusterVersionOptions['updates'] {
  const promql = prometheus && createPromqlEvaluator({ ...prometheus, caPem, proxies });
  signal.addEventListener('abort', () => promql?.[Symbol.dispose](), { once: true });
  return { userAgent: `longshore/${version}`, updateService, caPem, proxies, promql };
}

function verificationOf(
  { kube, clock, log }: Manager,
  { allowsUnsigned }: ClusterVersionSettings,
  { unpacking: { registryCaPem: caPem, proxies } }: ClusterVersionContext,
): ClusterVersionOptions['verify'] {
  return releaseVerification({ kube, clock, log, access: { caPem, proxies }, allowsUnsigned });
}

/** Adds the update engine.
 *  @throws TerminalError InvalidRelease, FileTooLarge for a folder that is none */
export async function openClusterVersion(
  manager: Manager,
  settings: ClusterVersionSettings,
  context: ClusterVersionContext,
): Promise<void> {
  const { initial, local } = await placesOf(settings);
  const { kube, clock } = manager;
  const volume = settings.retrievalVolume;
  const remote = volume ? jobSource({ kube, clock, ...volume }) : registrySource(fetchFrom(manager, context));
  addClusterVersion(manager, {
    initial,
    sources: [localSource(local), remote],
    workDir: join(context.releaseDir, 'work'),
    verify: verificationOf(manager, settings, context),
    updates: updatesOf(manager, settings, context),
  });
}
