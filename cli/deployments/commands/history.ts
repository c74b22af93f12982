import { apiVersion } from '../../../src/api/index.ts';
import { type Revision, revisionsOf } from '../../../src/installations/index.ts';
import { openKube, parseTarget, resolveTarget } from '../../client/index.ts';
import { type documentOption, type kubeconfigOption, type OptionValues, printDocument } from '../../command/index.ts';
import { formatTable } from '../../output/index.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof documentOption>;

const columns = ['REVISION', 'INSTALLED', 'VERSION', 'BUNDLE', 'SOURCE'];

function rowOf({ revision, installedAt, version, bundle, source }: Revision): readonly string[] {
  return [String(revision), installedAt, version, bundle, source];
}

/** `longshore history NAME` */
export async function history(values: Values, [text]: readonly [string]): Promise<number> {
  const named = parseTarget(text, ['BundleDeployment', 'ClusterExtension']);
  using kube = await openKube(values);
  const target = await resolveTarget(kube, named);
  const revisions = revisionsOf(await kube.get({ apiVersion, ...target }));
  printDocument(values, revisions, () => (revisions.length === 0 ? '' : formatTable(columns, revisions.map(rowOf))));
  if (revisions.length === 0 && values.output === 'text') {
    process.stderr.write(`${named.kind.toLowerCase()} "${named.name}" has no recorded revision yet\n`);
  }
  return 0;
}
