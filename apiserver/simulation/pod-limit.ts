import { typeOf } from '../controllers/index.ts';
import { type Cluster, type KubeObject, StatusError } from '../core/index.ts';
import { reportOnce } from './report-once.ts';

/** Pods of one owner, finished ones included. A cluster has room for so many pods as its nodes have; here only memory would end. */
const maxPodsOfOwner = 500;
/** Of all owners together: a user who creates many owners takes no more memory than this. */
const maxPods = 10_000;
/** @throws StatusError 403 when the owner, or all of them, have as many pods as the simulation creates; an Event reports it */
export async function assertRoomForPod(cluster: Cluster, owner: KubeObject, as: string): Promise<void> {
  const pods = typeOf(cluster, 'pods');
  const { namespace = '', uid } = owner.metadata;
  const own = cluster.count(pods, { namespace, selects: ({ controllerUid }) => controllerUid === uid });
  const isOwnerFull = own >= maxPodsOfOwner;
  if (!isOwnerFull && cluster.count(pods) < maxPods) return;
  const limit = isOwnerFull ? `${maxPodsOfOwner} pods for one ${owner.kind}` : `${maxPods} pods for the whole cluster`;
  const remedy = isOwnerFull ? 'lower its number of replicas or completions' : 'delete workloads or finished pods';
  const message = `the simulation creates at most ${limit}: ${remedy}, or start the server without the simulation`;
  await reportOnce(cluster, owner, { as, reason: 'SimulationLimitReached', message, component: 'simulation' });
  throw new StatusError({ code: 403, reason: 'Forbidden', message });
}
