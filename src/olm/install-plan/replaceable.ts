import { clusterServiceVersionResource, olmLabels } from '../../api/index.ts';
import { isJsonEqual, type JsonValue, TerminalError } from '../../base/index.ts';
import { describeRef, type KubeObject, refOf } from '../../kube/index.ts';
import { isManaged } from './objects.ts';

/** Members of what grants permissions in all namespaces. */
const grantMembers = ['rules', 'aggregationRule', 'roleRef', 'subjects'];

function grantsSame(live: KubeObject, desired: KubeObject): boolean {
  return grantMembers.every((member) =>
    isJsonEqual((live[member] ?? null) as JsonValue, (desired[member] ?? null) as JsonValue),
  );
}

function isOfNamespace({ metadata: { labels = {} } }: KubeObject, namespace: string): boolean {
  const owner = labels[olmLabels.ownerNamespace];
  return owner === namespace && labels[olmLabels.ownerKind] === clusterServiceVersionResource.kind;
}

/** What becomes of an object that exists. OLM overwrites whatever has the name: `cluster-admin` as well.
 *  @throws TerminalError ForeignObject for an object that belongs to something else */
export function replacementOf(live: KubeObject, desired: KubeObject, namespace: string): 'update' | 'leave' {
  const what = describeRef(refOf(live));
  const advice = 'delete it, or use a bundle that has another name for it';
  if (desired.metadata.namespace !== undefined) {
    const controller = (live.metadata.ownerReferences ?? []).find((reference) => reference.controller === true);
    if (controller === undefined || live.kind === 'ServiceAccount') return 'update';
    const text = `${what} exists, and is controlled by ${controller.kind} "${controller.name}": ${advice}`;
    throw new TerminalError('ForeignObject', text);
  }
  const isGrant = live.apiVersion.startsWith('rbac.authorization.k8s.io/');
  if (isGrant ? isOfNamespace(live, namespace) : isManaged(live)) return 'update';
  if (isGrant && grantsSame(live, desired)) return 'leave';
  const text = `${what} exists, and was not installed for an operator in namespace "${namespace}": ${advice}`;
  throw new TerminalError('ForeignObject', text);
}
