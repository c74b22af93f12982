/** What kubelet and kube-controller-manager would do to workloads in a healthy cluster, without running anything: Deployments,
 *  ReplicaSets and Pods reach the status that users wait for. Main function: `startSimulation`.
 *  Works through `Cluster` alone, waits for events and never polls; without it workloads just stay as they were written. */
import type { Clock, Logger } from '../../src/base/index.ts';
import { runController } from '../controllers/controller.ts';
import type { Cluster } from '../registry/cluster.ts';
import { deploymentSimulation } from './deployments.ts';
import { podSimulation } from './pods.ts';
import { replicaSetSimulation } from './replica-sets.ts';
import { timestampOf } from './simulated.ts';

export { simulateAnnotation } from './simulated.ts';

/** What the simulation is given. */
export interface SimulationDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Starts the simulation; disposing of the result waits for the work at hand. */
export function startSimulation(cluster: Cluster, deps: SimulationDeps): AsyncDisposable {
  const context = { cluster, now: () => timestampOf(deps.clock.now()) };
  const controllers = [podSimulation(context), replicaSetSimulation(context), deploymentSimulation(context)];
  const running = controllers.map((controller) => runController({ cluster, log: deps.log }, controller));
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running.map((controller) => controller[Symbol.asyncDispose]()));
    },
  };
}
