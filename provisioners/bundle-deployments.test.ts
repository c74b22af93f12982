import { describe, expect, test } from 'vitest';
import {
  installFieldManager,
  ownerNameLabel,
  parseBundle,
  parseBundleDeployment,
  pausedAnnotation,
} from '../src/api/index.ts';
import type { JsonObject } from '../src/base/index.ts';
import type { KubeObject } from '../src/kube/index.ts';
import { eventually } from '../test/support/index.ts';
import {
  asTest,
  bundleKind,
  configMap,
  configMapKind,
  deployment,
  deploymentKind,
  find,
  halt,
  kube,
  launch,
  type Manifest,
  ownedBundles,
  push,
  registry,
  remove,
  runProvisioners,
  stateOf,
  systemNamespace,
  unpacker,
  user,
  valueOf,
  whenInstalled,
} from '../test/support/provisioner-cluster.ts';

runProvisioners();

const group = 'lsp.example.com';

function crd(kind: string): Manifest {
  const plural = `${kind.toLowerCase()}s`;
  const properties = { spec: { type: 'object', properties: { size: { type: 'integer' } } } };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties } },
  };
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: [version] },
  };
}

function custom(kind: string, name: string, size = 1): Manifest {
  return { apiVersion: `${group}/v1`, kind, metadata: { name }, spec: { size } };
}

/** Restores the owner of objects, as a user may who may write these. */
async function giveBack(deploymentName: string, objects: readonly string[]): Promise<void> {
  const { uid = '' } = (await find(deploymentKind, deploymentName))?.metadata ?? {};
  const metadata = { ownerReferences: [{ ...deploymentKind, name: deploymentName, uid }] };
  for (const name of objects)
    await kube.patch({ ...configMapKind, name, namespace: systemNamespace }, { metadata }, asTest);
}

async function deleteAwaited(name: string): Promise<void> {
  await kube.delete({ ...bundleKind, name });
  await eventually(async () => expect(await find(bundleKind, name)).toBeUndefined());
}

