import { formatTimestamp, type Logger } from '../../src/base/index.ts';
import { StatusError } from '../http/status-error.ts';
import { clusterRoleBindings, clusterRoles } from './bootstrap-roles.ts';
import { kubernetesService, localApiServices } from './bootstrap-services.ts';
import type { Cluster } from './cluster.ts';
import type { KubeObject } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';

const as = 'system:apiserver';

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map(
  (name): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
);

function priorityClass(name: string, value: number, description: string): KubeObject {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, description };
}

const priorityClasses = [
  priorityClass('system-cluster-critical', 2_000_000_000, 'For what the cluster as a whole cannot do without.'),
  priorityClass('system-node-critical', 2_000_001_000, 'For what a node cannot do without; never moved away.'),
];

/** Objects of a fresh cluster that are put back at every start when they are missing; changes to them are kept. */
const objects: readonly KubeObject[] = [...namespaces, ...priorityClasses, ...clusterRoles, ...clusterRoleBindings];

/** What the first objects are made from. */
export interface Bootstrap {
  readonly cluster: Cluster;
  /** Every served version, built in. */
  readonly types: readonly ResourceType[];
  readonly log: Logger;
  readonly nowMs: number;
}

/** Creates an object, with its status where it has one; one that is there already is left as it is. */
async function ensure({ cluster, log }: Bootstrap, object: KubeObject): Promise<void> {
  const group = object.apiVersion.includes('/') ? (object.apiVersion.split('/')[0] ?? '') : '';
  const resource = cluster.resourceOfKind(group, object.kind);
  if (resource === undefined) return;
  const { namespace = '', name = '' } = object.metadata;
  if (cluster.get(resource, { namespace, name }) !== undefined) return;
  try {
    const created = await cluster.create(resource, object, { as });
    const status = object['status'];
    if (status !== undefined) await cluster.update(resource, { ...created, status }, { as, subresource: 'status' });
  } catch (thrown) {
    // A server without one of its objects is of more use than none.
    if (!(thrown instanceof StatusError)) throw thrown;
    log.error({ err: thrown, kind: object.kind, name }, 'object of a fresh cluster was refused');
  }
}

/** Creates what every cluster has from its first moment. */
export async function bootstrap(options: Bootstrap): Promise<void> {
  await Promise.all([...objects, kubernetesService].map((object) => ensure(options, object)));
}

/** Creates what tells about the server and nobody waits for: may run beside the first requests. */
export async function describeServer(options: Bootstrap): Promise<void> {
  for (const object of localApiServices(options.types, formatTimestamp(options.nowMs))) await ensure(options, object);
}
