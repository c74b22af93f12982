import type { JSX } from 'preact';
import type { Installation } from '../../../server/wire.ts';
import { useObjects } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { ActionDialog } from '../../ui/action.tsx';
import { Skeleton } from '../../ui/states.tsx';
import type { ApiObject } from './kinds.ts';

interface PlanStep {
  readonly resolving: string;
  readonly status: string;
  readonly resource: { readonly kind: string; readonly name: string; readonly group: string };
}

function stepsOf(plan: ApiObject | undefined): readonly PlanStep[] {
  return (plan?.status?.['plan'] ?? []) as readonly PlanStep[];
}

/** What a plan applies, and the button that approves it. */
export function PlanDialog({
  one,
  onClose,
}: {
  readonly one: Installation;
  readonly onClose: () => void;
}): JSX.Element {
  const watch = `objects operators.coreos.com/v1alpha1 InstallPlan ${one.namespace} ${one.pendingPlan}`;
  const plan = useObjects<ApiObject>(watch)[0]?.object;
  const steps = stepsOf(plan);
  const names = one.pendingBundles.join(', ');
  const byBundle = Map.groupBy(steps, ({ resolving }) => resolving);
  return (
    <ActionDialog
      title={texts.installation.plan}
      command="approve"
      body={{ plan: one.pendingPlan, namespace: one.namespace }}
      button={texts.installation.approveButton(names)}
      done={`${one.pendingPlan}: approved`}
      onClose={onClose}
      isWide
    >
      {plan === undefined ? (
        <Skeleton />
      ) : (
        <>
          <p>{texts.installation.planOf(steps.length)}</p>
          {[...byBundle].map(([bundle, list]) => (
            <div key={bundle} class="stack tight">
              <h3>{bundle}</h3>
              <div class="scroll" tabIndex={0} role="group" aria-label={bundle}>
                <table>
                  <tbody>
                    {list.map(({ resource, status }) => (
                      <tr key={`${resource.kind} ${resource.name}`}>
                        <td>{resource.kind}</td>
                        <td class="mono break">{resource.name}</td>
                        <td class="muted">{texts.installation.planStates[status] ?? status}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </div>
          ))}
        </>
      )}
    </ActionDialog>
  );
}
