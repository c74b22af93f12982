import { openKube } from '../../client/index.ts';
import { type documentOption, type kubeconfigOption, type OptionValues, printDocument } from '../../command/index.ts';
import { explainOperator, formatProgress } from '../explain.ts';
import { findSubscription, type InstalledOperator, operatorOf } from '../objects.ts';
import { describePlan } from '../plan-text.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof documentOption> & { readonly namespace: string };

function textOf(operator: InstalledOperator): string {
  const { subscription, plan, csv } = operator;
  const { metadata, spec, status } = subscription;
  const progress = explainOperator(operator);
  const owned = csv?.spec.customresourcedefinitions?.owned ?? [];
  const lines = [
    `Package:       ${spec.name} (${spec.channel ?? 'default channel'}) of ${spec.sourceNamespace}/${spec.source}`,
    `Subscription:  ${metadata.namespace}/${metadata.name}, approval ${spec.installPlanApproval ?? 'Automatic'}`,
    `Installed:     ${status?.installedCSV ?? 'nothing'}${csv?.spec.version === undefined ? '' : ` (version ${csv.spec.version})`}`,
    ...(owned.length === 0
      ? []
      : [`Provides:      ${owned.map(({ kind, version }) => `${kind} ${version}`).join(', ')}`]),
    '',
    formatProgress(progress),
  ];
  const pending =
    progress.state === 'approval' && plan !== undefined ? `\nThe plan installs:\n${describePlan(plan)}` : '';
  return `${lines.join('\n')}\n${pending}`;
}

/** `longshore operator describe` */
export async function describe(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  const operator = await operatorOf(kube, await findSubscription(kube, values.namespace, name));
  printDocument(values, { ...operator, progress: explainOperator(operator) }, () => textOf(operator));
  return 0;
}
