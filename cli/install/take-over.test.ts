import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { listOfTexts, objectAt, objectsAt, systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { eventually } from '../../test/support/index.ts';
import { readManifests } from './manifests.ts';
import { assertNoOtherOlm, findOtherOlm, withOlm } from './olm.ts';
import { globalNamespaceOfOther, leftOfOtherOlm, stopOtherOlm, type TakeOverOptions } from './take-over.ts';

const user = { fieldManager: 'user' };
const namespace = 'olm-system';
const account = 'olm-operator-serviceaccount';
const { signal } = new AbortController();

let server: ApiServer;
let kube: KubeClient;
const printed: string[] = [];

beforeAll(async () => {
  server = await startApiServer();
  kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
  for (const name of ['olm-operator', 'catalog-operator']) await kube.create(program(name), user);
  await kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: account } }, user);
  await kube.create(
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'olm-operator-binding' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace, name: account }],
    },
    user,
  );
  const labels = { 'olm.catalogSource': 'shop' };
  const registry = {
    metadata: { namespace, name: 'shop-x', labels },
    spec: { containers: [{ name: 'r', image: 'r' }] },
  };
  await kube.create({ apiVersion: 'v1', kind: 'Pod', ...registry }, user);
  await eventually(async () => expect(await pods()).toHaveLength(3));
});

afterAll(async () => {
  kube.close();
  await server.stop();
});

function program(name: string): KubeObject {
  const labels = { app: name };
  const container = { name, image: 'registry.example/olm', args: ['-namespace', 'market', '-util-image', 'x'] };
  const template = { metadata: { labels }, spec: { serviceAccountName: account, containers: [container] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name }, spec };
}

async function pods(): Promise<readonly KubeObject[]> {
  return (await kube.list({ apiVersion: 'v1', kind: 'Pod', namespace })).items;
}

function options(isDryRun: boolean): TakeOverOptions {
  const print = (line: string): void => void printed.push(line);
  return { kube, isDryRun, isConfirmed: true, timeoutMs: 60_000, signal, print };
}

test('another installation is stopped before ours works, its objects stay, and what is left is named', async () => {
  await expect(assertNoOtherOlm(kube, signal)).rejects.toThrow('--take-over');
  await stopOtherOlm(options(true));
  expect(await findOtherOlm(kube, signal)).toHaveLength(2);
  await stopOtherOlm(options(false));
  expect(await pods()).toHaveLength(1);
  await assertNoOtherOlm(kube, signal);
  expect(printed).toContain('deployment.apps/olm-operator scaled to 0');
  expect(await leftOfOtherOlm(kube, signal)).toEqual([
    `kubectl delete deployment olm-operator -n ${namespace}`,
    `kubectl delete deployment catalog-operator -n ${namespace}`,
    'kubectl delete clusterrolebinding olm-operator-binding',
    `kubectl delete serviceaccount ${account} -n ${namespace}`,
    `kubectl delete pods,services,networkpolicies,serviceaccounts -n ${namespace} -l olm.catalogSource`,
  ]);
});

test('the namespace of its global catalogs stays the one', async () => {
  const name = await globalNamespaceOfOther(kube, signal);
  expect(name).toBe('market');
  const manifests = (await readManifests('self-signed')) as unknown as KubeObject[];
  const core = (await withOlm(manifests, name)).find(({ kind, metadata }) => {
    return kind === 'Deployment' && metadata.name === 'core';
  });
  const containers = objectsAt(objectAt(core as never, 'spec', 'template', 'spec'), 'containers');
  expect(containers.flatMap((one) => listOfTexts(one, 'args'))).toContain('--olm-namespace=market');
});
