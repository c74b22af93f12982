import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseYamlDocuments } from '../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import { eventually, freePort, type Registry, startRegistry } from '../support/index.ts';
import { configMap, crd, type Files, namespace } from './contents.ts';
import { type OwnProcesses, openOwnProcesses } from './own-processes.ts';
import { leaveBehind } from './rukpak-state.ts';
import { bundle, conditionOf, errorOf, statusOf } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const asTest = { fieldManager: 'test' };
const patience = { timeoutMs: 90_000 };
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

let processes: OwnProcesses;
let kube: KubeClient;
let registry: Registry;
let before: readonly KubeObject[];
let alone: KubeObject;

const workload = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: legacy}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1
          env: [{name: LOG, value: info}]
`;
const filesOf = (...documents: string[]): Files => ({ 'manifests/all.yaml': documents.join('---\n') });
const first = filesOf(
  namespace('legacy'),
  crd('Legacy', 'legacy.example.com'),
  configMap('settings', 'legacy', { kept: '1', dropped: '2' }),
  configMap('gone', 'legacy', {}),
  workload,
);
const second = filesOf(
  namespace('legacy'),
  crd('Legacy', 'legacy.example.com'),
  configMap('settings', 'legacy', { kept: '1' }),
  workload,
);
const formerHalf = filesOf(
  namespace('half'),
  configMap('stays', 'half', {}),
  'apiVersion: v1\nkind: Secret\nmetadata: {name: goes, namespace: half}\n',
);
const desiredHalf = filesOf(namespace('half'), configMap('stays', 'half', {}));

function image(name: string, files: Files): { source: { type: string; image: { ref: string } }; resolved: object } {
  const digest = registry.putImage(name, [{ files }]);
  const source = { type: 'image', image: { ref: `${registry.host}/${name}` } };
  return { source, resolved: { type: 'image', image: { ref: `${registry.host}/${name.split(':')[0]}@${digest}` } } };
}

function objectsOf(files: Files): KubeObject[] {
  return Object.entries(files).flatMap(([path, text]) => parseYamlDocuments(path, text)) as unknown as KubeObject[];
}

const former = (name: string, files: Files) => ({ ...image(name, files), objects: objectsOf(files) }) as never;

beforeAll(async () => {
  processes = stack.use(await openOwnProcesses());
  registry = stack.use(await startRegistry());
  ({ kube } = processes);
  before = await leaveBehind(kube, { name: 'legacy', installed: former('legacy:v1', first) });
  const desired = image('half:v2', desiredHalf).source;
  await leaveBehind(kube, { name: 'half', installed: former('half:v1', formerHalf), desired });
  const { source, resolved } = image('alone:v1', first);
  const created = await kube.create(bundle('alone', source), { fieldManager: 'core' });
  const metadata = { finalizers: ['core.rukpak.io/delete-cached-bundle'] };
  await kube.patch(refOf(created), { metadata }, { fieldManager: 'core' });
  const status = { phase: 'Unpacked', observedGeneration: 1, resolvedSource: resolved };
  alone = await kube.patch(refOf(created), { status } as never, { fieldManager: 'core', subresource: 'status' });
  // A moved tag: what is installed must not follow it.
  registry.putImage('legacy:v1', [{ files: second }]);
  const port = await freePort();
  await processes.start('controllers', [
    '--http-bind-address',
    `127.0.0.1:${port}`,
    '--http-external-address',
    `https://127.0.0.1:${port}`,
    '--provisioner-storage-dir',
    join(processes.folder, 'bundles'),
  ]);
});

const deployment = (name: string) => kube.get({ apiVersion, kind: 'BundleDeployment', name });

async function whenTaken(name: string): Promise<KubeObject> {
  return await eventually(async () => {
    const found = await deployment(name);
    expect(found.metadata.annotations?.['applyset.kubernetes.io/contains-group-kinds']).toBeDefined();
    expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'True', reason: 'InstallationSucceeded' });
    expect(conditionOf(found, 'Progressing')?.status ?? 'False').not.toBe('True');
    return found;
  }, patience);
}

