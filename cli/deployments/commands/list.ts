import { styleText } from 'node:util';
import { bundleDeploymentResource } from '../../../src/api/index.ts';
import { type DeploymentFacts, deploymentFacts } from '../../../src/installations/index.ts';
import { openKube } from '../../client/index.ts';
import { type documentOption, type kubeconfigOption, type OptionValues, printDocument } from '../../command/index.ts';
import { ageOf, formatTable } from '../../output/index.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof documentOption>;

const columns = ['NAME', 'VERSION', 'REVISION', 'STATE', 'AGE', 'SOURCE'];

function rowOf(facts: DeploymentFacts, nowMs: number): readonly string[] {
  const { name, version, revision, state, createdAt, source } = facts;
  return [name, version, revision === 0 ? '' : String(revision), state, ageOf(createdAt, nowMs), source];
}

function textOf(list: readonly DeploymentFacts[]): string {
  if (list.length === 0) return '';
  const table = formatTable(
    columns,
    list.map((facts) => rowOf(facts, Date.now())),
  );
  const [head = '', ...rows] = table.split('\n');
  return [styleText('bold', head, { stream: process.stdout }), ...rows].join('\n');
}

/** `longshore list` */
export async function list(values: Values): Promise<number> {
  using kube = await openKube(values);
  const { items } = await kube.list(bundleDeploymentResource);
  const facts = items.map(deploymentFacts);
  printDocument(values, facts, () => textOf(facts));
  if (facts.length === 0 && values.output === 'text') process.stderr.write('there are no BundleDeployments\n');
  return 0;
}
