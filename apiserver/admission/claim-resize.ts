import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  type KubeObject,
  objectOf,
  textOf,
} from '../core/index.ts';
import { compareQuantities, resourceList } from '../schema/index.ts';
import { refusal } from './refusal.ts';

function sizeOf(claim: KubeObject | undefined): string {
  const { resources } = objectOf(claim?.['spec']);
  return resourceList(objectOf(resources)['requests'])['storage'] ?? '0';
}

function mayGrow(cluster: Cluster, claim: KubeObject): boolean {
  const name =
    claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
    textOf(objectOf(claim['spec'])['storageClassName']);
  const type = cluster.resource('storage.k8s.io', 'storageclasses');
  if (name === '' || type === undefined) return false;
  return cluster.get(type, { namespace: '', name })?.['allowVolumeExpansion'] === true;
}

function check(cluster: Cluster, request: AdmissionRequest): void {
  const { operation, resource, subresource, object, oldObject } = request;
  const isUpdate =
    operation === 'UPDATE' && resource.storageKey === 'persistentvolumeclaims' && subresource === undefined;
  if (!isUpdate || object === undefined || oldObject === undefined) return;
  if (compareQuantities(sizeOf(object), sizeOf(oldObject)) <= 0) return;
  if (textOf(objectOf(oldObject['status'])['phase']) !== 'Bound') {
    throw refusal(request, 'Only bound persistent volume claims can be expanded');
  }
  if (mayGrow(cluster, oldObject)) return;
  const why =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  throw refusal(request, why);
}

/** Claims grow only where their class lets them. */
export function claimResize(cluster: Cluster): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    validate: (request) => {
      check(cluster, request);
      return Promise.resolve();
    },
  };
}
