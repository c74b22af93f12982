import { describe, expect, test } from 'vitest';
import { apiVersion, parseBundleDeployment } from '../src/api/index.ts';
import { type KubeClient, type KubeObject, KubeUnavailable } from '../src/kube/index.ts';
import { cutOff, eventually } from '../test/support/index.ts';
import {
  configMap,
  configMapKind,
  deployment,
  deploymentKind,
  find,
  halt,
  kube,
  launch,
  ownedBundles,
  push,
  remove,
  runProvisioners,
  stateOf,
  systemNamespace,
  user,
  valueOf,
  whenInstalled,
} from '../test/support/provisioner-cluster.ts';

runProvisioners();

/** A client for which the server has trouble with one object. */
function troubledBy(name: string): KubeClient {
  const message = `${name}: the server has trouble`;
  const trouble = new KubeUnavailable({ status: 500, reason: 'InternalError', message, causes: [], isStatus: true });
  return {
    ...kube,
    apply: async (object, options) => {
      if (object.metadata.name === name && options.isDryRun !== true) throw trouble;
      return await kube.apply(object, options);
    },
  };
}

/** Installs a first part of a first version, and starts again without trouble. */
async function interrupt(name: string, object: KubeObject, trouble: string): Promise<void> {
  await halt();
  await launch(troubledBy(trouble));
  await kube.apply(object, user);
  await eventually(async () => expect((await stateOf(name))['installed']).toContain('the server has trouble'));
  await halt();
  // The process ends before it could report anything.
  const status = { conditions: [] };
  await kube.patch({ ...deploymentKind, name }, { status }, { fieldManager: 'test', subresource: 'status' });
}

describe('a first installation that was interrupted', () => {
  test('is named after a restart, and rolled back when its version is abandoned', async () => {
    const parts = [configMap('lsp-part-a'), configMap('lsp-part-b')];
    await interrupt('lsp-part', deployment('lsp-part', push('part:1', parts)), 'lsp-part-b');
    await launch(troubledBy('lsp-part-b'));
    await eventually(async () => {
      const { installed } = await stateOf('lsp-part');
      expect(installed).toMatch(/^False\/.*1 objects exist: ConfigMap "lsp-part-a" in namespace "lsp-system"/);
    });
    await halt();
    await kube.apply(deployment('lsp-part', push('part:2', [configMap('Not_A_Name')])), user);
    await launch();
    await eventually(async () => expect(await find(configMapKind, 'lsp-part-a')).toBeUndefined());
    await remove('lsp-part');
  });

  test('is removed with its BundleDeployment', async () => {
    const parts = [configMap('lsp-half-a'), configMap('lsp-half-b')];
    await interrupt('lsp-half', deployment('lsp-half', push('half:1', parts)), 'lsp-half-b');
    await kube.delete({ ...deploymentKind, name: 'lsp-half' });
    await launch();
    await eventually(async () => expect(await find(deploymentKind, 'lsp-half')).toBeUndefined());
    expect(await find(configMapKind, 'lsp-half-a')).toBeUndefined();
  });

  test('keeps what it took over when it is rolled back by another process', async () => {
    const mine = {
      ...configMap('lsp-kept-own', 'mine'),
      metadata: { name: 'lsp-kept-own', namespace: systemNamespace },
    };
    await kube.apply(mine as unknown as KubeObject, user);
    const parts = [configMap('lsp-kept-a'), configMap('lsp-kept-own'), configMap('lsp-kept-z')];
    const object = deployment('lsp-kept', push('kept:1', parts));
    const annotations = { 'core.rukpak.io/adopt': 'true' };
    const adopting = { ...object, metadata: { ...object.metadata, annotations } };
    await interrupt('lsp-kept', adopting, 'lsp-kept-z');
    expect(await valueOf('lsp-kept-own')).toBe('1');
    const next = deployment('lsp-kept', push('kept:2', [configMap('Not_A_Name')]));
    await kube.apply({ ...next, metadata: { ...next.metadata, annotations } }, user);
    await launch();
    await eventually(async () => expect((await stateOf('lsp-kept'))['installed']).toContain('Not_A_Name'));
    expect(await valueOf('lsp-kept-own')).toBe('1');
    await remove('lsp-kept');
  });
});

