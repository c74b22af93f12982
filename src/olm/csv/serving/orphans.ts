import { clusterServiceVersionResource, olmLabels } from '../../../api/index.ts';
import { type JsonObject, objectAt, textAt } from '../../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  type Step,
} from '../../../controller/index.ts';
import { isNotFound, type KubeClient, type KubeObject, type NamespacedName } from '../../../kube/index.ts';
import { type ServingContext, servingTargets } from './context.ts';
import { deleteObject } from './ensure-webhook.ts';
import { type LabelledOwner, labelledOwner } from './ownership.ts';

type OrphanContext = Pick<ServingContext, 'kube' | 'caches'>;

interface OrphanRun extends ReconcileRun {
  readonly context: OrphanContext;
}

/** The owner of an APIService that was made for an operator: labels, and a Service in the namespace of the owner. */
function servedOwner(apiService: KubeObject): LabelledOwner | undefined {
  const owner = labelledOwner(apiService);
  const service = objectAt(apiService as JsonObject, 'spec', 'service');
  return owner !== undefined && textAt(service, 'namespace') === owner.namespace ? owner : undefined;
}

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
  await kube.list({ apiVersion, kind, namespace }, { signal });
  return true;
}

const deleteOrphan: Step<OrphanRun> = async ({ context, object }, { signal }) => {
  const owner = servedOwner(object);
  if (owner === undefined || object.metadata.deletionTimestamp !== undefined) return;
  if (context.caches.versions.get(owner.name, owner.namespace) !== undefined) return;
  if (await isAbsent(context.kube, owner, signal)) await deleteObject(context, object, signal);
};

/** APIServices whose owner was deleted. */
function orphansOf({ caches }: OrphanContext, version: KubeObject): NamespacedName[] {
  const { name = '', namespace } = version.metadata;
  const labelled = caches.apiServices.labelled(olmLabels.owner, name);
  return labelled
    .filter((one) => labelledOwner(one)?.namespace === namespace)
    .map(({ metadata }) => ({ namespace: '', name: metadata.name ?? '' }));
}

/** Deletes APIServices of operators that do not exist any more: their groups would stay unavailable, and delay the deletion of namespaces.
 *  @see docs/spec/olm-v0.md#webhooks */
export const orphanedApiServiceController: ControllerDefinition<OrphanContext, OrphanRun> = defineController({
  name: 'clusterserviceversion-apiservice',
  for: servingTargets.apiServices,
  watches: (context) => [
    {
      target: servingTargets.versions,
      requestsFor: ({ before, after }) =>
        after === undefined && before !== undefined ? orphansOf(context, before) : [],
    },
  ],
  begin: (context, object): OrphanRun => ({ context, object }),
  steps: [deleteOrphan],
  permissions: {
    cluster: [
      { apiGroups: ['operators.coreos.com'], resources: ['clusterserviceversions'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices'], verbs: ['get', 'list', 'watch', 'delete'] },
    ],
  },
  isOptional: true,
});

/** Adds the controller of APIServices that have lost their operator. */
export function addOrphanedApiServices(manager: Manager, context: OrphanContext): void {
  manager.add(orphanedApiServiceController, { context, workers: 1 });
}
