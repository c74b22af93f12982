import {
  type ClusterServiceVersion,
  clusterServiceVersionResource,
  olmAnnotations,
  operatorConditionVariable,
} from '../api/index.ts';
import { type JsonObject, objectAt } from '../base/index.ts';
import { applyDeploymentConfig, type DeploymentConfig } from './deployment-config.ts';
import { ownerLabels } from './owner-labels.ts';

/** A Deployment of the install strategy. */
export type OperatorDeployment = NonNullable<ClusterServiceVersion['spec']['install']['spec']>['deployments'][number];

/** What of a ClusterServiceVersion its Deployments depend on. */
export type Described = Pick<ClusterServiceVersion, 'metadata'>;

/** Written by kubectl with each change of the ClusterServiceVersion: its Pods would restart every time. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Annotations of the ClusterServiceVersion that its Pods get, and must have: those that the real OLM gives them, so that Pods that it has started
 *  go on. It does not write the second name of the group's namespace. */
export function podAnnotations({ metadata }: Described): Readonly<Record<string, string>> {
  const {
    [lastApplied]: _text,
    [olmAnnotations.operatorGroupNamespace]: _second,
    ...annotations
  } = metadata.annotations ?? {};
  return annotations;
}

function annotatedTemplate(csv: Described, spec: JsonObject): JsonObject {
  const template = objectAt(spec, 'template') ?? {};
  const metadata = objectAt(template, 'metadata') ?? {};
  const annotations = { ...objectAt(metadata, 'annotations'), ...podAnnotations(csv) };
  return { ...template, metadata: { ...metadata, annotations } };
}

/** The object of a Deployment. */
export interface DeploymentObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: JsonObject;
}

/** A Deployment of the operator as its ClusterServiceVersion and the configuration of its Subscription make it.
 *  @see docs/spec/olm-v0.md#install-strategy-deployment */
export function operatorDeployment(
  csv: Described,
  entry: OperatorDeployment,
  config: DeploymentConfig,
): DeploymentObject {
  const { namespace = '', name } = csv.metadata;
  const { kind } = clusterServiceVersionResource;
  const labels: Record<string, string> = { ...entry.label, ...ownerLabels({ kind, namespace, name }) };
  const spec: JsonObject = { ...entry.spec, template: annotatedTemplate(csv, entry.spec), revisionHistoryLimit: 1 };
  const base: DeploymentObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: entry.name, namespace, labels },
    spec,
  };
  const named = { env: [{ name: operatorConditionVariable, value: name }] };
  return applyDeploymentConfig(applyDeploymentConfig(base, config), named);
}
