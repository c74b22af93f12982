import { afterAll, beforeAll, expect, test } from 'vitest';
import { crd, csv } from '../../../test/olm/objects.ts';
import { eventually } from '../../../test/support/index.ts';
import {
  type OperatorCluster,
  operatorKinds,
  startOperatorCluster,
  type World,
} from '../../../test/support/operator-world.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { KubeClient } from '../../kube/index.ts';
import { addClusterServiceVersions } from './controller.ts';

const proxyKind = { apiVersion: 'config.openshift.io/v1', kind: 'Proxy' };
const succeeded = 'Succeeded/InstallSucceeded';
const user = { fieldManager: 'test' };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'proxies.config.openshift.io',
    annotations: { 'api-approved.kubernetes.io': 'https://example.com' },
  },
  spec: {
    group: 'config.openshift.io',
    names: { kind: 'Proxy', plural: 'proxies' },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

let cluster: OperatorCluster;

beforeAll(async () => {
  cluster = await startOperatorCluster((manager) => addClusterServiceVersions(manager));
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function variablesOf(at: World): Promise<Record<string, string>> {
  const spec = objectAt((await at.deployment()) as JsonObject, 'spec', 'template', 'spec');
  const env = objectsAt(spec, 'containers').flatMap((container) => objectsAt(container, 'env'));
  const shown = env.filter(({ name }) => name !== 'OPERATOR_CONDITION_NAME');
  return Object.fromEntries(shown.map((variable) => [textAt(variable, 'name'), textAt(variable, 'value')]));
}

async function setProxy(kube: KubeClient, status: JsonObject): Promise<void> {
  const ref = { ...proxyKind, name: 'cluster' };
  await kube.patch(ref, { status }, { ...user, subresource: 'status' });
}

test('operators follow the proxy of the cluster, from when its kind is defined until it is deleted', async () => {
  const at = await cluster.world('proxied');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  expect(await variablesOf(at)).toEqual({});

  await cluster.kube.create(definition, user);
  await eventually(() => cluster.kube.create({ ...proxyKind, metadata: { name: 'cluster' } }, user));
  await cluster.kube.create({ ...proxyKind, metadata: { name: 'other' } }, user);
  await setProxy(cluster.kube, { httpProxy: 'http://proxy:3128', noProxy: '.svc' });
  await eventually(async () => {
    expect(await variablesOf(at)).toEqual({ HTTP_PROXY: 'http://proxy:3128', NO_PROXY: '.svc' });
  });
  await at.reaches(succeeded);

  await setProxy(cluster.kube, { httpProxy: 'http://proxy:8080', httpsProxy: 'http://proxy:8080' });
  await eventually(async () => {
    const both = { HTTP_PROXY: 'http://proxy:8080', HTTPS_PROXY: 'http://proxy:8080', NO_PROXY: '.svc' };
    expect(await variablesOf(at)).toEqual(both);
  });

  await cluster.kube.delete({ ...operatorKinds.definition, name: definition.metadata.name });
  await eventually(async () => expect(await variablesOf(at)).toEqual({}));
  await at.reaches(succeeded);
});

test('a proxy that exists already is in the first rollout', async () => {
  const prepare = async (kube: KubeClient): Promise<void> => {
    await kube.create(definition, user);
    await eventually(() => kube.create({ ...proxyKind, metadata: { name: 'cluster' } }, user));
    await setProxy(kube, { httpsProxy: 'http://proxy:3128' });
  };
  await using started = await startOperatorCluster((manager) => addClusterServiceVersions(manager), prepare);
  const at = await started.world('first');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  expect(await variablesOf(at)).toEqual({ HTTPS_PROXY: 'http://proxy:3128' });
  expect((await at.deployment()).metadata.generation).toBe(1);
});
