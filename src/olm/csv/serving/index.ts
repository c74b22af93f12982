export { checkServing, type ServingCheck, type ServingHealth } from './check.ts';
export { createServingContext, type ServingContext, servingTargets } from './context.ts';
export { addOrphanControllers, orphanControllers } from './orphans.ts';
export { foreignApiService } from './ownership.ts';
export { type ServingProblem, servingProblem } from './problem.ts';
export { removeServing } from './remove.ts';
export { areCertificatesDue, ensureServing, readServing, type Serving } from './serving.ts';
export { servingPermissions, servingWatches } from './watches.ts';
export { webhookFault } from './webhook-rules.ts';
