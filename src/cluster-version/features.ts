import { type JsonObject, objectAt, objectsAt, textAt } from '../base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, NoKindMatch } from '../kube/index.ts';
import { type ProxyVariables, proxyVariables } from './apply/inject-proxy.ts';

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

/** What the FeatureGate `cluster` states; the default set on a cluster without it. Gates are those of the version. */
export async function readFeatures(kube: KubeClient, version: string, signal: AbortSignal): Promise<ClusterFeatures> {
  const gate = (await configOf(kube, 'FeatureGate', signal)) as JsonObject | undefined;
  const versions = objectsAt(objectAt(gate, 'status'), 'featureGates');
  const current = versions.find((one) => textAt(one, 'version') === version);
  const enabledFeatureGates = objectsAt(current, 'enabled').map((one) => textAt(one, 'name'));
  return { featureSet: textAt(objectAt(gate, 'spec'), 'featureSet'), enabledFeatureGates };
}

/** The proxy of the cluster, as the Proxy `cluster` states it. */
export async function readProxy(kube: KubeClient, signal: AbortSignal): Promise<ProxyVariables> {
  return proxyVariables(await configOf(kube, 'Proxy', signal));
}
