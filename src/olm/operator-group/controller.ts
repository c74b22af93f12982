import { olmLabels, operatorGroupResource } from '../../api/index.ts';
import type { LabelSelector } from '../../base/index.ts';
import { type ControllerDefinition, defineController, type Manager, type Watch } from '../../controller/index.ts';
import {
  type CacheChange,
  groupOf,
  indexCache,
  type KubeObject,
  type NamespacedName,
  namespacedName,
} from '../../kube/index.ts';
import { createGroupContext, type GroupContext, groupTargets } from './context.ts';
import { addNamespaceLabels } from './namespace-labels.ts';
import { beginGroup, type GroupRun, steps } from './reconcile.ts';
import { removeRoles } from './remove.ts';
import { isTarget, selectorOf } from './targets.ts';

type Change = CacheChange<KubeObject>;

function changed({ before, after }: Change): readonly KubeObject[] {
  return [before, after].filter((object) => object !== undefined);
}

/** The group that a ClusterRole is labelled with. */
function groupOfRole({ metadata }: KubeObject): NamespacedName[] {
  const {
    [olmLabels.ownerKind]: kind,
    [olmLabels.ownerNamespace]: namespace,
    [olmLabels.owner]: name,
  } = metadata.labels ?? {};
  return kind === operatorGroupResource.kind && namespace !== undefined && name !== undefined
    ? [{ namespace, name }]
    : [];
}

/** Groups that a change of a Namespace's labels adds it to, or removes it from. */
function selecting({ groups, readGroup }: GroupContext): (change: Change) => readonly NamespacedName[] {
  const readSelector = (object: KubeObject): LabelSelector | undefined => {
    const read = readGroup(object);
    return read === undefined ? undefined : selectorOf(read);
  };
  const withSelector = indexCache(groups, (object) => (readSelector(object) === undefined ? [] : ['selector']));
  return ({ before, after }) =>
    withSelector
      .get('selector')
      .filter((group) => {
        const selector = readSelector(group);
        if (selector === undefined) return false;
        const [was, is] = [before, after].map((object) => object !== undefined && isTarget(selector, object));
        return was !== is;
      })
      .map(namespacedName);
}

function watches(context: GroupContext): readonly Watch[] {
  const { groupsIn } = context;
  const inNamespace = (change: Change): readonly NamespacedName[] =>
    groupsIn(changed(change)[0]?.metadata.namespace ?? '').map(namespacedName);
  return [
    {
      target: groupTargets.groups,
      // A group that comes or goes changes what the others of its namespace are.
      requestsFor: (change) => (change.before === undefined || change.after === undefined ? inNamespace(change) : []),
    },
    { target: groupTargets.versions, requestsFor: inNamespace },
    { target: groupTargets.namespaces, requestsFor: selecting(context) },
    {
      target: groupTargets.serviceAccounts,
      requestsFor: (change) => (changed(change).length === 2 && !isOther(change) ? [] : inNamespace(change)),
    },
    { target: groupTargets.clusterRoles, requestsFor: (change) => changed(change).flatMap(groupOfRole) },
  ];
}

/** Whether an object is another one than before, or has lost what the controller set. */
function isOther({ before, after }: Change): boolean {
  if (before?.metadata.uid !== after?.metadata.uid) return true;
  return before?.metadata.labels?.[olmLabels.managed] !== after?.metadata.labels?.[olmLabels.managed];
}

const group = groupOf(operatorGroupResource.apiVersion);
const rbacGroup = 'rbac.authorization.k8s.io';

/** The controller of OperatorGroups. */
export const operatorGroupController: ControllerDefinition<GroupContext, GroupRun> = defineController({
  name: 'operatorgroup',
  for: groupTargets.groups,
  watches,
  begin: beginGroup,
  steps,
  forget: async (context, request) => {
    await removeRoles(context, request, context.signal);
  },
  permissions: {
    cluster: [
      { apiGroups: [group], resources: ['operatorgroups'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: [group], resources: ['operatorgroups/status'], verbs: ['patch'] },
      { apiGroups: [group], resources: ['clusterserviceversions'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['namespaces', 'serviceaccounts'], verbs: ['get', 'list', 'watch', 'patch'] },
      {
        apiGroups: [rbacGroup],
        resources: ['clusterroles'],
        verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      },
      // The ClusterRoles of a group allow what those of the APIs do.
      { apiGroups: [rbacGroup], resources: ['clusterroles'], verbs: ['escalate'] },
    ],
  },
  isOptional: true,
});

export interface OperatorGroupsOptions {
  /** Groups that are reconciled at a time. Default: 4. */
  readonly workers?: number;
}

/** Adds the controller of OperatorGroups, and that of the labels of their target namespaces. */
export function addOperatorGroups(manager: Manager, { workers = 4 }: OperatorGroupsOptions = {}): void {
  const context = createGroupContext(manager);
  const added = manager.add(operatorGroupController, {
    context,
    workers,
    // ClusterRoles of groups that were deleted while no process ran.
    beforeWork: async () => {
      await Promise.resolve();
      for (const role of context.clusterRoles.values()) {
        for (const { namespace, name } of groupOfRole(role)) added.enqueue(name, namespace);
      }
    },
  });
  addNamespaceLabels(manager, context);
}
