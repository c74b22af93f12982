import type { Manager } from '../src/controller/index.ts';
import {
  addMachineHealthChecks,
  addMachineSets,
  addMachines,
  addNodeLink,
  SimulatedProvider,
} from '../src/machines/index.ts';

/** Adds the controllers of machines, which run on the simulated provider. A new one is added here. */
export function addSimulatedMachines(manager: Manager): void {
  const { kube, clock } = manager;
  addMachines(manager, { actuator: new SimulatedProvider({ kube, clock }) });
  addMachineSets(manager);
  addMachineHealthChecks(manager);
  addNodeLink(manager);
}
