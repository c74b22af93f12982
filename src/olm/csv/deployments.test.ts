import { expect, test } from 'vitest';
import type { ClusterServiceVersion } from '../../api/index.ts';
import { type JsonObject, objectAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { podAnnotations } from '../../operators/index.ts';
import { checkDeployments } from './check-deployments.ts';
import { desiredDeployments } from './desired-deployments.ts';

const serving = { amend: (_: string, deployment: KubeObject) => deployment };

function csvOf(annotations: Record<string, string> = { note: 'n' }): ClusterServiceVersion {
  const template = {
    metadata: { annotations: { note: 'of the template', other: 'o' } },
    spec: { containers: [{ name: 'one', env: [{ name: 'X', value: '1' }] }, { name: 'two' }] },
  };
  const deployments = [{ name: 'boat', label: { color: 'blue' }, spec: { replicas: 1, template } }];
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'boat.v1', namespace: 'a', uid: 'uid', annotations },
    spec: { displayName: 'Boat', install: { strategy: 'deployment', spec: { deployments } } },
  };
}

function desired(csv = csvOf(), config?: JsonObject): KubeObject {
  const [first] = desiredDeployments(csv, { config, serving });
  if (first === undefined) throw new Error('no Deployment');
  return first;
}

function hashOf(deployment: KubeObject): string | undefined {
  return deployment.metadata.labels?.['olm.deployment-spec-hash'];
}

test('a Deployment has labels, owner, annotations and environment of its ClusterServiceVersion', () => {
  const { metadata, spec } = desired();
  expect(metadata).toMatchObject({
    namespace: 'a',
    labels: {
      color: 'blue',
      'olm.managed': 'true',
      'olm.owner': 'boat.v1',
      'olm.owner.namespace': 'a',
      'olm.owner.kind': 'ClusterServiceVersion',
    },
    ownerReferences: [{ uid: 'uid', controller: false, blockOwnerDeletion: false }],
  });
  const named = { name: 'OPERATOR_CONDITION_NAME', value: 'boat.v1' };
  expect(spec).toMatchObject({
    revisionHistoryLimit: 1,
    template: {
      metadata: { annotations: { note: 'n', other: 'o' } },
      spec: { containers: [{ env: [{ name: 'X', value: '1' }, named] }, { env: [named] }] },
    },
  });
});

test('the configuration cannot change the name of the OperatorCondition', () => {
  const env = [
    { name: 'OPERATOR_CONDITION_NAME', value: 'other' },
    { name: 'X', value: '2' },
  ];
  const containers = objectAt(desired(csvOf(), { env })['spec'] as JsonObject, 'template', 'spec')?.['containers'];
  expect(containers).toMatchObject([
    {
      env: [
        { name: 'X', value: '2' },
        { name: 'OPERATOR_CONDITION_NAME', value: 'boat.v1' },
      ],
    },
    {},
  ]);
});

test('containers get the proxy of the cluster, unless the Subscription decides about one of its variables', () => {
  const proxy = [
    { name: 'HTTP_PROXY', value: 'http://proxy' },
    { name: 'NO_PROXY', value: '.svc' },
  ];
  const envOf = (config?: JsonObject): unknown => {
    const [deployment] = desiredDeployments(csvOf(), { config, proxy, serving });
    const { containers } = objectAt(deployment?.['spec'] as JsonObject, 'template', 'spec') as {
      containers: { env: { name: string }[] }[];
    };
    return containers.map(({ env }) => env.filter(({ name }) => name !== 'OPERATOR_CONDITION_NAME'));
  };
  const own = { name: 'X', value: '1' };
  expect(envOf()).toEqual([[own, ...proxy], proxy]);
  const other = { name: 'Y', value: '2' };
  expect(envOf({ env: [other] })).toEqual([
    [own, other, ...proxy],
    [other, ...proxy],
  ]);
  const none = { name: 'HTTPS_PROXY', value: '' };
  expect(envOf({ env: [none] })).toEqual([[own, none], [none]]);
});

