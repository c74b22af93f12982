import type { InstallNamespace, InstallTerms } from '../src/formats/index.ts';
import { formatOf } from '../src/formats/index.ts';
import type { KubeClient, KubeObject } from '../src/kube/index.ts';
import { readClusterFacts } from './cluster-facts.ts';
import { configOf } from './installed-record.ts';

/** What a bundle becomes for a deployment, ready to be applied. */
export interface Rendition {
  readonly objects: readonly KubeObject[];
  /** Undefined: as the deployment configures it. */
  readonly installNamespace?: InstallNamespace;
}

/** What a bundle is rendered with for the deployment; the cluster is only read for formats that depend on it. */
export async function termsFor(
  deployment: KubeObject,
  provisionerClassName: string,
  { kube, signal }: { readonly kube: KubeClient; readonly signal: AbortSignal },
): Promise<InstallTerms> {
  const { dependsOnCluster } = formatOf(provisionerClassName);
  const cluster = dependsOnCluster
    ? await readClusterFacts(kube, signal)
    : { certificateProviders: [], kubeVersion: '' };
  return { config: configOf(deployment), cluster };
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
