import { isJsonObject } from '../../src/base/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  forbidden,
  type KubeObject,
  notFound,
} from '../core/index.ts';
import { refusal } from './refusal.ts';

const immortalNamespaces = new Set(['default', 'kube-system', 'kube-public']);
/** Reviews are asked about namespaces, they do not live in them. */
const reviewGroups = new Set(['authorization.k8s.io', 'authentication.k8s.io']);
const namespaces = { group: '', plural: 'namespaces' };

function isTerminating(namespace: KubeObject): boolean {
  const { status } = namespace;
  return namespace.metadata.deletionTimestamp !== undefined || (isJsonObject(status) && status.phase === 'Terminating');
}

function refuseInTerminating(request: AdmissionRequest): never {
  const { namespace } = request;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw refusal(request, why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

function checkDelete({ resource, name, subresource }: AdmissionRequest): void {
  if (resource.storageKey !== 'namespaces' || subresource !== undefined || !immortalNamespaces.has(name)) return;
  throw forbidden({ ...namespaces, name }, 'this namespace may not be deleted');
}

function checkCreate(request: AdmissionRequest, cluster: Cluster): void {
  const { resource, namespace } = request;
  if (!resource.namespaced || reviewGroups.has(resource.group)) return;
  const type = cluster.resource('', 'namespaces');
  const found = type === undefined ? undefined : cluster.get(type, { namespace: '', name: namespace });
  if (found === undefined) throw notFound(namespaces, namespace);
  if (isTerminating(found)) refuseInTerminating(request);
}

/** Nothing is created in a namespace that is missing or going; the system's own namespaces cannot be deleted. */
export function namespaceLifecycle(cluster: Cluster): AdmissionPlugin {
  const check = (request: AdmissionRequest): void => {
    if (request.operation === 'DELETE') checkDelete(request);
    if (request.operation === 'CREATE') checkCreate(request, cluster);
  };
  return {
    name: 'NamespaceLifecycle',
    mutate: (request) => {
      check(request);
      return Promise.resolve(undefined);
    },
  };
}
