/** The runtime of controllers: a queue of object names, workers, back-off, and what each class of error leads to.
 *  Main type: `Controller`. Never looks at objects and never polls. */
export {
  type Controller,
  type ControllerOptions,
  type ReconcileContext,
  runSteps,
  type Step,
  startController,
} from './controller.ts';
export { type Probes, startProbes } from './probes.ts';
export { backOffMs } from './work-queue.ts';
