/** The composition root: which parts run in a process, and what they are given. `longshore up`, `longshore controllers` and `longshore webhook` start
 *  their parts here. Main functions: `startControllers`, `startWebhook`. Never reads options, files of settings or the environment.
 *  @imports provisioners, webhook, src/olm, src/cluster-version, src/machines, src/content, src/extension-server, src/catalog, src/sources, src/image-policy,
 *    src/controller, src/kube, src/metrics, src/rbac, src/constraints, src/api, src/base */
export { type ControllersContext, offersOf, type RunningControllers, startControllers } from './controllers.ts';
export { startNodeAgent } from './node-agent.ts';
export {
  controllerPermissions,
  machinePermissions,
  nodeAgentPermissions,
  olmPermissions,
  type RoleRules,
  releasePermissions,
  webhookPermissions,
} from './permissions.ts';
export type { OpenContentServer, OpenServer } from './provisioners.ts';
export type {
  ClusterVersionSettings,
  ControllerSettings,
  MachinesSettings,
  OlmSettings,
  ProcessEnvironment,
  ReadyHook,
  RegistrySettings,
  SharedStoreSettings,
} from './settings.ts';
export { startWebhook, type WebhookSettings } from './webhook.ts';
