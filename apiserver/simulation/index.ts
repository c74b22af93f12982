/** What kubelet and kube-controller-manager would do to workloads in a healthy cluster, without running anything: workloads,
 *  pods, claims and load balancers reach the status that users wait for. Main function: `startSimulation`.
 *  Works through `Cluster` alone, waits for events and never polls; without it workloads just stay as they were written.
 *  @imports apiserver/controllers, apiserver/registry, apiserver/registry/kinds, apiserver/schema, apiserver/core,
 *    src/base */
import type { Clock, Logger } from '../../src/base/index.ts';
import { runControllers } from '../controllers/index.ts';
import type { Cluster } from '../core/index.ts';
import { cronJobSimulation } from './cron-jobs.ts';
import { daemonSetSimulation } from './daemon-sets.ts';
import { deploymentSimulation } from './deployments.ts';
import { disruptionBudgetSimulation } from './disruption-budgets.ts';
import { loadBalancerSimulation, nodeSimulation } from './infrastructure.ts';
import { jobSimulation } from './jobs.ts';
import { podSimulation } from './pods.ts';
import { replicaSetSimulation, replicationControllerSimulation } from './replica-sets.ts';
import { timestampOf } from './simulated.ts';
import { statefulSetSimulation } from './stateful-sets.ts';
import { volumeSimulation } from './volumes.ts';

export { runSecondsAnnotation, simulateAnnotation } from './simulated.ts';

/** What the simulation is given. */
export interface SimulationDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

const simulations = [
  nodeSimulation,
  podSimulation,
  replicaSetSimulation,
  replicationControllerSimulation,
  deploymentSimulation,
  statefulSetSimulation,
  daemonSetSimulation,
  jobSimulation,
  cronJobSimulation,
  disruptionBudgetSimulation,
  volumeSimulation,
  loadBalancerSimulation,
];

/** Starts the simulation; disposing of the result waits for the work at hand. */
export function startSimulation(cluster: Cluster, deps: SimulationDeps): AsyncDisposable {
  const { clock } = deps;
  const context = { cluster, clock, now: () => timestampOf(clock.now()) };
  const controllers = simulations.map((simulation) => simulation(context));
  return runControllers({ cluster, log: deps.log }, controllers);
}
