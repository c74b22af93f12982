/** `longshore/machine-hooks`: for programs that have work to do in the deletion of machines.
 *  @see docs/machine-hooks.md */
export type {
  ApiObject,
  ApiRef,
  ApiTarget,
  HookApi,
  HookCall,
  HookedMachine,
  HookWait,
  MachineHook,
} from './definition.ts';
export { type RunOptions, removeMachineHook, runMachineHook } from './run.ts';
