import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorMessage, readProxySettings, systemClock, TerminalError } from '../../src/base/index.ts';
import { type ClusterAccess, createKubeClient, type KubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import type { kubeconfigOption, OptionValues } from '../command/index.ts';

type Values = OptionValues<typeof kubeconfigOption>;

/** The kubeconfig of `--kubeconfig`, `KUBECONFIG` or `~/.kube/config`.
 *  @throws TerminalError InvalidKubeconfig, naming the file */
export async function readAccess(values: Values): Promise<ClusterAccess> {
  const path = values.kubeconfig ?? join(homedir(), '.kube', 'config');
  try {
    return await loadClusterAccess({ path }, readProxySettings(process.env));
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'no such file; name the kubeconfig of the cluster with --kubeconfig' : errorMessage(thrown);
    throw new TerminalError('InvalidKubeconfig', `${path}: ${why}`, { cause: thrown });
  }
}

/** A client of that cluster; nothing is sent yet. */
export async function openKube(values: Values): Promise<KubeClient & Disposable> {
  const kube = createKubeClient({ access: await readAccess(values), clock: systemClock });
  return { ...kube, [Symbol.dispose]: () => kube.close() };
}
