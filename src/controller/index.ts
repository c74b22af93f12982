/** The runtime of controllers: a queue of object names, workers, back-off, what each class of error leads to, and who of several processes may work.
 *  Main type: `Controller`. Never looks at the objects that it is about, and never polls them.
 *  @imports src/kube, src/metrics, src/base */
export {
  type Controller,
  type ControllerOptions,
  type ReconcileContext,
  resultOf,
  runSteps,
  type Step,
  startController,
} from './controller.ts';
export { type LeaderElection, type LeaderElectionOptions, startLeaderElection } from './leader-election.ts';
export { type Probes, startProbes } from './probes.ts';
export { type ResyncOptions, resync } from './resync.ts';
export { spread } from './spread.ts';
export { backOffMs } from './work-queue.ts';
