import {
  olmFieldManager,
  operatorConditionResource,
  parseClusterServiceVersion,
  parseOperatorCondition,
} from '../../api/index.ts';
import type { Clock, JsonObject } from '../../base/index.ts';
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
  groupOf,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type NamespacedName,
  namespacedName,
} from '../../kube/index.ts';
import { originalVersions } from '../../operators/index.ts';
import { ensureOwned, isOwnedByUid } from '../owned-objects.ts';
import { rbacTargets } from '../rbac-objects.ts';
import { desiredAccess, desiredCondition } from './desired.ts';
import { mirrored } from './mirror.ts';

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

/** One that was there before is adopted, with what an administrator overrides; one that another owner controls is left to the garbage collector. */
const ensureCondition: Step<ConditionRun> = async ({ context, object }, { signal }) => {
  const { kube, conditions: cache } = context;
  const { uid, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) return;
  const isOwn = ({ metadata }: KubeObject): boolean =>
    (metadata.ownerReferences ?? []).every((reference) => reference.controller !== true || reference.uid === uid);
  const desired = desiredCondition(parseClusterServiceVersion(object));
  await ensureOwned(desired, { kube, cache, fieldManager: olmFieldManager, isOwn, signal });
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
  for: originalVersions,
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
  owns: [rbacTargets.roles, rbacTargets.roleBindings],
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
    roles: manager.cache(rbacTargets.roles),
    bindings: manager.cache(rbacTargets.roleBindings),
  };
  manager.add(conditionOwnerController, { context, workers: 2 });
  manager.add(operatorConditionController, { context, workers: 2 });
}
