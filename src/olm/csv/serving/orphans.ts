import { clusterServiceVersionResource, olmLabels } from '../../../api/index.ts';
import { type JsonObject, objectAt, textAt } from '../../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  type Step,
} from '../../../controller/index.ts';
import {
  isNotFound,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type NamespacedName,
} from '../../../kube/index.ts';
import { type ServingContext, servingTargets } from './context.ts';
import { deleteObject } from './ensure-webhook.ts';
import { type LabelledOwner, labelledOwner } from './ownership.ts';

type OrphanContext = Pick<ServingContext, 'kube' | 'caches'>;

interface OrphanRun extends ReconcileRun {
  readonly context: OrphanContext;
}

/** Objects outside of namespaces that owner references cannot delete. */
interface OrphanKind {
  readonly name: string;
  readonly target: 'apiServices' | 'clusterRoles' | 'clusterRoleBindings' | 'validatingWebhooks' | 'mutatingWebhooks';
  readonly apiGroup: string;
  readonly resource: string;
  /** Default: all labels of an owner. */
  readonly ownerOf?: (object: KubeObject) => LabelledOwner | undefined;
}

/** The owner of an APIService that was made for an operator: labels, and a Service in the namespace of the owner. */
function servedOwner(apiService: KubeObject): LabelledOwner | undefined {
  const owner = labelledOwner(apiService);
  const service = objectAt(apiService as JsonObject, 'spec', 'service');
  return owner !== undefined && textAt(service, 'namespace') === owner.namespace ? owner : undefined;
}

const rbac = 'rbac.authorization.k8s.io';
const admission = 'admissionregistration.k8s.io';

const kinds: readonly OrphanKind[] = [
  {
    name: 'apiservice',
    target: 'apiServices',
    apiGroup: 'apiregistration.k8s.io',
    resource: 'apiservices',
    ownerOf: servedOwner,
  },
  { name: 'clusterrole', target: 'clusterRoles', apiGroup: rbac, resource: 'clusterroles' },
  { name: 'clusterrolebinding', target: 'clusterRoleBindings', apiGroup: rbac, resource: 'clusterrolebindings' },
  {
    name: 'validatingwebhook',
    target: 'validatingWebhooks',
    apiGroup: admission,
    resource: 'validatingwebhookconfigurations',
  },
  {
    name: 'mutatingwebhook',
    target: 'mutatingWebhooks',
    apiGroup: admission,
    resource: 'mutatingwebhookconfigurations',
  },
];

/** Asks the API server: a cache that lacks an owner is no reason to delete anything. */
async function isAbsent(kube: KubeClient, { namespace, name }: LabelledOwner, signal: AbortSignal): Promise<boolean> {
  const { apiVersion, kind } = clusterServiceVersionResource;
  try {
    await kube.get({ apiVersion, kind, namespace, name }, { signal });
    return false;
  } catch (thrown) {
    // The kind itself may be unserved, which is no answer about its objects.
    if (!isNotFound(thrown)) throw thrown;
  }
  await kube.list({ apiVersion, kind, namespace, isMetadataOnly: true }, { signal });
  return true;
}

function deleteOrphan(ownerOf: (object: KubeObject) => LabelledOwner | undefined): Step<OrphanRun> {
  return async ({ context, object }, { signal }) => {
    const owner = ownerOf(object);
    if (owner === undefined || object.metadata.deletionTimestamp !== undefined) return;
    if (context.caches.versions.get(owner.name, owner.namespace) !== undefined) return;
    if (await isAbsent(context.kube, owner, signal)) await deleteObject(context, object, signal);
  };
}

/** Objects whose owner was deleted. */
function orphansOf(cache: KindCache, version: KubeObject): NamespacedName[] {
  const { name = '', namespace } = version.metadata;
  return cache
    .labelled(olmLabels.owner, name)
    .filter((one) => labelledOwner(one)?.namespace === namespace)
    .map(({ metadata }) => ({ namespace: '', name: metadata.name ?? '' }));
}

function controllerFor({
  name,
  target,
  apiGroup,
  resource,
  ownerOf = labelledOwner,
}: OrphanKind): ControllerDefinition<OrphanContext, OrphanRun> {
  return defineController({
    name: `clusterserviceversion-${name}`,
    for: servingTargets[target],
    watches: ({ caches }) => [
      {
        target: servingTargets.versions,
        requestsFor: ({ before, after }) =>
          after === undefined && before !== undefined ? orphansOf(caches[target], before) : [],
      },
    ],
    begin: (context, object): OrphanRun => ({ context, object }),
    steps: [deleteOrphan(ownerOf)],
    permissions: {
      cluster: [
        { apiGroups: ['operators.coreos.com'], resources: ['clusterserviceversions'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [apiGroup], resources: [resource], verbs: ['get', 'list', 'watch', 'delete'] },
      ],
    },
    isOptional: true,
  });
}

/** They delete what an operator that does not exist any more has left outside of namespaces, as what a plan was about to create when it was removed.
 *  ClusterRoles with their bindings would give its permissions to who creates a ServiceAccount of the name; APIServices would stay unavailable.
 *  @see docs/spec/olm-v0.md#deletion-and-garbage-collection */
export const orphanControllers: readonly ControllerDefinition<OrphanContext, OrphanRun>[] = kinds.map(controllerFor);

/** Adds them. */
export function addOrphanControllers(manager: Manager, context: OrphanContext): void {
  for (const definition of orphanControllers) manager.add(definition, { context, workers: 1 });
}
