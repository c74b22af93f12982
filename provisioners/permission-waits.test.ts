import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApiServer } from '../apiserver/index.ts';
import { silentLogger, systemClock } from '../src/base/index.ts';
import { createManager, type Manager } from '../src/controller/index.ts';
import { createKubeClient, type KubeClient, type ListTarget, loadClusterAccess } from '../src/kube/index.ts';
import { eventually } from '../test/support/index.ts';
import { PermissionWaits } from './permission-waits.ts';

const stack = new AsyncDisposableStack();
const stopper = new AbortController();
let kube: KubeClient;
let manager: Manager;

beforeAll(async () => {
  const server = await startApiServer({ simulation: false });
  stack.defer(() => server.stop());
  kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  manager = createManager({ kube, clock: systemClock, log: silentLogger(), signal: stopper.signal });
});
afterAll(async () => {
  stopper.abort();
  await stack.disposeAsync();
});

const clusterRole = (name: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
  rules: [],
});

test('deployments that wait for permissions are reconciled when permissions change; nothing is watched before one waits', async () => {
  const opened: string[] = [];
  const requested: string[] = [];
  const cache = (target: ListTarget): ReturnType<Manager['cache']> => {
    opened.push(target.kind);
    return manager.cache(target);
  };
  const waits = new PermissionWaits({
    manager: { cache, log: manager.log, signal: manager.signal },
    onDeployment: (name) => requested.push(name),
  });
  expect(opened).toEqual([]);
  waits.add('a');
  waits.add('b');
  expect(opened.toSorted()).toEqual(['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding', 'ServiceAccount']);
  // The first lists may show what has changed since the deployment began to wait.
  await eventually(() => expect(requested.filter((name) => name === 'b').length).toBeGreaterThanOrEqual(5));
  waits.forget('a');
  requested.length = 0;
  await kube.create(clusterRole('granted'), { fieldManager: 'test' });
  await eventually(() => expect(new Set(requested)).toEqual(new Set(['b'])));
  requested.length = 0;
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'installer' };
  await kube.create({ ...account, metadata: { name: 'installer', namespace: 'default' } }, { fieldManager: 'test' });
  await eventually(() => expect(requested).toEqual(['b']));
  await kube.patch(account, { metadata: { annotations: { note: 'new' } } }, { fieldManager: 'test' });
  await kube.delete({ ...clusterRole('granted'), name: 'granted' });
  await eventually(() => expect(requested).toEqual(['b', 'b']));
});
