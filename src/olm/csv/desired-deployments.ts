import { type ClusterServiceVersion, clusterServiceVersionResource, olmLabels } from '../../api/index.ts';
import { goJsonHash, type JsonObject, sortedKeys, textAt } from '../../base/index.ts';
import type { KubeObject, OwnerReference } from '../../kube/index.ts';
import { type DeploymentConfig, type OperatorDeployment, operatorDeployment } from '../../operators/index.ts';
import { ownHash } from '../own-hash.ts';
import { proxyVariables, type Variable } from './cluster-proxy.ts';
import type { Serving } from './serving/index.ts';

/** What Deployments depend on beside the ClusterServiceVersion. */
export interface DeploymentTerms {
  /** Of the Subscription. */
  readonly config: DeploymentConfig | undefined;
  /** Variables for the proxy of the cluster. Default: none. */
  readonly proxy?: readonly Variable[];
  readonly serving: Pick<Serving, 'amend'>;
}

/** The reference of what the ClusterServiceVersion owns. */
export function ownerReferenceOf({ metadata }: ClusterServiceVersion): OwnerReference {
  const { apiVersion, kind } = clusterServiceVersionResource;
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: false, blockOwnerDeletion: false };
}

/** A Subscription that sets one of the variables of the proxy decides about all of them. */
function configWithProxy({ config = {}, proxy = [] }: DeploymentTerms): DeploymentConfig {
  const { env = [] } = config;
  const isDecided = env.some((variable) => proxyVariables.includes(textAt(variable, 'name')));
  return isDecided || proxy.length === 0 ? config : { ...config, env: [...env, ...proxy] };
}

function desiredDeployment(csv: ClusterServiceVersion, entry: OperatorDeployment, terms: DeploymentTerms): KubeObject {
  const base: KubeObject = { ...operatorDeployment(csv, entry, configWithProxy(terms)) };
  const amended = terms.serving.amend(entry.name, {
    ...base,
    metadata: { ...base.metadata, ownerReferences: [ownerReferenceOf(csv)] },
  });
  const { annotations = {}, labels = {} } = amended.metadata;
  const hash = ownHash(goJsonHash(sortedKeys({ labels, annotations, spec: amended['spec'] ?? null } as JsonObject)));
  const metadata = { ...amended.metadata, labels: { ...labels, [olmLabels.deploymentSpecHash]: hash } };
  return { ...amended, metadata };
}

/** The Deployments of the operator, as the install strategy, its annotations, its Subscription and its certificates make them.
 *  @see docs/spec/olm-v0.md#install-strategy-deployment */
export function desiredDeployments(csv: ClusterServiceVersion, terms: DeploymentTerms): readonly KubeObject[] {
  const { deployments = [] } = csv.spec.install.spec ?? {};
  return deployments.map((entry) => desiredDeployment(csv, entry, terms));
}
