/** The embedded Kubernetes API server: `await using server = await startApiServer()`. Imports `src/base` alone, keeps no state of its own.
 *  Never schedules or runs containers; workloads only reach the status that a healthy cluster would give them. */
export type { Cluster, ClusterEvent, ObjectKey } from './registry/cluster.ts';
export type { KubeObject } from './registry/kube-object.ts';
export type { ResourceType } from './registry/resource-type.ts';
export { type ApiServer, type ApiServerOptions, startApiServer } from './server.ts';