describe('a BundleDeployment', () => {
  test('goes on where it stopped after a restart, orphans nothing and pulls nothing again', async () => {
    const first = push('restart:1', [configMap('lsp-j'), configMap('lsp-k')]);
    const second = push('restart:2', [configMap('lsp-j', '2')]);
    await kube.apply(deployment('lsp-restart', first), user);
    const old = await whenInstalled('lsp-restart');
    await halt();
    await kube.apply(deployment('lsp-restart', second), user);
    await kube.delete({ ...configMapKind, namespace: systemNamespace, name: 'lsp-j' });
    await launch();
    await whenInstalled('lsp-restart', old);
    await eventually(async () => {
      expect(await valueOf('lsp-j')).toBe('2');
      expect(await valueOf('lsp-k')).toBeUndefined();
    });
    await remove('lsp-restart');
  });

  test('is recognized after a restart without a request for its objects, which are applied again where they drifted meanwhile', async () => {
    await kube.apply(deployment('lsp-known', push('known:1', [configMap('lsp-v'), configMap('lsp-w')])), user);
    const active = await whenInstalled('lsp-known');
    const applied: string[] = [];
    const counting: KubeClient = Object.assign(Object.create(kube) as KubeClient, {
      apply: (async (object, options) => {
        if (object.kind === 'ConfigMap') applied.push(object.metadata.name ?? '');
        return await kube.apply(object, options);
      }) satisfies KubeClient['apply'],
    });
    await halt();
    await launch(counting);
    for (const [paused, status] of [
      ['true', 'True'],
      [null, 'False'],
    ] as const) {
      const ref = { apiVersion, kind: 'BundleDeployment', name: 'lsp-known' };
      await kube.patch(
        ref,
        { metadata: { annotations: { 'core.rukpak.io/paused': paused } } },
        { fieldManager: 'test' },
      );
      await eventually(async () => {
        const { conditions = [] } = parseBundleDeployment(await kube.get(ref)).status ?? {};
        expect(conditions.find(({ type }) => type === 'Paused')?.status).toBe(status);
      });
    }
    expect(applied).toEqual([]);
    const ref = { ...configMapKind, namespace: systemNamespace, name: 'lsp-v' };
    await kube.patch(ref, { data: { value: 'other' } }, { fieldManager: 'other' });
    await eventually(async () => expect(await valueOf('lsp-v')).toBe('1'));
    expect(applied).toEqual(['lsp-v']);
    await halt();
    await kube.patch(ref, { data: { value: 'other' } }, { fieldManager: 'other' });
    await launch(counting);
    await eventually(async () => expect(await valueOf('lsp-v')).toBe('1'));
    expect(await ownedBundles('lsp-known')).toEqual([active]);
    await remove('lsp-known');
  });

  test.each([3, 5, 7, 9])(
    'that was stopped behind write %i of a pivot goes back to the version before where the template does',
    async (count) => {
      const first = push('back:1', [configMap('lsp-p'), configMap('lsp-q')]);
      await kube.apply(deployment('lsp-back', first), user);
      const old = await whenInstalled('lsp-back');
      await halt();
      const cut = Promise.withResolvers<void>();
      await launch(cutOff(kube, count, cut.resolve));
      const second = push('back:2', [configMap('lsp-p', '2'), configMap('lsp-q', '2')]);
      await kube.apply(deployment('lsp-back', second), user);
      await Promise.race([cut.promise, whenInstalled('lsp-back', old)]);
      await halt();
      await kube.apply(deployment('lsp-back', first), user);
      await launch();
      await eventually(async () => {
        expect(await Promise.all(['p', 'q'].map((name) => valueOf(`lsp-${name}`)))).toEqual(['1', '1']);
        expect((await stateOf('lsp-back')).installed).toMatch(/^True/);
      });
      await remove('lsp-back');
    },
  );

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    'converges after a stop behind write %i of a pivot',
    async (count) => {
      const first = push('cut:1', [configMap('lsp-p'), configMap('lsp-q'), configMap('lsp-r')]);
      const second = push('cut:2', [configMap('lsp-p', '2'), configMap('lsp-s')]);
      await kube.apply(deployment('lsp-cut', first), user);
      const old = await whenInstalled('lsp-cut');
      await halt();
      const cut = Promise.withResolvers<void>();
      await launch(cutOff(kube, count, cut.resolve));
      await kube.apply(deployment('lsp-cut', second), user);
      await Promise.race([cut.promise, whenInstalled('lsp-cut', old)]);
      await halt();
      await launch();
      const active = await whenInstalled('lsp-cut', old);
      await eventually(async () => {
        expect(await Promise.all(['p', 'q', 'r', 's'].map((name) => valueOf(`lsp-${name}`)))).toEqual([
          '2',
          undefined,
          undefined,
          '1',
        ]);
        expect(await ownedBundles('lsp-cut')).toEqual([active]);
      });
      await remove('lsp-cut');
      expect(await Promise.all(['p', 's'].map((name) => valueOf(`lsp-${name}`)))).toEqual([undefined, undefined]);
    },
  );

  test.each([1, 4, 7])(
    'is removed, except for what is to be kept, after a stop behind write %i of its removal',
    async (count) => {
      const kept = {
        ...configMap('lsp-keep'),
        metadata: { name: 'lsp-keep', annotations: { 'helm.sh/resource-policy': 'keep' } },
      };
      await kube.apply(deployment('lsp-end', push('end:1', [configMap('lsp-t'), configMap('lsp-u'), kept])), user);
      await whenInstalled('lsp-end');
      const uid = (await find(configMapKind, 'lsp-keep'))?.metadata.uid;
      await halt();
      const cut = Promise.withResolvers<void>();
      await launch(cutOff(kube, count, cut.resolve));
      await kube.delete({ ...deploymentKind, name: 'lsp-end' });
      const isRemoved = (): Promise<void> =>
        eventually(async () => expect(await find(deploymentKind, 'lsp-end')).toBeUndefined());
      await Promise.race([cut.promise, isRemoved()]);
      await halt();
      await launch();
      await isRemoved();
      expect(await Promise.all(['t', 'u'].map((name) => valueOf(`lsp-${name}`)))).toEqual([undefined, undefined]);
      expect((await find(configMapKind, 'lsp-keep'))?.metadata).toMatchObject({ uid });
      expect(await ownedBundles('lsp-end')).toEqual([]);
      await kube.delete({ ...configMapKind, namespace: systemNamespace, name: 'lsp-keep' });
    },
  );
});
