import { clusterLabel, machine, machineObject, node, nodeOf, running } from '../objects.ts';
import type { Scenario } from '../scenario.ts';

const hooks = {
  preDrain: [{ name: 'MigrateImportantApp', owner: 'my-app-migration-controller' }],
  preTerminate: [
    { name: 'BackupFileSystem', owner: 'my-backup-controller' },
    { name: 'CloudProviderSpecialCase', owner: 'my-custom-storage-detach-controller' },
    { name: 'WaitForStorageDetach', owner: 'my-custom-storage-detach-controller' },
  ],
};

const etcdHook = { name: 'EtcdQuorumOperator', owner: 'clusteroperator/etcd' };

/** Before a deletion. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'life-running',
    title: 'a machine gets an instance, then a Node, whose labels, annotations and taints it sets',
    rows: ['ML-01'],
    actions: [
      {
        apply: machineObject('a', {
          spec: {
            metadata: { labels: { rack: '7' }, annotations: { 'example.com/owner': 'web' } },
            taints: [{ key: 'special', effect: 'NoSchedule', value: 'yes' }],
          },
        }),
      },
      { rest: 'provisioned', until: { of: machine('a'), has: '"phase":"Provisioned"' } },
      { apply: nodeOf('a') },
      { rest: 'running', until: { of: machine('a'), has: '"phase":"Running"' } },
    ],
  },
  {
    id: 'life-hooks',
    title: 'a machine with hooks is not deleted',
    rows: ['ML-12', 'ML-16', 'ML-19', 'ML-33'],
    actions: [...running('a', { spec: { lifecycleHooks: hooks } }), { rest: 'running' }],
  },
  {
    id: 'life-quorum-hook',
    title: 'a machine of the control plane with the hook of etcd',
    rows: ['ML-28', 'ML-33'],
    actions: [
      ...running('a', { spec: { lifecycleHooks: { preDrain: [etcdHook] } } }, { 'node-role.kubernetes.io/master': '' }),
      { rest: 'running' },
    ],
  },
  {
    id: 'life-invalid-configuration',
    title: 'the provider refuses the configuration',
    actions: [
      { provider: 'create', answers: { error: { reason: 'InvalidConfiguration', message: 'no such size' } } },
      { apply: machineObject('a') },
      { rest: 'failed', until: { of: machine('a'), has: '"phase":"Failed"' } },
    ],
  },
  {
    id: 'life-create-error',
    title: 'a creation fails, and succeeds later',
    actions: [
      { provider: 'create', answers: { error: { reason: 'CreateError', message: 'the cloud is busy' } } },
      { apply: machineObject('a') },
      { rest: 'failing', until: { called: 'create a' } },
      { provider: 'create', answers: null },
      { rest: 'provisioned', until: { of: machine('a'), has: '"phase":"Provisioned"' } },
    ],
  },
  {
    id: 'life-requeue',
    title: 'the provider asks for time',
    actions: [
      { provider: 'create', answers: { requeueAfterSeconds: 1 } },
      { apply: machineObject('a') },
      { rest: 'waiting', until: { called: 'create a' } },
      { provider: 'create', answers: null },
      { rest: 'provisioned', until: { of: machine('a'), has: '"phase":"Provisioned"' } },
    ],
  },
  {
    id: 'life-vanished',
    title: 'an instance is deleted at the provider',
    rows: ['ML-47'],
    actions: [
      ...running('a'),
      { rest: 'running' },
      { provider: 'exists', answers: { exists: false } },
      { patch: machine('a'), merge: { metadata: { labels: { poke: '1' } } } },
      { rest: 'failed', until: { of: machine('a'), has: '"phase":"Failed"' } },
    ],
  },
  {
    id: 'life-exists-error',
    title: 'the provider does not know whether the instance exists',
    actions: [
      ...running('a'),
      { rest: 'running' },
      { provider: 'exists', answers: { error: { message: 'the cloud is down' } } },
      { patch: machine('a'), merge: { metadata: { labels: { poke: '1' } } } },
      { rest: 'unknown', until: { of: machine('a'), has: 'ErrorCheckingProvider' } },
    ],
  },
  {
    id: 'life-update-error',
    title: 'an update fails',
    actions: [
      ...running('a'),
      { rest: 'running' },
      { provider: 'update', answers: { error: { reason: 'UpdateError', message: 'no' } } },
      { patch: machine('a'), merge: { metadata: { labels: { poke: '1' } } } },
      { rest: 'failing' },
    ],
  },
  {
    id: 'life-no-cluster-label',
    title: 'a machine without the label of its cluster',
    rows: ['ML-50'],
    actions: [{ apply: machineObject('a', { metadata: { labels: {} } }) }, { rest: 'refused' }],
  },
  {
    id: 'life-no-provider-spec',
    title: 'a machine without providerSpec.value',
    actions: [{ apply: machineObject('a', { spec: { providerSpec: {} } }) }, { rest: 'refused' }],
  },
  {
    id: 'life-node-by-address',
    title: 'a Node is linked by its internal address',
    actions: [
      {
        provider: 'update',
        answers: {
          instance: { providerID: 'test:///x', addresses: [{ type: 'InternalIP', address: '10.0.0.7' }], state: 'on' },
        },
      },
      { apply: machineObject('a') },
      { await: { of: machine('a'), has: '10.0.0.7' } },
      {
        apply: {
          ...nodeOf('other'),
          spec: {},
          status: { addresses: [{ type: 'InternalIP', address: '10.0.0.7' }] },
        },
      },
      { rest: 'linked', until: { of: machine('a'), has: '"nodeRef"' } },
    ],
  },
  {
    id: 'life-node-deleted',
    title: 'the Node of a running machine is deleted',
    actions: [...running('a'), { delete: node('a') }, { rest: 'without a Node' }],
  },
  {
    id: 'life-label-removed',
    title: 'a running machine loses the label of its cluster',
    actions: [
      ...running('a'),
      { rest: 'running' },
      {
        patch: machine('a'),
        merge: { metadata: { labels: { ...clusterLabel, 'machine.openshift.io/cluster-api-cluster': null } } },
      },
      { rest: 'refused' },
    ],
  },
];
