export {
  checkServing,
  foreignApiService,
  type ServingCheck,
  type ServingHealth,
  servingProblem,
} from './check.ts';
export { createServingContext, type ServingContext, servingTargets } from './context.ts';
export { removeServing } from './remove.ts';
export { areCertificatesDue, ensureServing, readServing, type Serving } from './serving.ts';
export { servingPermissions, servingWatches } from './watches.ts';
export { webhookFault } from './webhook-rules.ts';
