import { type DrainablePod, neverAllows } from '../../src/drain/index.ts';
import { formatTable } from '../output/index.ts';
import type { DrainView } from './drain-facts.ts';

const columns = ['STEP', 'POD', 'HELD BY', 'NOTE'];

const titleOf = ({ namespace, name }: DrainablePod): string => `${namespace}/${name}`;

function heldBy(pod: DrainablePod, view: DrainView): string {
  const budgets = view.budgetsOf(pod);
  if (budgets.length > 1) return `${budgets.length} budgets: the API server refuses evictions`;
  const [budget] = budgets;
  if (budget === undefined || budget.disruptionsAllowed > 0) return '';
  return `budget ${budget.name}${neverAllows(budget) ? ', which never allows a disruption' : ''}`;
}

/** `2 pods leave, 1 of them is held, 3 stay`, then each of them. */
export function planText(name: string, view: DrainView): string {
  const { steps, staying, refused } = view.plan;
  const leaving = steps.flatMap((pods, index) =>
    pods.map(({ pod, warning = '' }) => [String(index + 1), titleOf(pod), heldBy(pod, view), warning]),
  );
  const others = [...staying, ...refused].map(({ pod, reason }) => ['stays', titleOf(pod), '', reason]);
  const held = leaving.filter(([, , by]) => by !== '').length;
  const counts = `${leaving.length} pods leave node ${name}, ${held} of them held, ${others.length} stay\n`;
  const rows = [...leaving, ...others];
  return rows.length === 0 ? counts : `${counts}\n${formatTable(columns, rows)}`;
}
