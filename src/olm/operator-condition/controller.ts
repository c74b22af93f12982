import {
  clusterServiceVersionResource,
  olmFieldManager,
  olmLabels,
  operatorConditionResource,
  parseClusterServiceVersion,
  parseOperatorCondition,
} from '../../api/index.ts';
import { type Clock, type JsonObject, TerminalError } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  StatusWriter,
  type Step,
} from '../../controller/index.ts';
import {
  type CacheChange,
  describeRef,
  groupOf,
  isAlreadyExists,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type NamespacedName,
  namespacedName,
  preconditionOf,
  refOf,
} from '../../kube/index.ts';
import { ensureOwned, isOwnedByUid } from '../owned-objects.ts';
import { controllerReference, desiredAccess, desiredCondition, subjectsOf } from './desired.ts';
import { mirrored } from './mirror.ts';

const managed = `${olmLabels.managed}=true`;
const roleTarget = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', labelSelector: managed } as const;
const bindingTarget = { ...roleTarget, kind: 'RoleBinding' } as const;
const versionTarget = { ...clusterServiceVersionResource, labelSelector: `!${olmLabels.copiedFrom}` };

interface ConditionContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly conditions: KindCache;
  readonly roles: KindCache;
  readonly bindings: KindCache;
}

interface ConditionRun extends ReconcileRun {
  readonly context: ConditionContext;
}

/** An object of that name that another ClusterServiceVersion controls is left to the garbage collector. */
function assertFree(live: KubeObject, csv: KubeObject): void {
  const controller = (live.metadata.ownerReferences ?? []).find((reference) => reference.controller === true);
  if (controller === undefined || controller.uid === csv.metadata.uid) return;
  const text = `${describeRef(refOf(live))} belongs to another ${controller.kind} "${controller.name}": delete it`;
  throw new TerminalError('OwnerConflict', text);
}

const ensureCondition: Step<ConditionRun> = async ({ context, object }, { signal }) => {
  const { kube, conditions } = context;
  const { name, namespace } = namespacedName(object);
  if (object.metadata.deletionTimestamp !== undefined) return;
  const csv = parseClusterServiceVersion(object);
  const live = conditions.get(name, namespace);
  if (live === undefined) {
    try {
      conditions.wrote(await kube.create(desiredCondition(csv), { fieldManager: olmFieldManager, signal }));
    } catch (thrown) {
      // The cache shows it soon, and requests another reconcile.
      if (!isAlreadyExists(thrown)) throw thrown;
    }
    return;
  }
  if (live.metadata.deletionTimestamp !== undefined) return;
  assertFree(live, object);
  const { deployments, serviceAccounts } = subjectsOf(csv);
  const { spec } = parseOperatorCondition(live);
  const isOwned = isOwnedByUid(live, object.metadata.uid);
  const isSame = (a: readonly string[] = [], b: readonly string[] = []): boolean => a.join(' ') === b.join(' ');
  if (isOwned && isSame(spec?.deployments, deployments) && isSame(spec?.serviceAccounts, serviceAccounts)) return;
  const { apiVersion, kind } = clusterServiceVersionResource;
  const owner = controllerReference({ apiVersion, kind, metadata: object.metadata });
  const ownerReferences = isOwned ? undefined : [...(live.metadata.ownerReferences ?? []), owner];
  const patch = {
    metadata: {
      ...preconditionOf(live),
      ...(ownerReferences !== undefined && { ownerReferences: ownerReferences as unknown as JsonObject[] }),
    },
    spec: { deployments: [...deployments], serviceAccounts: [...serviceAccounts] },
  };
  conditions.wrote(await kube.patch(refOf(live), patch, { fieldManager: olmFieldManager, signal }));
};

/** The ClusterServiceVersion of the same name. */
function sameName({ before, after }: CacheChange<KubeObject>): NamespacedName[] {
  const object = after ?? before;
  return object === undefined ? [] : [namespacedName(object)];
}

const conditionGroup = groupOf(operatorConditionResource.apiVersion);

/** Gives each ClusterServiceVersion that is no copy its OperatorCondition. */
export const conditionOwnerController: ControllerDefinition<ConditionContext, ConditionRun> = defineController({
  name: 'operatorcondition-owner',
  for: versionTarget,
  watches: () => [{ target: operatorConditionResource, requestsFor: sameName }],
  begin: (context, object) => ({ context, object }),
  steps: [ensureCondition],
  permissions: {
    cluster: [
      { apiGroups: [conditionGroup], resources: ['clusterserviceversions'], verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: [conditionGroup],
        resources: ['operatorconditions'],
        verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
      },
    ],
  },
  isOptional: true,
});

const ensureAccess: Step<ConditionRun> = async ({ context, object }, { signal }) => {
  if (object.metadata.deletionTimestamp !== undefined) return 'stop';
  const { kube, roles, bindings } = context;
  const { spec } = parseOperatorCondition(object);
  const isOwn = (live: KubeObject): boolean => isOwnedByUid(live, object.metadata.uid);
  for (const desired of desiredAccess(object, spec?.serviceAccounts ?? [])) {
    const cache = desired.kind === 'Role' ? roles : bindings;
    await ensureOwned(desired, { kube, cache, fieldManager: olmFieldManager, isOwn, signal });
  }
  return undefined;
};

const mirrorConditions: Step<ConditionRun> = async (run) => {
  await Promise.resolve();
  const { object } = run;
  const conditions = mirrored(parseOperatorCondition(object), object.metadata.generation ?? 0);
  if (conditions.length === 0) return;
  run.status?.setFields(run, { conditions: conditions as unknown as JsonObject[] });
};

/** Lets the accounts of an operator write its OperatorCondition, and reports the conditions of `spec` in the status. */
export const operatorConditionController: ControllerDefinition<ConditionContext, ConditionRun> = defineController({
  name: 'operatorcondition',
  for: operatorConditionResource,
  owns: [roleTarget, bindingTarget],
  begin: (context, object): ConditionRun => {
    const { kube, clock, conditions: cache } = context;
    const status = new StatusWriter(object, { kube, clock, cache, fieldManager: olmFieldManager });
    return { context, object, status };
  },
  // The status first: an upgrade waits for it.
  steps: [mirrorConditions, ensureAccess],
  permissions: {
    cluster: [
      { apiGroups: [conditionGroup], resources: ['operatorconditions/status'], verbs: ['update', 'patch'] },
      // To grant what it grants, and to be named as an owner that must not be deleted first.
      { apiGroups: [conditionGroup], resources: ['operatorconditions'], verbs: ['get', 'update', 'patch'] },
      { apiGroups: [conditionGroup], resources: ['operatorconditions/finalizers'], verbs: ['update'] },
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'rolebindings'],
        verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
      },
    ],
  },
  isOptional: true,
});

/** Adds the controllers of OperatorConditions. */
export function addOperatorConditions(manager: Manager): void {
  const { kube, clock } = manager;
  const context: ConditionContext = {
    kube,
    clock,
    conditions: manager.cache(operatorConditionResource),
    roles: manager.cache(roleTarget),
    bindings: manager.cache(bindingTarget),
  };
  manager.add(conditionOwnerController, { context, workers: 2 });
  manager.add(operatorConditionController, { context, workers: 2 });
}
