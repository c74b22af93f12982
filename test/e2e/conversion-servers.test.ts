/** @module-tag long */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type JsonObject, objectAt, textAt } from '../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import type { Files } from './contents.ts';
import { openDataFolder } from './platform-process.ts';
import { longshoreOn, writeFolder } from './program.ts';
import { bundleDeployment, conditionOf, startWorld, type World } from './world.ts';

const group = 'servers.example';
const namespace = 'default';
const asTest = { fieldManager: 'test' };
const crdRef = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `gadgets.${group}` };
const deploymentRef = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'gadgets' };
const patient = { timeoutMs: 60_000 };

function crd(server: string): JsonObject {
  const clientConfig = { service: { namespace, name: server, path: '/convert', port: 443 } };
  return {
    apiVersion: crdRef.apiVersion,
    kind: crdRef.kind,
    metadata: { name: crdRef.name },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Gadget', plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList' },
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v2',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    },
  };
}

/** The Deployment and Service `server`, and a definition whose objects they convert; `isDown`: the Pods never get ready. */
function content(server: string, isDown: boolean, more: readonly JsonObject[] = [crd(server)]): Files {
  const labels = { app: server };
  const annotations = isDown ? { 'apiserver.longshore.dev/simulate': 'fail' } : {};
  const containers = [{ name: 'server', image: 'registry.example/gadgets:v1' }];
  const objects: readonly JsonObject[] = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: server, namespace },
      spec: { selector: labels, ports: [{ port: 443 }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: server, namespace, annotations },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    },
    ...more,
  ];
  return Object.fromEntries(objects.map((object, index) => [`manifests/${index}.yaml`, JSON.stringify(object)]));
}

async function serverInPlace(kube: KubeClient): Promise<string> {
  const found = (await kube.get(crdRef)) as unknown as JsonObject;
  return textAt(objectAt(found, 'spec', 'conversion', 'webhook', 'clientConfig', 'service'), 'name');
}

/** Which of the Deployments and Services of `server` there are. */
async function partsOf(kube: KubeClient, server: string): Promise<readonly string[]> {
  const refs = [
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: server },
    { apiVersion: 'v1', kind: 'Service', namespace, name: server },
  ];
  const found = await Promise.all(
    refs.map(async (ref) => {
      try {
        return [(await kube.get(ref)).kind];
      } catch (thrown) {
        if (isNotFound(thrown)) return [];
        throw thrown;
      }
    }),
  );
  return found.flat();
}

async function whenHealthReports(kube: KubeClient, text: string): Promise<void> {
  await eventually(async () => {
    const healthy = conditionOf(await kube.get(deploymentRef), 'Healthy');
    expect(healthy?.message).toContain(text);
  }, patient);
}

async function whenConvertedBy(kube: KubeClient, server: string): Promise<void> {
  await eventually(async () => expect(await serverInPlace(kube)).toBe(server), patient);
}

async function whenDeleted(kube: KubeClient, server: string): Promise<void> {
  await eventually(async () => expect(await partsOf(kube, server)).toEqual([]), patient);
}

const waiting = 'the new conversion waits for Deployment "two"';

async function becomes(world: World, name: string, files: Files): Promise<void> {
  const template = { spec: { source: world.imageSource(`gadgets:${name}`, files) } };
  await world.kube.patch(deploymentRef, { spec: { template } }, asTest);
}

async function startGadgets(args: readonly string[] = []): Promise<World> {
  const world = await startWorld(args);
  await world.kube.create(bundleDeployment('gadgets', world.imageSource('gadgets:one', content('one', false))), asTest);
  await eventually(() => world.deploymentWith('gadgets', { type: 'Healthy', status: 'True' }), patient);
  expect(await serverInPlace(world.kube)).toBe('one');
  return world;
}

describe('an upgrade whose conversion is served by another Deployment', () => {
  test('retains the previous one and its server until the new one is ready; a rollback before that needs nothing new', async () => {
    await using world = await startGadgets();
    const { kube } = world;
    await becomes(world, 'two-down', content('two', true));
    await whenHealthReports(kube, waiting);
    expect([await serverInPlace(kube), await partsOf(kube, 'one')]).toEqual(['one', ['Deployment', 'Service']]);
    await becomes(world, 'one', content('one', false));
    await whenDeleted(kube, 'two');
    expect([await serverInPlace(kube), await partsOf(kube, 'one')]).toEqual(['one', ['Deployment', 'Service']]);
    await becomes(world, 'two', content('two', false));
    await whenConvertedBy(kube, 'two');
    await whenDeleted(kube, 'one');
    await eventually(() => world.deploymentWith('gadgets', { type: 'Healthy', status: 'True' }), patient);
  }, 240_000);

  test('does not wait longer than the deadline of health', async () => {
    await using world = await startGadgets(['--health-deadline', '2']);
    const { kube } = world;
    await becomes(world, 'two-down', content('two', true));
    await whenConvertedBy(kube, 'two');
    await whenDeleted(kube, 'one');
  }, 240_000);

  test('does not wait if the previous one names a Service that does not exist', async () => {
    await using world = await startGadgets();
    const { kube } = world;
    await becomes(world, 'stray', content('one', false, [crd('absent')]));
    await whenConvertedBy(kube, 'absent');
    await becomes(world, 'two-down', content('two', true));
    await whenConvertedBy(kube, 'two');
    await whenDeleted(kube, 'one');
  }, 240_000);

  test('continues to wait after a restart', async () => {
    await using folder = await openDataFolder();
    let platform = await folder.start();
    const longshore = longshoreOn(folder.kubeconfigPath);
    const run = async (name: string, files: Files): Promise<void> => {
      const dir = await writeFolder(join(folder.path, name), files);
      expect(await longshore(['run', 'gadgets', dir, '--wait=false'])).toMatchObject({ code: 0 });
    };
    await run('one', content('one', false));
    await whenConvertedBy(platform.kube, 'one');
    await run('two-down', content('two', true));
    await whenHealthReports(platform.kube, waiting);
    await platform.stop();
    platform = await folder.start();
    await whenHealthReports(platform.kube, waiting);
    expect(await serverInPlace(platform.kube)).toBe('one');
    expect(await partsOf(platform.kube, 'one')).toEqual(['Deployment', 'Service']);
    await run('two', content('two', false));
    await whenConvertedBy(platform.kube, 'two');
    await whenDeleted(platform.kube, 'one');
  }, 240_000);
});

test('a bundle with objects of a kind that cannot be listed, because its conversion fails, reports it', {
  timeout: 240_000,
  tags: 'long',
}, async () => {
  await using world = await startGadgets();
  const object = (version: string, name: string): JsonObject => ({
    apiVersion: `${group}/${version}`,
    kind: 'Gadget',
    metadata: { name, namespace },
  });
  // The webhook has no server: what is stored in one version cannot be read in the other.
  await world.kube.create(object('v2', 'by-hand') as unknown as KubeObject, asTest);
  await becomes(world, 'more', content('one', false, [crd('one'), object('v1', 'brought')]));
  await eventually(
    async () => {
      const installed = conditionOf(await world.get('BundleDeployment', 'gadgets'), 'Installed');
      expect(installed?.message).toContain('Gadget objects could not be listed for 30 s');
    },
    { timeoutMs: 120_000 },
  );
});
