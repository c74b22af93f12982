import { installPlanResource, olmFieldManager, operatorResource, subscriptionResource } from '../../api/index.ts';
import { isJsonEqual } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  StatusWriter,
  type Step,
  type Watch,
} from '../../controller/index.ts';
import {
  type CacheChange,
  groupOf,
  isAlreadyExists,
  type KubeObject,
  type NamespacedName,
  namespacedName,
} from '../../kube/index.ts';
import { componentKey, operatorsOf, originalVersions } from '../../operators/index.ts';
import { definitionSummaries } from '../definition-summaries.ts';
import { adoptForSubscription, adoptForVersion } from './adopt.ts';
import { componentsStatus, componentTargets } from './components.ts';
import { createOperatorContext, type OperatorContext, ownersOf } from './context.ts';

interface OperatorRun extends ReconcileRun {
  readonly context: OperatorContext;
}

const olmGroup = groupOf(operatorResource.apiVersion);
const validName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

function both({ before, after }: CacheChange<KubeObject>): readonly KubeObject[] {
  return [before, after].filter((object) => object !== undefined);
}

function operatorRequests(object: KubeObject): NamespacedName[] {
  return operatorsOf(object).map((name) => ({ namespace: '', name }));
}

const reportComponents: Step<OperatorRun> = async (run) => {
  await Promise.resolve();
  const { context, object } = run;
  if (object.metadata.deletionTimestamp !== undefined) return;
  const name = object.metadata.name ?? '';
  run.status?.setFields(run, { components: componentsStatus(componentKey(name), context.componentsOf(name)) });
};

/** Creates the Operator of objects that have its label, as long as there are any. */
async function create({ kube, operators, componentsOf }: OperatorContext, name: string): Promise<void> {
  if (componentsOf(name).length === 0 || !validName.test(name)) return;
  const { apiVersion, kind } = operatorResource;
  try {
    operators.wrote(await kube.create({ apiVersion, kind, metadata: { name } }, { fieldManager: olmFieldManager }));
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
  }
}

const verbs = ['get', 'list', 'watch', 'patch'];

/** Reports in each Operator what has its label, and creates it for that. */
export const operatorController: ControllerDefinition<OperatorContext, OperatorRun> = defineController({
  name: 'operator',
  for: operatorResource,
  // Components report many steps of an installation.
  gatherMs: 500,
  watches: () =>
    componentTargets.map(
      (target): Watch => ({ target, requestsFor: (change) => both(change).flatMap(operatorRequests) }),
    ),
  begin: (context, object): OperatorRun => {
    const { kube, clock, operators: cache } = context;
    return { context, object, status: new StatusWriter(object, { kube, clock, cache, fieldManager: olmFieldManager }) };
  },
  steps: [reportComponents],
  forget: (context, { name }) => create(context, name),
  permissions: {
    cluster: [
      { apiGroups: [olmGroup], resources: ['operators'], verbs: ['get', 'list', 'watch', 'create'] },
      { apiGroups: [olmGroup], resources: ['operators/status'], verbs: ['update', 'patch'] },
      {
        apiGroups: [olmGroup],
        resources: ['clusterserviceversions', 'subscriptions', 'installplans', 'operatorconditions'],
        verbs,
      },
      { apiGroups: ['apps'], resources: ['deployments'], verbs },
      { apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices'], verbs },
      { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs },
      {
        apiGroups: [''],
        resources: ['namespaces', 'services', 'serviceaccounts', 'secrets', 'configmaps'],
        verbs,
      },
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
        verbs,
      },
    ],
  },
  isOptional: true,
});

/** Subscriptions that an InstallPlan was made for, when it appears: it may be cached later than the reference to it. */
function subscriptionsOfPlan({ before, after }: CacheChange<KubeObject>): NamespacedName[] {
  if (after === undefined || before !== undefined) return [];
  const { namespace = '', ownerReferences = [] } = after.metadata;
  const owners = ownerReferences.filter(({ kind }) => kind === subscriptionResource.kind);
  return owners.map(({ name }) => ({ namespace, name }));
}

/** Subscriptions that have installed a ClusterServiceVersion, when it appears or its labels change. */
function subscriptionsOf(
  { subscriptionsOf: index }: OperatorContext,
  change: CacheChange<KubeObject>,
): NamespacedName[] {
  const { before, after } = change;
  if (after === undefined || isJsonEqual(before?.metadata.labels ?? null, after.metadata.labels ?? {})) return [];
  const { namespace, name } = namespacedName(after);
  return [...index.names(`${namespace}/${name}`)];
}

/** Labels what belongs to Subscriptions. */
export const operatorSubscriptionController: ControllerDefinition<OperatorContext, OperatorRun> = defineController({
  name: 'operator-subscription',
  for: subscriptionResource,
  watches: (context) => [
    { target: originalVersions, requestsFor: (change) => subscriptionsOf(context, change) },
    { target: installPlanResource, requestsFor: subscriptionsOfPlan },
  ],
  begin: (context, object): OperatorRun => ({ context, object }),
  steps: [
    async ({ context, object }, { signal }) => {
      await adoptForSubscription(context, object, signal);
    },
  ],
  permissions: {},
  isOptional: true,
});

/** ClusterServiceVersions that an object may belong to. A definition may be cached later than the one that claims it. */
function versionsOf({ claimantsOf }: OperatorContext, object: KubeObject): readonly NamespacedName[] {
  if (object.kind !== definitionSummaries.kind) return ownersOf(object);
  return [...claimantsOf.names(object.metadata.name ?? '')];
}

/** Labels what belongs to ClusterServiceVersions. */
export const operatorVersionController: ControllerDefinition<OperatorContext, OperatorRun> = defineController({
  name: 'operator-version',
  for: originalVersions,
  watches: (context) =>
    componentTargets
      .filter(({ kind }) => kind !== originalVersions.kind)
      .map(
        (target): Watch => ({
          target,
          // What has its label already, or is deleted, needs none.
          requestsFor: ({ after }) =>
            after === undefined || operatorsOf(after).length > 0 ? [] : versionsOf(context, after),
        }),
      ),
  begin: (context, object): OperatorRun => ({ context, object }),
  steps: [
    async ({ context, object }, { signal }) => {
      await adoptForVersion(context, object, signal);
    },
  ],
  permissions: {},
  isOptional: true,
});

/** Adds the controllers of Operators. */
export function addOperators(manager: Manager): void {
  const context = createOperatorContext(manager);
  const added = manager.add(operatorController, {
    context,
    workers: 2,
    beforeWork: async () => {
      await Promise.resolve();
      for (const cache of context.caches) {
        for (const object of cache.values()) for (const name of operatorsOf(object)) added.enqueue(name);
      }
    },
  });
  manager.add(operatorSubscriptionController, { context, workers: 2 });
  manager.add(operatorVersionController, { context, workers: 2 });
}
