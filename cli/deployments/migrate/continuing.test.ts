import { expect, test } from 'vitest';
import type { KubeClient, KubeObject, ListTarget } from '../../../src/kube/index.ts';
import { continuing } from './continuing.ts';
import { readSubscribed } from './subscribed.ts';

const apiVersion = 'operators.coreos.com/v1alpha1';
const subscription = {
  apiVersion,
  kind: 'Subscription',
  metadata: { namespace: 'team', name: 'web' },
  spec: { name: 'web', source: 'catalog', sourceNamespace: 'team' },
  status: { installedCSV: 'web.v1', currentCSV: 'web.v1', lastUpdated: '2026-01-01T00:00:00Z' },
};
const csv = {
  apiVersion,
  kind: 'ClusterServiceVersion',
  metadata: { namespace: 'team', name: 'web.v1' },
  spec: { version: '1.0.0', displayName: 'Web', install: { strategy: 'deployment' } },
  status: { phase: 'Succeeded' },
};

/** A cluster whose namespace has this OperatorGroup. */
function clusterWith(group: object): KubeClient {
  const items = (target: ListTarget): unknown[] =>
    target.kind === 'Subscription'
      ? [subscription]
      : [{ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata: { name: 'g' }, ...group }];
  const cluster = {
    list: (target: ListTarget) => Promise.resolve({ items: items(target) }),
    get: () => Promise.resolve(csv as unknown as KubeObject),
  };
  return cluster as unknown as KubeClient;
}

async function configFor(group: object): Promise<unknown> {
  const subscribed = await readSubscribed(clusterWith(group), 'team', 'web');
  const image = 'registry.example/web@sha256:0';
  return (continuing(subscribed, { name: 'web', image, platform: undefined })['spec'] as { config: unknown }).config;
}

test('an operator that was installed with the permissions of an account is continued with them', async () => {
  const status = { namespaces: ['team'], lastUpdated: '2026-01-01T00:00:00Z' };
  expect(await configFor({ spec: { serviceAccountName: 'installer' }, status })).toMatchObject({
    installNamespace: 'team',
    serviceAccount: { namespace: 'team', name: 'installer' },
  });
  expect(await configFor({ spec: {}, status })).not.toHaveProperty('serviceAccount');
});
