import { errorMessage, printableLine } from '../../../src/base/index.ts';
import { openKube, parseTarget, resolveTarget } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues, outputOption } from '../../command/index.ts';
import { readTree } from '../tree/installed-tree.ts';
import { formatTree } from '../tree/node.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof outputOption>;

const deadlineMs = 2 * 60_000;

/** `longshore tree bd/NAME|bundle/NAME`: 1 when some of it cannot be read. */
export async function tree(values: Values, [text]: readonly [string]): Promise<number> {
  const named = parseTarget(text, ['BundleDeployment', 'Bundle', 'ClusterExtension']);
  using kube = await openKube(values);
  const target = await resolveTarget(kube, named);
  const unreadable: string[] = [];
  const root = await readTree(
    {
      kube,
      signal: AbortSignal.timeout(deadlineMs),
      onUnreadable: ({ group, kind }, thrown) => {
        unreadable.push(`${kind}${group === '' ? '' : `.${group}`}: ${errorMessage(thrown)}`);
      },
    },
    target,
  );
  process.stdout.write(values.output === 'json' ? `${JSON.stringify(root)}\n` : formatTree(root, process.stdout));
  for (const line of unreadable) process.stderr.write(`longshore: cannot be shown: ${printableLine(line)}\n`);
  return unreadable.length === 0 ? 0 : 1;
}
