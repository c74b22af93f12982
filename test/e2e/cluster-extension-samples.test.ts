/** @module-tag long */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { bundle, configMap, packageDocuments } from '../cluster-extensions/objects.ts';
import { eventually, type Registry, startRegistry } from '../support/index.ts';
import { runProgram } from './program.ts';
import { conditionOf, startWorld, statusOf, type World } from './world.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const why = hasKubectl ? '' : ' (skipped: kubectl is not installed)';
const samples = 'test/cluster-extensions/samples';
const packageName = 'argocd-operator';
const extensionRef = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', name: 'argocd' };
const catalogRef = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name: 'operatorhubio' };
const patience = { timeoutMs: 90_000 };
const channels = {
  stable: ['0.2.1', '0.6.0', '1.3.1', '1.3.2', '2.3.0', '2.3.4', '2.4.0', '3.5.1', '3.6.0'],
  preview: ['0.9.0'],
  'dev-preview': ['0.9.1'],
} as const;

let world: World;
/** Stands for quay.io, by a mirror: the samples name their catalog there. */
let quay: Registry;
let dir = '';

function fillQuay(): void {
  const documents = packageDocuments({ name: packageName, channels }).map((document): JsonObject => {
    if (document['schema'] !== 'olm.bundle') return document;
    const version = document['image'] as string;
    // That of the sample with a namespace to watch supports nothing else.
    const modes = version === '0.2.1' ? 'OS' : 'A';
    const files = bundle(version, { packageName, modes, extra: [configMap('settings', { version })] });
    return {
      ...document,
      image: `quay.io/operatorhubio/argocd@${quay.putImage(`operatorhubio/argocd:v${version}`, [{ files }])}`,
    };
  });
  const files = { 'configs/catalog.json': documents.map((one) => JSON.stringify(one)).join('\n') };
  const label = 'operators.operatorframework.io.index.configs.v1';
  quay.putImage('operatorhubio/catalog:latest', [{ files }], { [label]: '/configs' });
}

beforeAll(async () => {
  if (!hasKubectl) return;
  dir = await mkdtemp(join(tmpdir(), 'longshore-samples-'));
  quay = await startRegistry();
  fillQuay();
  const mirror = { source: 'quay.io', mirrors: [quay.host], mirrorSourcePolicy: 'NeverContactSource' };
  const config = join(dir, 'registries.yaml');
  await writeFile(config, JSON.stringify({ imageDigestMirrors: [mirror], imageTagMirrors: [mirror] }));
  world = await startWorld(['--registry-config', config]);
  await kubectl('apply', '-f', `${samples}/catalog.yaml`);
  await eventually(async () => {
    expect(conditionOf(await world.kube.get(catalogRef), 'Serving')).toMatchObject({ status: 'True' });
  }, patience);
});
afterAll(async () => {
  if (!hasKubectl) return;
  await world[Symbol.asyncDispose]();
  await quay[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram('kubectl', [
    '--kubeconfig',
    world.platform.kubeconfigPath,
    ...args,
  ]);
  expect(code, stderr).toBe(0);
  return stdout;
}

// What these samples hold is that of the samples and how-to pages of Operator Lifecycle Manager 1.
test.skipIf(!hasKubectl).each([
  ['pinned-version', '0.6.0'],
  ['service-account', '0.6.0'],
  ['channels', '0.9.1'],
  ['channel-without-version', '3.6.0'],
  ['patch-releases', '2.3.4'],
  ['version-range', '3.5.1'],
  ['catalog-by-label', '3.6.0'],
  ['catalog-by-expression', '3.6.0'],
  ['self-certified', '0.6.0'],
  ['watch-namespace', '0.2.1'],
])(
  `kubectl applies the sample %s as it is, and version %s is installed until it is deleted${why}`,
  async (sample, version) => {
    await kubectl('apply', '-f', `${samples}/${sample}.yaml`);
    await eventually(async () => {
      const found = await world.kube.get(extensionRef);
      const install = { bundle: { name: `${packageName}.v${version}`, version } };
      expect(statusOf(found)).toMatchObject({ install });
      expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'True', reason: 'Succeeded' });
      expect(conditionOf(found, 'Progressing')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    }, patience);
    expect(await kubectl('get', 'configmap', 'settings', '-n', 'argocd', '-o', 'jsonpath={.data.version}')).toBe(
      version,
    );
    await kubectl('delete', 'clusterextension', 'argocd');
    expect(await kubectl('get', 'configmap', 'settings', '-n', 'argocd', '--ignore-not-found')).toBe('');
  },
);

test.skipIf(!hasKubectl)(`the downgrade of the tutorial runs as it is${why}`, async () => {
  await kubectl('apply', '-f', `${samples}/version-range.yaml`);
  await kubectl('wait', '--for=condition=Installed', 'clusterextension/argocd', '--timeout=60s');
  const spec = {
    install: { preflight: { crdUpgradeSafety: { enforcement: 'None' } } },
    source: { catalog: { upgradeConstraintPolicy: 'SelfCertified', version: '0.6.0' } },
  };
  await kubectl('patch', 'clusterextension', 'argocd', '--type=merge', '--patch', JSON.stringify({ spec }));
  const path = '{.status.install.bundle.version}';
  await kubectl('wait', `--for=jsonpath=${path}=0.6.0`, 'clusterextension/argocd', '--timeout=60s');
  expect(await kubectl('get', 'configmap', 'settings', '-n', 'argocd', '-o', 'jsonpath={.data.version}')).toBe('0.6.0');
});
