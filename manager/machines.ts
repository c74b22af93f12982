import type { Manager } from '../src/controller/index.ts';
import {
  type Actuator,
  addMachineHealthChecks,
  addMachineHook,
  addMachineSets,
  addMachines,
  addNodeLink,
  askByHttp,
  askByProgram,
  EtcdProvider,
  ExternalProvider,
  logFlushHook,
  type MachineHook,
  orderedDrainHook,
  quorumHook,
  replacementHook,
  SimulatedProvider,
  volumeDetachHook,
} from '../src/machines/index.ts';
import { addNodeUpdates } from './node-updates.ts';
import type { MachinesSettings, ReadyHook } from './settings.ts';

function actuatorOf({ kube, clock }: Manager, { provider }: MachinesSettings): Actuator {
  if (provider === undefined) return new SimulatedProvider({ kube, clock });
  return new ExternalProvider('url' in provider ? askByHttp(provider) : askByProgram(provider));
}

const readyHooks: Readonly<Record<Exclude<ReadyHook['name'], 'log-flush'>, MachineHook>> = {
  replacement: replacementHook,
  'ordered-drain': orderedDrainHook,
  'volume-detach': volumeDetachHook,
};

function hooksOf({ hooks, etcd }: MachinesSettings, provider: EtcdProvider | undefined): readonly MachineHook[] {
  const chosen = hooks.map((hook) =>
    hook.name === 'log-flush' ? logFlushHook(hook.delaySeconds) : readyHooks[hook.name],
  );
  if (etcd === undefined || provider === undefined) return chosen;
  return [...chosen, quorumHook({ provider, desiredVoters: etcd.desiredMembers })];
}

/** Adds the controllers of machines. A new one is added here. */
export function addMachineControllers(
  manager: Manager,
  settings: MachinesSettings & { readonly version: string; readonly hasClusterVersion: boolean },
): void {
  const { deleteAnnotation, version, releaseVersion, provider, hasClusterVersion } = settings;
  addMachines(manager, { actuator: actuatorOf(manager, settings), settings: { deleteAnnotation } });
  addMachineSets(manager);
  addMachineHealthChecks(manager);
  addNodeLink(manager);
  const etcd = settings.etcd && new EtcdProvider(settings.etcd);
  for (const hook of hooksOf(settings, etcd)) addMachineHook(manager, hook);
  const isOfRelease = hasClusterVersion || releaseVersion !== undefined;
  addNodeUpdates(manager, { version, releaseVersion, isOfRelease, hasSimulatedNodes: provider === undefined, etcd });
}
