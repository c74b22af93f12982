import type { InstallPlanStep } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';
import type { KubeClient, WriteOptions } from '../../kube/index.ts';
import type { PlanRun } from './run.ts';

/** One step of a plan that is applied. */
export interface StepRun {
  readonly run: PlanRun;
  readonly step: InstallPlanStep;
  /** Of the plan. */
  readonly namespace: string;
  /** With the permissions that the plan may use. */
  readonly kube: KubeClient;
  readonly write: WriteOptions;
  readonly signal: AbortSignal;
}

/** No later attempt helps. */
const invalidPlan = 'InvalidInstallPlan';

/** What is wrong with a plan, whatever the cluster is like. */
export function invalidStep({ resource }: InstallPlanStep, problem: string): TerminalError {
  const text = `the InstallPlan contains invalid data: step ${resource.kind} "${resource.name}": ${problem}`;
  return new TerminalError(invalidPlan, text);
}

/** Whether another attempt is useless. */
export function isInvalidStep(thrown: unknown): boolean {
  return thrown instanceof TerminalError && thrown.reason === invalidPlan;
}
