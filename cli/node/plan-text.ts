import { type DrainablePod, describeDecidedBy, type LeavingPod, neverAllows } from '../../src/drain/index.ts';
import { formatTable } from '../output/index.ts';
import type { DrainView } from './drain-facts.ts';

const columns = ['STEP', 'POD', 'HELD BY', 'NOTE'];

const titleOf = ({ namespace, name }: DrainablePod): string => `${namespace}/${name}`;

function heldBy({ pod, awaitedBy }: LeavingPod, view: DrainView): string {
  if (awaitedBy !== undefined) return `${describeDecidedBy(awaitedBy)}, until it has completed`;
  const budgets = view.budgetsOf(pod);
  if (budgets.length > 1) return `${budgets.length} budgets: the API server refuses evictions`;
  const [budget] = budgets;
  if (budget === undefined || budget.disruptionsAllowed > 0) return '';
  return `budget ${budget.name}${neverAllows(budget) ? ', which never allows a disruption' : ''}`;
}

/** `2 pods leave, 1 of them is held, 3 stay`, then each of them. */
export function planText(name: string, view: DrainView): string {
  const { steps, staying, refused } = view.plan;
  const going = steps.flatMap((pods, index) =>
    pods.map((leaving) => [String(index + 1), titleOf(leaving.pod), heldBy(leaving, view), leaving.warning ?? '']),
  );
  const others = [...staying, ...refused].map(({ pod, reason }) => ['stays', titleOf(pod), '', reason]);
  const held = going.filter(([, , by]) => by !== '').length;
  const counts = `${going.length} pods leave node ${name}, ${held} of them held, ${others.length} stay\n`;
  const rows = [...going, ...others];
  return rows.length === 0 ? counts : `${counts}\n${formatTable(columns, rows)}`;
}
