import type { ClusterClient } from '../../apiserver/index.ts';

const namespace = 'olm';
const account = 'olm-operator-serviceaccount';
const role = 'system:controller:operator-lifecycle-manager';
const rbac = 'rbac.authorization.k8s.io';

/** Creates what the real Operator Lifecycle Manager is installed with, as far as it matters to who replaces it. Its images are not run. */
export async function installOtherOlm(client: ClusterClient): Promise<void> {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace } });
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  await client.create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: role }, rules });
  await client.create({
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'olm-operator-binding-olm' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
  });
  for (const name of ['olm-operator', 'catalog-operator']) {
    const labels = { app: name };
    const containers = [{ name, image: 'registry.example/olm', args: ['-namespace', namespace] }];
    const template = { metadata: { labels }, spec: { serviceAccountName: account, containers } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await client.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace, labels }, spec });
  }
}
