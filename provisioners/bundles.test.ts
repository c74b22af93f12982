import { describe, expect, test } from 'vitest';
import { apiVersion, parseBundle } from '../src/api/index.ts';
import { formatYaml, systemClock } from '../src/base/index.ts';
import type { KubeClient } from '../src/kube/index.ts';
import { eventually } from '../test/support/index.ts';
import {
  bundleKind,
  configMap,
  configMapKind,
  find,
  halt,
  kube,
  launch,
  provisionerClassName,
  runProvisioners,
  systemNamespace,
  user,
  warnings,
} from '../test/support/provisioner-cluster.ts';

runProvisioners();

describe('a Bundle', () => {
  test('Q25 of a ConfigMap that may still change waits until it is immutable', async () => {
    const data = { 'a.yaml': formatYaml(configMap('lsp-inner')) };
    const metadata = { name: 'lsp-soft', namespace: systemNamespace };
    await kube.apply({ ...configMapKind, metadata, data }, user);
    const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'lsp-soft' }, path: 'manifests' }] };
    const spec = { provisionerClassName, source };
    await kube.apply({ ...bundleKind, metadata: { name: 'lsp-soft' }, spec }, user);
    await eventually(async () => {
      const { status } = parseBundle(await find(bundleKind, 'lsp-soft'));
      expect(status?.conditions?.[0]?.message).toContain(
        'source bundle content: configmap "lsp-soft" is not immutable: set its field immutable to true (not tried again before',
      );
    });
    await kube.apply({ ...configMapKind, metadata, data, immutable: true }, user);
    await eventually(async () => {
      expect(parseBundle(await find(bundleKind, 'lsp-soft')).status?.phase).toBe('Unpacked');
    });
    await kube.delete({ ...bundleKind, name: 'lsp-soft' });
    await kube.delete({ ...configMapKind, ...metadata });
  });

  test('whose ConfigMap is corrected while the ConfigMaps are listed for the first time is unpacked', async () => {
    const data = { 'a.yaml': formatYaml(configMap('lsp-inner')) };
    const metadata = { name: 'lsp-late', namespace: systemNamespace };
    await halt();
    await kube.apply({ ...configMapKind, metadata, data }, user);
    const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'lsp-late' }, path: 'manifests' }] };
    await kube.apply({ ...bundleKind, metadata: { name: 'lsp-late' }, spec: { provisionerClassName, source } }, user);
    const read = Promise.withResolvers<void>();
    const get: KubeClient['get'] = async (...asked) => {
      const found = await kube.get(...asked);
      if (asked[0].name === 'lsp-late' && asked[0].kind === 'ConfigMap') read.resolve();
      return found;
    };
    const listPages: KubeClient['listPages'] = async function* (...asked) {
      if (asked[0].kind === 'ConfigMap' && asked[0].namespace === systemNamespace) {
        // A fetch without the list happens meanwhile, and fails for good.
        await Promise.race([read.promise, systemClock.sleep(200)]);
        await kube.apply({ ...configMapKind, metadata, data, immutable: true }, user);
      }
      yield* kube.listPages(...asked);
    };
    await launch({ ...kube, get, listPages });
    await eventually(async () => {
      expect(parseBundle(await find(bundleKind, 'lsp-late')).status?.phase).toBe('Unpacked');
    });
    await kube.delete({ ...bundleKind, name: 'lsp-late' });
    await kube.delete({ ...configMapKind, ...metadata });
  });
});

test('a source that fails in the same way again and again is logged once', async () => {
  const name = 'lsp-unreachable';
  const spec = { provisionerClassName, source: { type: 'image', image: { ref: '127.0.0.1:1/lsp/nothing:v1' } } };
  await kube.create({ apiVersion, kind: 'Bundle', metadata: { name }, spec }, user);
  const reported = new Set<string>();
  await eventually(async () => {
    const [condition] = parseBundle(await kube.get({ apiVersion, kind: 'Bundle', name })).status?.conditions ?? [];
    if (condition?.message?.includes('next try at') === true) reported.add(condition.message);
    expect(reported.size).toBeGreaterThan(2);
  });
  expect(warnings.filter(({ object }) => object === name)).toEqual([
    { object: name, message: expect.stringContaining('ECONNREFUSED') as unknown },
  ]);
  await kube.delete({ apiVersion, kind: 'Bundle', name });
});
