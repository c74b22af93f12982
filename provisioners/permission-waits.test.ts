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
  waits.add('a', new Set(['default']));
  waits.add('b', new Set(['default']));
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

test('what others wait for is not tried again when a user writes roles and bindings of another namespace', async () => {
  const requested: string[] = [];
  const waits = new PermissionWaits({ manager, onDeployment: (name) => requested.push(name) });
  waits.add('own', new Set(['own']));
  waits.add('other', new Set(['default', 'other']));
  // Each of the five kinds may have changed before the first list.
  await eventually(() => expect(requested.filter((name) => name === 'other')).toHaveLength(5));
  requested.length = 0;
  await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'own' } }, { fieldManager: 'test' });
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', namespace: 'own', name: 'mine' };
  await kube.create({ ...role, metadata: { name: 'mine', namespace: 'own' } }, { fieldManager: 'test' });
  await eventually(() => expect(requested).toContain('own'));
  await kube.patch(role, { metadata: { annotations: { note: 'new' } } }, { fieldManager: 'test' });
  await kube.delete(role);
  await eventually(() => expect(requested.filter((name) => name === 'own').length).toBeGreaterThanOrEqual(3));
  expect(requested).not.toContain('other');
  await kube.create(clusterRole('for-all'), { fieldManager: 'test' });
  await eventually(() => expect(requested).toContain('other'));
});