test('the hash changes with all that is applied, and with nothing else', () => {
  const csv = csvOf();
  const hash = hashOf(desired(csv));
  expect(hash).toMatch(/^longshore-[0-9a-z]{1,53}$/);
  const annotated = csvOf({ note: 'n', 'kubectl.kubernetes.io/last-applied-configuration': 'x' });
  expect(hashOf(desired(annotated))).toBe(hash);
  expect(hashOf(desired(csvOf({ note: 'm' })))).not.toBe(hash);
  expect(hashOf(desired(csv, { nodeSelector: { disk: 'ssd' } }))).not.toBe(hash);
  expect(hashOf(desired(csv, { annotations: { more: 'x' } }))).not.toBe(hash);
});

type Change = (live: KubeObject) => KubeObject;

const isTrue = (type: string) => ({ type, status: 'True' });

function installed(change: Change = (live) => live): KubeObject {
  const deployment = desired();
  return change({
    ...deployment,
    metadata: { ...deployment.metadata, generation: 2 },
    status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, conditions: [isTrue('Available')] },
  });
}

const withStatus =
  (status: JsonObject): Change =>
  (live) => ({ ...live, status: { ...(live['status'] as JsonObject), ...status } });
const withMetadata =
  (metadata: JsonObject): Change =>
  (live) => ({ ...live, metadata: { ...live.metadata, ...metadata } });
const withAnnotations =
  (annotations: JsonObject): Change =>
  (live) => ({ ...live, spec: { template: { metadata: { annotations } } } });

test.each<[string, Change | undefined, string]>([
  ['is there', (live) => live, 'Healthy'],
  ['is missing', undefined, 'Waiting: missing deployment with name=boat'],
  ['is being deleted', withMetadata({ deletionTimestamp: 'x' }), 'Waiting: missing deployment with name=boat'],
  ['has no annotations', withAnnotations({}), 'Outdated: no annotations found on deployment'],
  [
    'lacks an annotation',
    withAnnotations({ other: 'o' }),
    'Outdated: annotations on deployment does not contain expected key: note',
  ],
  [
    'has another annotation',
    withAnnotations({ note: 'x' }),
    'Outdated: unexpected annotation on deployment. Expected note:n, found note:x',
  ],
  ['has no hash', withMetadata({ labels: {} }), "Outdated: deployment boat doesn't have a spec hash, update it"],
  [
    'has another hash',
    withMetadata({ labels: { 'olm.deployment-spec-hash': 'x' } }),
    `Outdated: deployment changed old hash=x, new hash=${hashOf(desired())}`,
  ],
  [
    'belongs to no one',
    withMetadata({ ownerReferences: [] }),
    'Outdated: deployment boat is not owned by the ClusterServiceVersion',
  ],
  [
    'is not observed',
    withStatus({ observedGeneration: 1 }),
    'Waiting: waiting for spec update of deployment "boat" to be observed...',
  ],
  [
    'is past its deadline',
    withStatus({ conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] }),
    'Unrecoverable: deployment boat not ready before timeout: deployment "boat" exceeded its progress deadline',
  ],
  [
    'has old replicas',
    withStatus({ replicas: 3 }),
    'Waiting: waiting for deployment boat to become ready: deployment "boat" waiting for 2 outdated replica(s) to be terminated',
  ],
  [
    'is not available',
    withStatus({ conditions: [{ type: 'Available', status: 'False', message: 'too few' }] }),
    'Waiting: waiting for deployment boat to become ready: deployment "boat" not available: too few',
  ],
])('a Deployment that %s', (_, change, expected) => {
  const live = change === undefined ? undefined : installed(change);
  const health = checkDeployments({
    uid: 'uid',
    desired: [desired()],
    live: () => live,
    owned: ['boat'],
    podAnnotations: podAnnotations(csvOf()),
  });
  expect('message' in health ? `${health.state}: ${health.message}` : health.state).toBe(expected);
});

test('a Deployment that is not listed any more is noticed', () => {
  const facts = { uid: 'uid', desired: [], live: () => undefined, owned: ['oar'], podAnnotations: {} };
  expect(checkDeployments(facts)).toEqual({
    state: 'Outdated',
    message: 'deployment oar is no longer part of the install strategy',
  });
});
