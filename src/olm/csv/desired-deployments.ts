import {
  type ClusterServiceVersion,
  clusterServiceVersionResource,
  olmAnnotations,
  olmLabels,
  operatorConditionVariable,
} from '../../api/index.ts';
import { goJsonHash, type JsonObject, objectAt, sortedKeys, textAt } from '../../base/index.ts';
import type { KubeObject, OwnerReference } from '../../kube/index.ts';
import { applyDeploymentConfig, type DeploymentConfig, ownerLabels } from '../../operators/index.ts';
import { ownHash } from '../own-hash.ts';
import { proxyVariables, type Variable } from './cluster-proxy.ts';
import type { Serving } from './serving/index.ts';

type Entry = NonNullable<ClusterServiceVersion['spec']['install']['spec']>['deployments'][number];

/** What Deployments depend on beside the ClusterServiceVersion. */
export interface DeploymentTerms {
  /** Of the Subscription. */
  readonly config: DeploymentConfig | undefined;
  /** Variables for the proxy of the cluster. Default: none. */
  readonly proxy?: readonly Variable[];
  readonly serving: Pick<Serving, 'amend'>;
}

/** Written by kubectl with each change of the ClusterServiceVersion: its Pods would restart every time. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Annotations of the ClusterServiceVersion that its Pods get, and must have: those that the real OLM gives them, so that Pods that it has started
 *  go on. It does not write the second name of the group's namespace. */
export function podAnnotations({ metadata }: ClusterServiceVersion): Readonly<Record<string, string>> {
  const {
    [lastApplied]: _text,
    [olmAnnotations.operatorGroupNamespace]: _second,
    ...annotations
  } = metadata.annotations ?? {};
  return annotations;
}

/** The reference of what the ClusterServiceVersion owns. */
export function ownerReferenceOf({ metadata }: ClusterServiceVersion): OwnerReference {
  const { apiVersion, kind } = clusterServiceVersionResource;
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: false, blockOwnerDeletion: false };
}

function annotatedTemplate(csv: ClusterServiceVersion, spec: JsonObject): JsonObject {
  const template = objectAt(spec, 'template') ?? {};
  const metadata = objectAt(template, 'metadata') ?? {};
  const annotations = { ...objectAt(metadata, 'annotations'), ...podAnnotations(csv) };
  return { ...template, metadata: { ...metadata, annotations } };
}

/** A Subscription that sets one of the variables of the proxy decides about all of them. */
function configWithProxy({ config = {}, proxy = [] }: DeploymentTerms): DeploymentConfig {
  const { env = [] } = config;
  const isDecided = env.some((variable) => proxyVariables.includes(textAt(variable, 'name')));
  return isDecided || proxy.length === 0 ? config : { ...config, env: [...env, ...proxy] };
}

function desiredDeployment(csv: ClusterServiceVersion, entry: Entry, terms: DeploymentTerms): KubeObject {
  const { namespace = '', name } = csv.metadata;
  const { kind } = clusterServiceVersionResource;
  const labels = { ...entry.label, ...ownerLabels({ kind, namespace, name }) };
  const spec: JsonObject = { ...entry.spec, template: annotatedTemplate(csv, entry.spec), revisionHistoryLimit: 1 };
  const base: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: entry.name, namespace, labels, ownerReferences: [ownerReferenceOf(csv)] },
    spec,
  };
  const configured = applyDeploymentConfig(base, configWithProxy(terms));
  const named = applyDeploymentConfig(configured, { env: [{ name: operatorConditionVariable, value: name }] });
  const amended = terms.serving.amend(entry.name, named);
  const { annotations = {} } = amended.metadata;
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
