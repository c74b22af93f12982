import { bundleDeploymentResource, bundleResource, clusterExtensionResource } from '../../../src/api/index.ts';
import { TerminalError, withDeadline } from '../../../src/base/index.ts';
import type { KubeClient, ListTarget } from '../../../src/kube/index.ts';
import { openKube } from '../../client/index.ts';
import type { Command } from '../../command/index.ts';
import { complete, completionScript, type NameRequest, optionValue } from '../complete.ts';

const deadlineMs = 2000;
/** Shells get nothing else, whatever a server sends. */
const harmless = /^[a-z0-9][a-z0-9.-]*$/;

/** `longshore completion SHELL` */
export async function completion([shell]: readonly [string]): Promise<number> {
  const script = completionScript(shell);
  if (script === undefined) {
    throw new TerminalError('InvalidOption', `completion: expected bash, zsh or fish, found "${shell}"`);
  }
  process.stdout.write(script);
  return await Promise.resolve(0);
}

const resources: Readonly<Record<NameRequest['kind'], ListTarget>> = {
  Bundle: bundleResource,
  BundleDeployment: bundleDeploymentResource,
  ClusterExtension: clusterExtensionResource,
};

/** None of a kind that the cluster does not have, or that the user may not list: the names of the others are still of use. */
async function namesIn(
  kube: KubeClient,
  { kind, prefix }: NameRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const { items } = await kube.list({ ...resources[kind], isMetadataOnly: true }, { signal });
    const names = items.map(({ metadata }) => metadata.name ?? '');
    return names.filter((name) => harmless.test(name)).map((name) => `${prefix}${name}`);
  } catch {
    return [];
  }
}

async function namesOf(requests: readonly NameRequest[], kubeconfig: string | undefined): Promise<readonly string[]> {
  using kube = await openKube({ kubeconfig });
  return await withDeadline('names', { deadlineMs }, async (signal) => {
    const lists = await Promise.all(requests.map((request) => namesIn(kube, request, signal)));
    return lists.flat();
  });
}

/** `longshore __complete WORDS`: for the scripts. The first line is what follows: `words`, one a line, or `files` or
 *  `folders`, which the shell completes itself. A cluster that does not answer adds no names; that is not reported. */
export async function completeWords(commands: readonly Command[], words: readonly string[]): Promise<number> {
  const found = complete(commands, words);
  const kubeconfig = optionValue(words, 'kubeconfig') ?? process.env['KUBECONFIG'];
  const names = found.names.length === 0 ? [] : await namesOf(found.names, kubeconfig).catch(() => []);
  const lines = [found.paths === 'none' ? 'words' : found.paths, ...found.words, ...names];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