describe('a BundleDeployment', () => {
  test('whose finalizer was removed, and that finalizers of others keep, is removed with its objects', async () => {
    const object = deployment('lsp-held', push('held:1', [configMap('lsp-held')]));
    const finalizers = ['example.com/hold'];
    await kube.apply({ ...object, metadata: { ...object.metadata, finalizers } }, user);
    await whenInstalled('lsp-held');
    await halt();
    await kube.patch({ ...deploymentKind, name: 'lsp-held' }, { metadata: { finalizers } }, { fieldManager: 'test' });
    await kube.delete({ ...deploymentKind, name: 'lsp-held' });
    await launch();
    await eventually(async () => expect(await find(configMapKind, 'lsp-held')).toBeUndefined());
    await kube.patch(
      { ...deploymentKind, name: 'lsp-held' },
      { metadata: { finalizers: null } },
      { fieldManager: 'test' },
    );
    await eventually(async () => expect(await find(deploymentKind, 'lsp-held')).toBeUndefined());
  });

  test('installs, pivots to a new version, removes what is obsolete and the old Bundle, and leaves nothing behind', async () => {
    const first = push('pivot:1', [configMap('lsp-a'), configMap('lsp-b')]);
    const second = push('pivot:2', [configMap('lsp-a', '2'), configMap('lsp-c')]);
    await kube.apply(deployment('lsp-pivot', first), user);
    const old = await whenInstalled('lsp-pivot');
    const bundle = parseBundle(await find(bundleKind, old));
    expect(bundle.status).toMatchObject({ phase: 'Unpacked', resolvedSource: { type: 'image' } });
    expect(bundle.status?.resolvedSource?.image?.ref).toMatch(/@sha256:[0-9a-f]{64}$/);
    expect(bundle.metadata.ownerReferences).toMatchObject([{ name: 'lsp-pivot', controller: true }]);

    await kube.apply(deployment('lsp-pivot', second), user);
    await whenInstalled('lsp-pivot', old);
    expect(await valueOf('lsp-a')).toBe('2');
    expect(await valueOf('lsp-c')).toBe('1');
    await eventually(async () => {
      expect(await valueOf('lsp-b')).toBeUndefined();
      expect(await find(bundleKind, old)).toBeUndefined();
    });

    await remove('lsp-pivot');
    expect(await valueOf('lsp-a')).toBeUndefined();
    expect(await valueOf('lsp-c')).toBeUndefined();
    expect(await ownedBundles('lsp-pivot')).toEqual([]);
  });

  test('keeps the old version when the new one cannot be applied, and reports why', async () => {
    const good = push('failed:1', [configMap('lsp-d')]);
    const bad = push('failed:2', [
      configMap('lsp-d', '2'),
      { ...configMap('lsp-e'), metadata: { name: 'Not_A_Name' } },
    ]);
    await kube.apply(deployment('lsp-failed', good), user);
    const active = await whenInstalled('lsp-failed');
    await kube.apply(deployment('lsp-failed', bad), user);
    await eventually(async () => {
      const state = await stateOf('lsp-failed');
      expect(state['installed']).toMatch(
        /^False\/UpgradeFailed: .*ConfigMap "Not_A_Name" .*Invalid value: "Not_A_Name"/,
      );
      expect(state['active']).toBe(active);
    });
    expect(await valueOf('lsp-d')).toBe('1');
    expect(await ownedBundles('lsp-failed')).toContain(active);
    await kube.apply(deployment('lsp-failed', good), user);
    await whenInstalled('lsp-failed');
    await remove('lsp-failed');
  });

  test('does not take over what belongs to another, changes nothing, and continues once the other is deleted', async () => {
    await kube.apply(deployment('lsp-one', push('one:1', [configMap('lsp-f')])), user);
    await whenInstalled('lsp-one');
    await kube.apply(deployment('lsp-two', push('two:1', [configMap('lsp-f', '2'), configMap('lsp-g')])), user);
    await eventually(async () => {
      expect((await stateOf('lsp-two'))['installed']).toContain(
        `False/InstallFailed: rendered manifests contain a resource that already exists. Unable to continue with install: ConfigMap "lsp-f" in namespace "${systemNamespace}" exists and cannot be imported into the current release: invalid ownership metadata; it belongs to BundleDeployment "lsp-one"`,
      );
    });
    expect(await valueOf('lsp-f')).toBe('1');
    expect(await valueOf('lsp-g')).toBeUndefined();
    await remove('lsp-one');
    await whenInstalled('lsp-two');
    expect(await valueOf('lsp-f')).toBe('2');
    await remove('lsp-two');
  });

  test('does not take over what a user made', async () => {
    const mine = { ...configMap('lsp-mine', 'mine'), metadata: { name: 'lsp-mine', namespace: systemNamespace } };
    await kube.apply(mine as unknown as KubeObject, user);
    await kube.apply(deployment('lsp-taker', push('taker:1', [configMap('lsp-mine')])), user);
    await eventually(async () => {
      expect((await stateOf('lsp-taker'))['installed']).toContain(
        'invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"; annotation validation error: missing key "meta.helm.sh/release-name": must be set to "lsp-taker"',
      );
    });
    expect(await valueOf('lsp-mine')).toBe('mine');
    await kube.delete({ ...configMapKind, namespace: systemNamespace, name: 'lsp-mine' });
    await kube.delete({ ...deploymentKind, name: 'lsp-taker' });
  });

  test('parses each version once, whatever is installed, rolled back and corrected of it', async () => {
    const parsedBefore = (await unpacker.usage()).parsedCount;
    await kube.apply(deployment('lsp-parsed', push('parsed:1', [configMap('lsp-p')])), user);
    const old = await whenInstalled('lsp-parsed');
    const ref = { ...configMapKind, namespace: systemNamespace, name: 'lsp-p' };
    for (const value of ['other', 'another']) {
      await kube.patch(ref, { data: { value } }, { fieldManager: 'other' });
      await eventually(async () => expect(await valueOf('lsp-p')).toBe('1'));
    }
    await kube.apply(deployment('lsp-parsed', push('parsed:2', [configMap('lsp-p', '2')])), user);
    await whenInstalled('lsp-parsed', old);
    await kube.delete(ref);
    await eventually(async () => expect(await valueOf('lsp-p')).toBe('2'));
    await halt();
    await launch();
    await kube.delete(ref);
    await eventually(async () => expect(await valueOf('lsp-p')).toBe('2'));
    expect((await unpacker.usage()).parsedCount - parsedBefore).toBe(2);
    await remove('lsp-parsed');
  });

  test('puts drift right and leaves what others added', async () => {
    await kube.apply(deployment('lsp-drift', push('drift:1', [configMap('lsp-h'), configMap('lsp-i')])), user);
    await whenInstalled('lsp-drift');
    const ref = { ...configMapKind, namespace: systemNamespace, name: 'lsp-h' };
    await kube.patch(ref, { data: { value: 'other', added: 'x' } }, { fieldManager: 'other' });
    await kube.delete({ ...ref, name: 'lsp-i' });
    await eventually(async () => {
      expect((await find(configMapKind, 'lsp-h'))?.['data']).toEqual({ value: '1', added: 'x' });
      expect(await valueOf('lsp-i')).toBe('1');
    });
    await remove('lsp-drift');
  });

  test('installs a CRD and its objects from one bundle, and waits for kinds that another bundle brings', async () => {
    const users = push('user:1', [custom('Lamp', 'lsp-lamp'), custom('Mast', 'lsp-mast')]);
    await kube.apply(deployment('lsp-user', users), user);
    await eventually(async () => {
      const { installed, active } = await stateOf('lsp-user');
      expect(installed).toMatch(/^False\/InstallFailed: required resource not found: /);
      expect(installed).toContain(`no matches for kind "Lamp" in version "${group}/v1"`);
      expect(installed).toContain(`no matches for kind "Mast" in version "${group}/v1"`);
      expect(active).toBe('');
    });
    const brings = [custom('Mast', 'lsp-own'), crd('Lamp'), crd('Mast')];
    await kube.apply(deployment('lsp-brings', push('brings:1', brings)), user);
    await whenInstalled('lsp-brings');
    await whenInstalled('lsp-user');
    await remove('lsp-user');
    await remove('lsp-brings');
    expect(
      await find({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }, `lamps.${group}`),
    ).toBeUndefined();
  });

  test('replaces a Bundle that was deleted', async () => {
    await kube.apply(deployment('lsp-gone', push('gone:1', [configMap('lsp-l')])), user);
    const name = await whenInstalled('lsp-gone');
    const before = (await find(bundleKind, name))?.metadata.uid;
    await kube.delete({ ...bundleKind, name });
    await eventually(async () => {
      const now = parseBundle(await find(bundleKind, name));
      expect(now.metadata.uid).not.toBe(before);
      expect(now.status?.phase).toBe('Unpacked');
    });
    await remove('lsp-gone');
  });

  test('is never stuck behind Bundles that were tried and given up', async () => {
    for (let i = 1; i <= 7; i++) {
      await kube.apply(deployment('lsp-tries', `${registry.host}/lsp/none:${i}`), user);
      await eventually(async () => {
        expect((await ownedBundles('lsp-tries')).length).toBeGreaterThanOrEqual(Math.min(i, 4));
      });
    }
    await kube.apply(deployment('lsp-tries', push('tries:1', [configMap('lsp-n')]), { app: 'lsp' }), user);
    await whenInstalled('lsp-tries');
    await eventually(async () => {
      expect(await ownedBundles('lsp-tries')).toHaveLength(1);
    });
    await remove('lsp-tries');
  });

  test.each([
    { what: '', change: async () => {} },
    {
      what: ', though its Bundle has lost its labels',
      change: (name: string) => kube.patch({ ...bundleKind, name }, { metadata: { labels: null } }, asTest),
    },
    { what: ', though its Bundle was deleted while it was paused', change: deleteAwaited },
    {
      what: ', though a user has restored the owner of an object that the user may write, and its Bundle was deleted',
      change: deleteAwaited,
      ownedAgain: ['lsp-left-2'],
    },
  ])('deleted with cascade=orphan while no process runs leaves what was installed$what', async (row) => {
    const { change, ownedAgain } = { ownedAgain: [], ...row };
    const name = 'lsp-left';
    await kube.apply(deployment(name, push('left:1', [configMap(name), configMap('lsp-left-2')])), user);
    await whenInstalled(name);
    await kube.patch(
      { ...deploymentKind, name },
      { metadata: { annotations: { [pausedAnnotation]: 'true' } } },
      asTest,
    );
    await eventually(async () => {
      const { status } = parseBundleDeployment(await find(deploymentKind, name));
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Paused', status: 'True' }));
    });
    const [bundle = ''] = await ownedBundles(name);
    await change(bundle);
    await halt();
    await kube.delete({ ...deploymentKind, name }, { propagationPolicy: 'Orphan' });
    await eventually(async () => {
      expect((await find(deploymentKind, name))?.metadata.finalizers).not.toContain('orphan');
    });
    await giveBack(name, ownedAgain);
    await launch();
    await eventually(async () => {
      expect(await find(deploymentKind, name)).toBeUndefined();
    });
    const { metadata } = (await find(configMapKind, name)) ?? {};
    expect(metadata?.labels?.[ownerNameLabel]).toBeUndefined();
    expect(metadata?.annotations).toMatchObject({ 'core.rukpak.io/released-from': name });
    expect(metadata?.deletionTimestamp).toBeUndefined();
    for (const left of [name, 'lsp-left-2'])
      await kube.delete({ ...configMapKind, name: left, namespace: systemNamespace });
  });

  test('what is orphaned stays, though the API server executes a write of a process that was killed before', async () => {
    const name = 'lsp-late';
    await kube.apply(deployment(name, push('late:1', [configMap(name)])), user);
    await whenInstalled(name);
    const { metadata, data } = (await find(configMapKind, name)) as KubeObject;
    const { labels, ownerReferences = [] } = metadata;
    const written = { ...configMapKind, metadata: { name, namespace: systemNamespace, labels, ownerReferences }, data };
    await halt();
    await launch(kube, false);
    await kube.delete({ ...deploymentKind, name }, { propagationPolicy: 'Orphan' });
    await eventually(async () => {
      const { status } = parseBundleDeployment(await find(deploymentKind, name));
      const message = status?.conditions?.find(({ type }) => type === 'Removing')?.message;
      expect(message).toContain('may still execute writes of another process');
    });
    await kube.apply(written as KubeObject, { fieldManager: installFieldManager, force: true });
    await eventually(async () => {
      const found = await find(configMapKind, name);
      expect(found?.metadata.ownerReferences ?? []).toEqual([]);
      expect(found?.metadata.annotations).toMatchObject({ 'core.rukpak.io/released-from': name });
    });
    expect(await find(deploymentKind, name)).toBeDefined();
    await halt();
    await launch();
    await eventually(async () => {
      expect(await find(deploymentKind, name)).toBeUndefined();
    });
    await kube.delete({ ...configMapKind, name, namespace: systemNamespace });
  });

  test('of another class is ignored entirely', async () => {
    const other = deployment('lsp-other', 'localhost:1/none:1');
    const spec = { ...(other['spec'] as JsonObject), provisionerClassName: 'non-existent-class-name' };
    await kube.apply({ ...other, spec }, user);
    await kube.apply(deployment('lsp-marker', push('marker:1', [configMap('lsp-m')])), user);
    await whenInstalled('lsp-marker');
    expect(parseBundleDeployment(await find(deploymentKind, 'lsp-other')).status).toBeUndefined();
    await kube.delete({ ...deploymentKind, name: 'lsp-other' });
    await remove('lsp-marker');
  });
});
