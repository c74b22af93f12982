import type { ClusterFacts } from '../src/formats/index.ts';
import { type KubeClient, NoKindMatch } from '../src/kube/index.ts';

/** Certificate providers by the kinds that they bring, the preferred one first. */
const providersByKind = [
  { provider: 'cert-manager', apiVersion: 'cert-manager.io/v1', kind: 'Certificate' },
  { provider: 'openshift-service-ca', apiVersion: 'operator.openshift.io/v1', kind: 'ServiceCA' },
];

async function isServed(
  kube: KubeClient,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await kube.resolve(apiVersion, kind, { signal });
    return true;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return false;
    throw thrown;
  }
}

/** What an installation may depend on; Longshore itself issues certificates where no provider is installed. What the cluster serves is
 *  read only if it is asked for: it takes a request for each group of APIs. */
export async function readClusterFacts(
  kube: KubeClient,
  { signal, hasApiVersions = false }: { readonly signal: AbortSignal; readonly hasApiVersions?: boolean | undefined },
): Promise<ClusterFacts> {
  const certificateProviders: string[] = [];
  for (const row of providersByKind) if (await isServed(kube, row, signal)) certificateProviders.push(row.provider);
  return {
    certificateProviders: [...certificateProviders, 'self'],
    kubeVersion: await kube.serverVersion({ signal }),
    ...(hasApiVersions ? { apiVersions: await kube.apiVersions({ signal }) } : {}),
  };
}
