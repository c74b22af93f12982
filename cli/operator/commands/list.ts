import { mapLimit } from '../../../src/base/index.ts';
import { explainOperator, type InstalledOperator } from '../../../src/installations/index.ts';
import { openKube } from '../../client/index.ts';
import { type documentOption, type kubeconfigOption, type OptionValues, printDocument } from '../../command/index.ts';
import { ageOf, formatTable } from '../../output/index.ts';
import { listSubscriptions, operatorOf } from '../objects.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof documentOption> & {
  readonly namespace: string | undefined;
  readonly 'all-namespaces': boolean;
};

const parallelReads = 8;

function documentOf(operator: InstalledOperator): Readonly<Record<string, string>> {
  const { metadata, spec, status } = operator.subscription;
  const { state, object, text } = explainOperator(operator);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    package: spec.name,
    channel: spec.channel ?? '',
    installed: status?.installedCSV ?? '',
    state,
    message: `${object}: ${text}`,
    createdAt: metadata.creationTimestamp ?? '',
  };
}

const columns = ['NAMESPACE', 'PACKAGE', 'SUBSCRIPTION', 'CHANNEL', 'INSTALLED', 'STATE', 'AGE'];

/** `longshore operator list` */
export async function list(values: Values): Promise<number> {
  using kube = await openKube(values);
  const subscriptions = await listSubscriptions(kube, values['all-namespaces'] ? undefined : values.namespace);
  const operators = await mapLimit(subscriptions, parallelReads, (one) => operatorOf(kube, one));
  const documents = operators.map(documentOf);
  const row = (one: Readonly<Record<string, string>>): string[] => [
    one['namespace'] ?? '',
    one['package'] ?? '',
    one['name'] ?? '',
    one['channel'] ?? '',
    one['installed'] ?? '',
    one['state'] ?? '',
    ageOf(one['createdAt'] ?? '', Date.now()),
  ];
  printDocument(values, documents, () => (documents.length === 0 ? '' : formatTable(columns, documents.map(row))));
  if (documents.length === 0 && values.output === 'text') process.stderr.write('there are no Subscriptions\n');
  return 0;
}