describe('an installation of RukPak', { shuffle: false }, () => {
  test('installations of RukPak are adopted: nothing is deleted, recreated or restarted', async () => {
    const { status } = (await deployment('legacy')) as unknown as { status: { activeBundle: string } };
    const taken = await whenTaken('legacy');
    expect(statusOf(taken)['activeBundle']).toBe(status.activeBundle);
    expect(before.map(({ kind }) => kind)).toEqual([
      'Namespace',
      'CustomResourceDefinition',
      'ConfigMap',
      'ConfigMap',
      'Deployment',
    ]);
    for (const object of before) {
      const now = await eventually(async () => {
        const found = await kube.get(refOf(object));
        expect(found.metadata.labels?.['applyset.kubernetes.io/part-of']).toBeDefined();
        return found;
      }, patience);
      expect(now.metadata.uid).toBe(object.metadata.uid);
      expect(now['data']).toEqual(object['data']);
      if (object.kind === 'Deployment') expect(now['spec']).toEqual(object['spec']);
    }
    // Another template would have made another one.
    const { items } = await kube.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'legacy' });
    expect(items.length).toBeLessThan(2);
    const bundles = await kube.list({ apiVersion, kind: 'Bundle', labelSelector: 'core.rukpak.io/owner-name=legacy' });
    expect(bundles.items.map(({ metadata }) => metadata.name)).toEqual([status.activeBundle]);
    const events = await eventually(async () => {
      const found = (await kube.list({ apiVersion: 'v1', kind: 'Event' })).items;
      const ours = found.filter(({ reason }) => (reason as unknown) === 'ReleaseTakenOver');
      expect(ours.length).toBeGreaterThan(0);
      return ours.map(({ message }) => String(message as unknown));
    }, patience);
    expect(events).toContain('Took over 5 objects of the release in Secret "sh.helm.release.v1.legacy.v2"');
  });

  test('a standalone Bundle is neither unpacked again from a moved tag nor deleted', async () => {
    const ref = { apiVersion, kind: 'Bundle', name: 'alone' };
    await eventually(async () => {
      const { contentURL, phase } = statusOf(await kube.get(ref)) as { contentURL?: string; phase?: string };
      expect(phase).toBe('Unpacked');
      expect(contentURL).toContain('/bundles/alone.tgz');
    }, patience);
    const now = await kube.get(ref);
    expect(now.metadata.uid).toBe(alone.metadata.uid);
    expect(statusOf(now)['resolvedSource']).toEqual(statusOf(alone)['resolvedSource']);
  });

  test('the next version removes what it drops: objects of the release, and fields that RukPak wrote', async () => {
    await whenTaken('legacy');
    const [, , settings, , web] = before;
    const { source } = image('legacy:v2', second);
    await kube.patch(
      { apiVersion, kind: 'BundleDeployment', name: 'legacy' },
      { spec: { template: { spec: { source } } } },
      asTest,
    );
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'legacy' };
    await eventually(async () => {
      expect(isNotFound(await errorOf(kube.get({ ...ref, name: 'gone' })))).toBe(true);
      expect((await kube.get({ ...ref, name: 'settings' }))['data']).toEqual({ kept: '1' });
    }, patience);
    expect((await kube.get({ ...ref, name: 'settings' })).metadata.uid).toBe(settings?.metadata.uid);
    const nowWeb = await kube.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'legacy', name: 'web' });
    expect(nowWeb.metadata.uid).toBe(web?.metadata.uid);
    expect(nowWeb['spec']).toEqual(web?.['spec']);
  });

  test('a pivot that RukPak did not finish is completed, and what only the former release has is removed', async () => {
    await eventually(async () => {
      expect(
        isNotFound(await errorOf(kube.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'half', name: 'goes' }))),
      ).toBe(true);
      await kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'half', name: 'stays' });
      expect(statusOf(await deployment('half'))['observedGeneration']).toBe(2);
    }, patience);
  });

  test('the removal of an adopted deployment removes its objects and the Secrets of the release', async () => {
    await kube.delete({ apiVersion, kind: 'BundleDeployment', name: 'legacy' });
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'rukpak-system',
      name: 'sh.helm.release.v1.legacy.v2',
    };
    await eventually(
      async () => {
        expect(isNotFound(await errorOf(deployment('legacy')))).toBe(true);
        for (const ref of [secret, ...before.map(refOf)]) expect(await errorOf(kube.get(ref))).toBeDefined();
        // The garbage collector of a busy control plane takes its time.
      },
      { timeoutMs: 180_000 },
    );
  });
});
