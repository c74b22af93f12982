/** The runtime of controllers: definitions with their steps, watches and permissions; a manager that runs them with shared caches; queue and back-off,
 *  the status writer, work in the background, and leader election. Main types: `ControllerDefinition`, `Manager`. Knows no kind, and never polls.
 *  @imports src/kube, src/metrics, src/rbac, src/base */
export {
  BackgroundWork,
  type BackgroundWorkOptions,
  type WorkFailure,
  type WorkPlace,
  type WorkState,
} from './background-work.ts';
export { type ReconcileContext, resultOf, type Step } from './controller.ts';
export {
  type ControllerDefinition,
  defineController,
  type Permissions,
  type ReconcileRun,
  requeueAfter,
  type Watch,
} from './definition.ts';
export { type LeaderElection, type LeaderElectionOptions, startLeaderElection } from './leader-election.ts';
export {
  type AddedController,
  type ControllerHealth,
  createManager,
  type Election,
  type Manager,
  type ManagerOptions,
} from './manager.ts';
export { type Probes, startProbes } from './probes.ts';
export { type ReconcileTurn, ReconcileTurns, type ReconcileTurnsOptions } from './reconcile-turns.ts';
export { spread } from './spread.ts';
export {
  type ConditionChange,
  changedConditions,
  type StatusHolder,
  StatusWriter,
  type StatusWriterOptions,
} from './status.ts';
export { backOffMs } from './work-queue.ts';
export type { WorkId } from './work-slots.ts';
