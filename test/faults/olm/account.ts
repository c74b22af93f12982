import { type Stage, writeKubeconfig } from './stage.ts';

const account = { namespace: 'olm', name: 'controllers' };
const rbac = 'rbac.authorization.k8s.io';

/** Whose requests those of the controllers are. */
export interface ControllersAccount {
  readonly user: string;
  readonly kubeconfigPath: string;
}

/** Makes a service account for controllers, which may do everything, so that faults can meet their requests and no others. */
export async function makeAccount(stage: Stage): Promise<ControllersAccount> {
  const { client, url, caCertificatePem } = stage.server;
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  await client.create({
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: account.name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  const { text } = await client.request({
    method: 'POST',
    path: `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
  });
  const { status } = JSON.parse(text) as { status: { token: string } };
  const certificate = Buffer.from(caCertificatePem).toString('base64');
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': certificate } }],
    users: [{ name: 'u', user: { token: status.token } }],
  };
  const kubeconfigPath = await writeKubeconfig(stage, 'kubeconfig-of-account', JSON.stringify(kubeconfig));
  return { user: `system:serviceaccount:${account.namespace}:${account.name}`, kubeconfigPath };
}
