import { isJsonObject, textAt } from '../src/base/index.ts';
import type { Manager } from '../src/controller/index.ts';
import type { KubeObject } from '../src/kube/index.ts';
import {
  addMachineConfigPools,
  addMachineHook,
  addNodeAgent,
  addNodeConfig,
  addNodeDrains,
  type EtcdProvider,
  SimulatedHosts,
  surgeHook,
} from '../src/machines/index.ts';

/** A person waits for simulated nodes. */
const simulatedDelayMs = 1_000;

/** Nodes of the simulated provider; other nodes may have agents of their own. */
function isSimulated({ spec }: KubeObject): boolean {
  return textAt(isJsonObject(spec) ? spec : undefined, 'providerID').startsWith('simulated://');
}

interface NodeUpdates {
  readonly version: string;
  readonly hasSimulatedNodes: boolean;
  /** etcd of the control plane, where it is known. */
  readonly etcd?: EtcdProvider | undefined;
  /** An update engine waits for the ClusterOperator of the pools. */
  readonly isOfRelease: boolean;
  /** Version of the release that this program belongs to. Default: its own. */
  readonly releaseVersion?: string | undefined;
}

/** Adds the controllers that update the nodes of pools; with `hasSimulatedNodes`, the agents of simulated nodes too. */
export function addNodeUpdates(
  manager: Manager,
  { version, hasSimulatedNodes, isOfRelease, etcd, releaseVersion = version }: NodeUpdates,
): void {
  addNodeDrains(manager);
  addMachineHook(manager, surgeHook);
  if (isOfRelease) addNodeConfig(manager, { version: releaseVersion });
  const delay = hasSimulatedNodes ? { delayMs: simulatedDelayMs } : {};
  addMachineConfigPools(manager, { version, releaseVersion, etcd, ...delay });
  if (!hasSimulatedNodes) return;
  const hosts = new SimulatedHosts(manager);
  addNodeAgent(manager, { hostOf: (node) => (isSimulated(node) ? hosts.hostOf(node) : undefined) });
}
