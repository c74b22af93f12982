import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readClusterVersionCrds } from '../../cli/client/crds.ts';
import { clusterVersionResource, parseClusterVersion } from '../../src/api/index.ts';
import { parseYamlDocuments } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { eventually, freePort } from '../support/index.ts';
import { createClusterVersion } from '../support/release-cluster.ts';
import { writeRelease } from '../support/release-files.ts';
import { type OwnProcesses, openOwnProcesses, renew } from './own-processes.ts';

const patience = { timeoutMs: 90_000 };
const user = { fieldManager: 'test' };
let processes: OwnProcesses;
let kube: KubeClient;
beforeAll(async () => {
  processes = await openOwnProcesses();
  ({ kube } = processes);
  const files = ['base/core-roles.yaml', 'base/core-bindings.yaml', 'release/objects.yaml', 'release/permissions.yaml'];
  for (const object of await readClusterVersionCrds()) await kube.create(object as unknown as KubeObject, user);
  for (const file of files) {
    const text = await readFile(join('deploy', file), 'utf8');
    for (const object of parseYamlDocuments(file, text)) await kube.create(object as unknown as KubeObject, user);
  }
}, 120_000);
afterAll(() => processes[Symbol.asyncDispose]());

test('longshore controllers --release installs a release with the roles of the manifests', async () => {
  const release = await writeRelease(join(processes.folder, 'release'), {
    version: '1.0.0',
    manifests: {
      '0000_10_quay_00_namespace.yaml': { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quay' } },
      '0000_10_quay_01_role.yaml': {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'quay' },
        rules: [{ apiGroups: ['example.com'], resources: ['*'], verbs: ['*'] }],
      },
    },
  });
  await createClusterVersion(kube);
  const tlsDir = join(processes.folder, 'account-tls');
  await renew(tlsDir);
  const port = await freePort();
  await processes.startAs(await processes.kubeconfigOf('core-admin'), tlsDir, [
    'controllers',
    '--http-bind-address',
    `127.0.0.1:${port}`,
    '--http-external-address',
    `https://127.0.0.1:${port}`,
    '--provisioner-storage-dir',
    join(processes.folder, 'bundles'),
    '--release',
    release,
  ]);
  await eventually(async () => {
    const { status } = parseClusterVersion(await kube.get({ ...clusterVersionResource, name: 'version' }));
    expect(status?.history?.map(({ state, version }) => `${state} ${version}`)).toEqual(['Completed 1.0.0']);
  }, patience);
  await kube.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'quay' });
});
