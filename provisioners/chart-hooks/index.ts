/** Hooks of charts: objects that are created at certain times, waited for, and no part of what is installed. Main function: `runHooks`. */
export type { HookRun } from './hook-object.ts';
export { deleteHooks, type HookPhase, hooksOf, runHooks } from './run-hooks.ts';
