/** Machines of a cluster: instances at a provider, their nodes, sets and health checks.
 *  Main type: `Actuator`, by which an infrastructure is joined. Updates the nodes of pools: main type `NodeHost`, by which an operating system is joined.
 *  @imports src/drain, src/controller, src/kube, src/metrics, src/cel, src/schema, src/rbac, src/api, src/base */
export {
  type Actuator,
  type ActuatorCall,
  ActuatorError,
  type ActuatorReason,
  type Instance,
} from './actuator.ts';
export { addMachineHealthChecks, machineHealthCheckController } from './health-check/controller.ts';
export { addMachineHook } from './hook/controller.ts';
export type { MachineHook } from './hook/definition.ts';
export type { MachineSettings } from './machine/context.ts';
export { addMachines, machineController } from './machine/controller.ts';
export { zoneInWork } from './machine-config-pool/choice.ts';
export { type PoolSettings } from './machine-config-pool/context.ts';
export { addMachineConfigPools, machineConfigPoolController } from './machine-config-pool/controller.ts';
export { poolOfNode } from './machine-config-pool/membership.ts';
export { isUpdated, poolNode } from './machine-config-pool/pool-node.ts';
export { surgeHook } from './machine-config-pool/replace-machine.ts';
export { addMachineSets, machineSetController } from './machine-set/controller.ts';
export { addNodeAgent, nodeAgentController } from './node-agent/controller.ts';
export { FileHost, runOnNode } from './node-agent/file-host/file-host.ts';
export { type NodeHost, type NodeJournal } from './node-agent/host.ts';
export { SimulatedHosts } from './node-agent/simulated-host.ts';
export { addNodeConfig, nodeConfigController } from './node-config/controller.ts';
export { addNodeDrains, nodeDrainController } from './node-drain/controller.ts';
export { addNodeLink, nodeLinkController } from './node-link/controller.ts';
export { type Ask, ExternalProvider } from './providers/external/external.ts';
export { askByHttp } from './providers/external/http.ts';
export { askByProgram } from './providers/external/program.ts';
export { SimulatedProvider } from './providers/simulated.ts';
export { EtcdProvider } from './quorum/etcd.ts';
export { quorumHook } from './quorum/quorum-hook.ts';
export { logFlushHook } from './ready-hooks/log-flush.ts';
export { orderedDrainHook } from './ready-hooks/ordered-drain.ts';
export { readyHookPermissions } from './ready-hooks/permissions.ts';
export { replacementHook } from './ready-hooks/replacement.ts';
export { volumeDetachHook } from './ready-hooks/volume-detach.ts';
export { skippedGates, withSkippedGate } from './rollout-check/skip.ts';
