import { parseBundleDeployment } from '../src/api/index.ts';
import { clientFor } from '../src/apply/index.ts';
import type { InstallNamespace, InstallTerms, ReleaseTerms } from '../src/formats/index.ts';
import { formatOf } from '../src/formats/index.ts';
import type { KubeClient, KubeObject } from '../src/kube/index.ts';
import { type ReferredValues, readReferredValues, releaseNamespace } from './chart-values.ts';
import { readClusterFacts } from './cluster-facts.ts';
import { actingOwnerOf, configOf } from './installed-record.ts';

/** What a bundle becomes for a deployment, ready to be applied. */
export interface Rendition {
  readonly objects: readonly KubeObject[];
  /** Undefined: as the deployment configures it. */
  readonly installNamespace?: InstallNamespace;
}

/** What it takes to read the terms of an installation. */
export interface TermsReading {
  readonly kube: KubeClient;
  readonly systemNamespace: string;
  /** What `valuesFrom` refers to, where that was read already. */
  readonly values?: ReferredValues | undefined;
  readonly signal: AbortSignal;
}

async function releaseFor(deployment: KubeObject, reading: TermsReading): Promise<ReleaseTerms> {
  const { kube: platform, systemNamespace, signal } = reading;
  const config = configOf(deployment);
  const { activeBundle = '' } = parseBundleDeployment(deployment).status ?? {};
  const kube = clientFor(platform, actingOwnerOf(deployment));
  const values = reading.values ?? (await readReferredValues(config, { kube, systemNamespace, signal }));
  return {
    name: deployment.metadata.name ?? '',
    namespace: releaseNamespace(config, systemNamespace),
    isUpgrade: activeBundle !== '',
    valuesFrom: values.documents,
  };
}

/** What a bundle is rendered with for the deployment; the cluster is only read for formats that depend on it.
 *  @throws TransientError ValuesUnavailable · TerminalError RenderFailed for the configuration of a chart */
export async function termsFor(
  deployment: KubeObject,
  provisionerClassName: string,
  reading: TermsReading,
): Promise<InstallTerms> {
  const { dependsOnCluster, hasReleases = false } = formatOf(provisionerClassName);
  const { kube, signal } = reading;
  const cluster = dependsOnCluster
    ? await readClusterFacts(kube, { hasApiVersions: hasReleases, signal })
    : { certificateProviders: [], kubeVersion: '' };
  const config = configOf(deployment);
  return hasReleases ? { config, cluster, release: await releaseFor(deployment, reading) } : { config, cluster };
}

/** How a rendition overrides the install namespace of the deployment, for a request to the engine. */
export function placeOf({ installNamespace }: Rendition): {
  readonly installNamespace?: string;
  readonly namespaceMarks?: Pick<InstallNamespace, 'labels' | 'annotations'>;
} {
  if (installNamespace === undefined) return {};
  const { name, labels, annotations } = installNamespace;
  return { installNamespace: name, namespaceMarks: { labels, annotations } };
}
