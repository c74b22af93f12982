import type { Manager } from '../src/controller/index.ts';
import {
  type Actuator,
  addMachineHealthChecks,
  addMachineSets,
  addMachines,
  addNodeLink,
  askByHttp,
  askByProgram,
  ExternalProvider,
  SimulatedProvider,
} from '../src/machines/index.ts';
import type { MachinesSettings } from './settings.ts';

function actuatorOf({ kube, clock }: Manager, { provider }: MachinesSettings): Actuator {
  if (provider === undefined) return new SimulatedProvider({ kube, clock });
  return new ExternalProvider('url' in provider ? askByHttp(provider) : askByProgram(provider));
}

/** Adds the controllers of machines. A new one is added here. */
export function addMachineControllers(manager: Manager, settings: MachinesSettings): void {
  const { deleteAnnotation } = settings;
  addMachines(manager, { actuator: actuatorOf(manager, settings), settings: { deleteAnnotation } });
  addMachineSets(manager);
  addMachineHealthChecks(manager);
  addNodeLink(manager);
}
