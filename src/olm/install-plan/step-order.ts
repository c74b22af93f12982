import type { InstallPlanStep } from '../../api/index.ts';

/** Indexes of steps, in their order. */
type Lane = readonly number[];

/** Steps that may be applied at the same time: those of one lane one after the other. */
export type Stage = readonly Lane[];

function stageOf({ resource }: InstallPlanStep): string {
  const { kind } = resource;
  return kind === 'ClusterServiceVersion' || kind === 'CustomResourceDefinition' ? kind : 'objects';
}

function identityOf({ resource }: InstallPlanStep): string {
  const { group, kind, name } = resource;
  return JSON.stringify([group, kind, name]);
}

/** Operators and definitions do not depend on one another; further objects of one bundle may. */
function laneOf(step: InstallPlanStep): string {
  return stageOf(step) === 'objects' ? step.resolving : identityOf(step);
}

function lanesOf(steps: readonly InstallPlanStep[], indexes: Lane): Stage {
  const chosen = indexes.flatMap((index) => steps[index] ?? []);
  // Bundles that list the same object have it applied in the order of the plan.
  if (new Set(chosen.map(identityOf)).size < chosen.length) return [indexes];
  const lanes = Map.groupBy(indexes, (index) => {
    const step = steps[index];
    return step === undefined ? '' : laneOf(step);
  });
  return [...lanes.values()];
}

/** The order in which the steps of a plan are applied: stage after stage, so that a plan for many operators does not take as long as many plans.
 *  @see docs/spec/olm-v0.md#install-plans */
export function stagesOf(steps: readonly InstallPlanStep[]): readonly Stage[] {
  const stages: { readonly name: string; readonly indexes: number[] }[] = [];
  for (const [index, step] of steps.entries()) {
    const name = stageOf(step);
    const last = stages.at(-1);
    if (last?.name === name) last.indexes.push(index);
    else stages.push({ name, indexes: [index] });
  }
  return stages.map(({ indexes }) => lanesOf(steps, indexes));
}
