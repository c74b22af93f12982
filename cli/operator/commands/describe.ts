import { explainOperator, formatProgress, type InstalledOperator } from '../../../src/installations/index.ts';
import { openKube } from '../../client/index.ts';
import { type documentOption, type kubeconfigOption, type OptionValues, printDocument } from '../../command/index.ts';
import { findSubscription, operatorOf } from '../objects.ts';
import { describePlan } from '../plan-text.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof documentOption> & { readonly namespace: string };

function installedText({ subscription, csv }: InstalledOperator): string {
  const version = csv?.spec.version;
  return `${subscription.status?.installedCSV ?? 'nothing'}${version === undefined ? '' : ` (version ${version})`}`;
}

function headOf(operator: InstalledOperator): readonly string[] {
  const { metadata, spec } = operator.subscription;
  const owned = operator.csv?.spec.customresourcedefinitions?.owned ?? [];
  const provided = owned.map(({ kind, version }) => `${kind} ${version}`).join(', ');
  return [
    `Package:       ${spec.name} (${spec.channel ?? 'default channel'}) of ${spec.sourceNamespace}/${spec.source}`,
    `Subscription:  ${metadata.namespace}/${metadata.name}, approval ${spec.installPlanApproval ?? 'Automatic'}`,
    `Installed:     ${installedText(operator)}`,
    ...(provided === '' ? [] : [`Provides:      ${provided}`]),
  ];
}

function textOf(operator: InstalledOperator): string {
  const progress = explainOperator(operator);
  const { plan } = operator;
  const isPending = progress.state === 'approval' && plan !== undefined;
  const pending = isPending ? `\nThe plan installs:\n${describePlan(plan)}` : '';
  return `${headOf(operator).join('\n')}\n\n${formatProgress(progress)}\n${pending}`;
}

/** `longshore operator describe` */
export async function describe(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  const operator = await operatorOf(kube, await findSubscription(kube, values.namespace, name));
  printDocument(values, { ...operator, progress: explainOperator(operator) }, () => textOf(operator));
  return 0;
}
