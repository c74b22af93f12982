import { type Clock, type JsonObject, objectAt, objectsAt, textAt } from '../base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, NoKindMatch } from '../kube/index.ts';
import { type ProxyVariables, proxyVariables } from './apply/inject-proxy.ts';
import { type TlsSettings, tlsSettings } from './apply/inject-tls.ts';

/** Feature set and enabled feature gates of the cluster. */
export interface ClusterFeatures {
  readonly featureSet: string;
  readonly enabledFeatureGates: readonly string[];
}

const configVersion = 'config.openshift.io/v1';

async function configOf(kube: KubeClient, kind: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await kube.get({ apiVersion: configVersion, kind, name: 'cluster' }, { signal });
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

/** Reads what the FeatureGate `cluster` states; the default set on a cluster without it. Gates are those of the version. */
export type ReadFeatures = (version: string, signal: AbortSignal) => Promise<ClusterFeatures>;

/** Within which reconciles share an answer: each manifest that is done leads to one. */
const sharedMs = 1_000;

async function readFeatures(kube: KubeClient, version: string, signal: AbortSignal): Promise<ClusterFeatures> {
  const gate = (await configOf(kube, 'FeatureGate', signal)) as JsonObject | undefined;
  const versions = objectsAt(objectAt(gate, 'status'), 'featureGates');
  const current = versions.find((one) => textAt(one, 'version') === version);
  const enabledFeatureGates = objectsAt(current, 'enabled').map((one) => textAt(one, 'name'));
  return { featureSet: textAt(objectAt(gate, 'spec'), 'featureSet'), enabledFeatureGates };
}

/** Asks once a second at most. */
export function createFeatureReader(kube: KubeClient, clock: Clock): ReadFeatures {
  let latest: { readonly version: string; readonly atMs: number; readonly features: ClusterFeatures } | undefined;
  return async (version, signal) => {
    const nowMs = clock.now();
    if (latest?.version === version && nowMs >= latest.atMs && nowMs < latest.atMs + sharedMs) return latest.features;
    const features = await readFeatures(kube, version, signal);
    latest = { version, atMs: nowMs, features };
    return features;
  };
}

/** The proxy of the cluster, as the Proxy `cluster` states it. */
export async function readProxy(kube: KubeClient, signal: AbortSignal): Promise<ProxyVariables> {
  return proxyVariables(await configOf(kube, 'Proxy', signal));
}

/** Minimal version and cipher suites of the cluster's servers, as the APIServer `cluster` states them. */
export async function readTls(kube: KubeClient, signal: AbortSignal): Promise<TlsSettings> {
  return tlsSettings(await configOf(kube, 'APIServer', signal));
}
