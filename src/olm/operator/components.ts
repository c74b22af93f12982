import {
  clusterServiceVersionResource,
  installPlanResource,
  olmLabels,
  operatorConditionResource,
  subscriptionResource,
} from '../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { KubeObject, ListTarget } from '../../kube/index.ts';
import { originalVersions } from '../../operators/index.ts';
import { definitionSummaries } from '../definition-summaries.ts';

/** References of one Operator that its status has; it has to fit into an object. */
const maxRefs = 500;
const managed = { labelSelector: `${olmLabels.managed}=true` };
const rbac = 'rbac.authorization.k8s.io/v1';

/** Kinds of components whose conditions are reported. */
const withConditions: readonly ListTarget[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', ...managed },
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
  definitionSummaries,
  originalVersions,
  subscriptionResource,
  installPlanResource,
  operatorConditionResource,
];

/** Kinds of components without. Those that other controllers hold as well are requested as they do. */
const withoutConditions: readonly ListTarget[] = [
  { apiVersion: 'v1', kind: 'Namespace', isMetadataOnly: true },
  { apiVersion: 'v1', kind: 'ServiceAccount', isMetadataOnly: true },
  { apiVersion: 'v1', kind: 'Secret', isMetadataOnly: true, ...managed },
  { apiVersion: 'v1', kind: 'ConfigMap', isMetadataOnly: true, ...managed },
  { apiVersion: 'v1', kind: 'Service', ...managed },
  { apiVersion: rbac, kind: 'Role' },
  { apiVersion: rbac, kind: 'RoleBinding' },
  { apiVersion: rbac, kind: 'ClusterRole' },
  { apiVersion: rbac, kind: 'ClusterRoleBinding' },
];

/** The kinds whose objects may be components of an Operator.
 *  @see docs/spec/olm-v0.md#operator */
export const componentTargets: readonly ListTarget[] = [...withConditions, ...withoutConditions];

/** The phase of a ClusterServiceVersion as a condition. */
function phaseCondition(status: JsonObject | undefined): JsonObject[] {
  const phase = textAt(status, 'phase');
  if (phase === '') return [];
  const members = ['reason', 'message', 'lastUpdateTime', 'lastTransitionTime'].flatMap((key) => {
    const value = textAt(status, key);
    return value === '' ? [] : [[key, value] as const];
  });
  return [{ type: phase, status: 'True', ...Object.fromEntries(members) }];
}

const conditionMembers = ['type', 'status', 'reason', 'message', 'lastUpdateTime', 'lastTransitionTime'];

function reportedCondition(condition: JsonObject): JsonObject {
  const members = Object.entries(condition).filter(([key]) => conditionMembers.includes(key));
  return Object.fromEntries(members);
}

function conditionsIn(object: KubeObject): readonly JsonObject[] {
  const status = objectAt(object as JsonObject, 'status');
  if (object.kind === clusterServiceVersionResource.kind) return phaseCondition(status);
  const conditions = objectsAt(status, 'conditions').map(reportedCondition);
  return conditions.filter((one) => typeof one['type'] === 'string' && typeof one['status'] === 'string');
}

function referenceTo(object: KubeObject): JsonObject {
  const { apiVersion, kind, metadata } = object;
  const { name = '', namespace } = metadata;
  const conditions = conditionsIn(object);
  return {
    apiVersion,
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(conditions.length > 0 && { conditions: [...conditions] }),
  };
}

const order = ['kind', 'apiVersion', 'namespace', 'name'];

function compare(a: JsonObject, b: JsonObject): number {
  const key = order.find((one) => textAt(a, one) !== textAt(b, one));
  return key === undefined ? 0 : textAt(a, key) < textAt(b, key) ? -1 : 1;
}

/** `status.components` of an Operator: what has its label, in a fixed order; of very many objects the first. */
export function componentsStatus(key: string, components: readonly KubeObject[]): JsonObject {
  const refs = components.map(referenceTo).toSorted(compare).slice(0, maxRefs);
  const labelSelector = { matchExpressions: [{ key, operator: 'Exists' }] };
  return refs.length === 0 ? { labelSelector } : { labelSelector, refs };
}
