import { readFile } from 'node:fs/promises';
import { defaultSystemNamespace } from '../../src/api/index.ts';
import { errorMessage, readProxySettings, TerminalError } from '../../src/base/index.ts';
import { type ClusterAccess, type KubeconfigSource, loadClusterAccess } from '../../src/kube/index.ts';

const namespacePath = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

function sourceOf(kubeconfigPath: string | undefined): KubeconfigSource {
  if (kubeconfigPath !== undefined) return { path: kubeconfigPath };
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  if (host === undefined || host === '') {
    const text =
      'this process is no pod of a cluster (KUBERNETES_SERVICE_HOST is not set): name one with --kubeconfig FILE';
    throw new TerminalError('InvalidOption', text);
  }
  return { inCluster: { server: `https://${host.includes(':') ? `[${host}]` : host}:${port}` } };
}

/** The cluster of `--kubeconfig`, or the one that this process is a pod of, by the service account that is mounted into it.
 *  @throws TerminalError InvalidOption */
export async function accessOwnCluster(kubeconfigPath: string | undefined): Promise<ClusterAccess> {
  const source = sourceOf(kubeconfigPath);
  try {
    return await loadClusterAccess(source, readProxySettings(process.env));
  } catch (thrown) {
    const what = kubeconfigPath === undefined ? 'the service account of this pod' : `--kubeconfig ${kubeconfigPath}`;
    throw new TerminalError('InvalidOption', `${what}: ${errorMessage(thrown)}`, { cause: thrown });
  }
}

/** That of this pod, else the default. */
export async function ownNamespace(): Promise<string> {
  try {
    return (await readFile(namespacePath, 'utf8')).trim() || defaultSystemNamespace;
  } catch {
    return defaultSystemNamespace;
  }
}
