import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { findObject, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { configMap, crd, namespace } from './contents.ts';
import { bundleDeployment, conditionOf, startWorld, type World } from './world.ts';

const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const service = `apiVersion: v1
kind: Service
metadata: {name: web, namespace: drift, labels: {app: web}}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
`;

const asUser = { fieldManager: 'someone' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
  const files = {
    'manifests/00-namespace.yaml': namespace('drift'),
    'manifests/10-settings.yaml': configMap('settings', 'drift', { version: '1' }),
    'manifests/20-web.yaml': service,
  };
  await install('drift', files);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function install(name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await world.kube.create(bundleDeployment(name, world.imageSource(`${name}:v1`, files)), { fieldManager: 'test' });
  await world.deploymentWith(name, installed);
}

const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'drift', name: 'settings' };
const web = { apiVersion: 'v1', kind: 'Service', namespace: 'drift', name: 'web' };

async function change(ref: typeof settings, patch: JsonObject, subresource?: 'status'): Promise<KubeObject> {
  const options = { fieldManager: 'someone', ...(subresource === undefined ? {} : { subresource }) };
  return await world.kube.patch(ref, patch, options);
}

describe('an installed object', () => {
  test('that another writer changes repeatedly is corrected less often, and an Event names it', async () => {
    await install('contested', {
      'manifests/00-namespace.yaml': namespace('contested'),
      'manifests/10-settings.yaml': configMap('settings', 'contested', { version: '1' }),
    });
    const ref = { ...settings, namespace: 'contested' };
    for (let round = 1; round <= 7; round++) {
      await change(ref, { data: { version: `changed by another ${round}` } });
      await eventually(async () => expect((await world.kube.get(ref))['data']).toEqual({ version: '1' }));
    }
    await eventually(async () => {
      const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
      const messages = items.flatMap(({ reason, message }) =>
        reason === 'DriftContested' && typeof message === 'string' ? [message] : [],
      );
      expect(messages.filter((message) => message.includes('in namespace "contested"'))).toEqual([
        expect.stringContaining('Another writer keeps changing ConfigMap "settings" in namespace "contested"'),
      ]);
    });
  });

  test('N8, U34 that a user changed is corrected, and their additions stay', async () => {
    await change(settings, {
      data: { version: 'changed by hand', mine: 'too' },
      metadata: { labels: { mine: 'yes' } },
    });
    await change(web, { spec: { selector: { app: 'other' } }, metadata: { labels: { app: 'other' } } });
    await eventually(async () => {
      expect(await world.kube.get(settings)).toMatchObject({
        data: { version: '1', mine: 'too' },
        metadata: { labels: { mine: 'yes' } },
      });
      const { spec, metadata } = await world.kube.get(web);
      expect(spec).toMatchObject({ selector: { app: 'web' } });
      expect(metadata.labels).toMatchObject({ app: 'web' });
    });
  });

  test('N8 that a user applied in the name of the field manager of installations is corrected', async () => {
    const { apiVersion, kind } = settings;
    const { managedFields = [], labels = {}, ownerReferences = [] } = (await world.kube.get(settings)).metadata;
    const times = managedFields.map(({ time }) => (typeof time === 'string' ? Date.parse(time) : 0));
    // Times of managed fields are whole seconds.
    await eventually(() => expect(Date.now()).toBeGreaterThan(Math.max(...times) + 1000));
    const metadata = { name: settings.name, namespace: settings.namespace, labels, ownerReferences };
    const object = { apiVersion, kind, metadata, data: { version: 'forged' } };
    const { object: changed } = await world.kube.apply(object, { fieldManager: 'longshore', force: true });
    expect(changed['data']).toMatchObject({ version: 'forged' });
    await eventually(async () => expect((await world.kube.get(settings))['data']).toMatchObject({ version: '1' }));
  });

  test('N8, U30 that a user deleted is created again', async () => {
    const before = await world.kube.get(settings);
    await world.kube.delete(settings);
    await eventually(async () => {
      const again = await world.kube.get(settings);
      expect(again.metadata.uid).not.toBe(before.metadata.uid);
      expect(again['data']).toEqual({ version: '1' });
    });
  });

  test('N8, Q29 whose owner labels and owner reference were removed has them again', async () => {
    const { labels, ownerReferences } = (await world.kube.get(settings)).metadata;
    const none = { 'core.rukpak.io/owner-kind': null, 'core.rukpak.io/owner-name': null };
    await change(settings, { metadata: { labels: none, ownerReferences: null } });
    await eventually(async () => {
      expect((await world.kube.get(settings)).metadata).toMatchObject({ labels, ownerReferences });
    });
    expect(ownerReferences).toHaveLength(1);
  });

  test('N8, Q29 that is a definition, whose owner labels were removed, has them again', async () => {
    await install('defined', { 'manifests/crd.yaml': crd('Buoy', 'drift.example.com') });
    const ref = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'buoys.drift.example.com',
    };
    const { labels } = (await world.kube.get(ref)).metadata;
    const none = { 'core.rukpak.io/owner-kind': null, 'core.rukpak.io/owner-name': null };
    await world.kube.patch(ref, { metadata: { labels: none } }, asUser);
    await eventually(async () => expect((await world.kube.get(ref)).metadata.labels).toEqual(labels));
  });

  test('N6, N8 in whose place another client has created an object of its own is reported, and that one stays', async () => {
    const deployment = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'replaced' };
    const pause = async (value: string | null): Promise<unknown> =>
      world.kube.patch(deployment, { metadata: { annotations: { 'core.rukpak.io/paused': value } } }, asUser);
    const [place, version] = ['replaced', { version: '1' }];
    await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: place } }, asUser);
    await install(place, {
      'manifests/10-settings.yaml': configMap('settings', place, version),
      'manifests/11-others.yaml': configMap('others', place, version),
    });
    await pause('true');
    await world.deploymentWith(place, { type: 'Paused', status: 'True' });
    const { apiVersion, kind } = settings;
    const refs = ['settings', 'others'].map((name) => ({ apiVersion, kind, namespace: place, name }));
    for (const ref of refs) await world.kube.delete(ref);
    const data = { theirs: 'yes' };
    const metadata = { namespace: place, name: 'settings' };
    const theirs = await world.kube.create({ apiVersion, kind, metadata, data }, asUser);
    await pause(null);
    const failing = await world.deploymentWith(place, { type: 'Installed', status: 'False' });
    expect(conditionOf(failing, 'Installed')?.message).toContain('ConfigMap "settings" in namespace "replaced" exists');
    expect((await world.kube.get({ apiVersion, kind, namespace: place, name: 'others' }))['data']).toEqual(version);
    expect(await world.kube.get({ apiVersion, kind, ...metadata })).toEqual(theirs);
    await world.kube.delete(deployment);
    await eventually(async () => expect(await findObject(world.kube, deployment)).toBeUndefined());
    expect(await world.kube.get({ apiVersion, kind, ...metadata })).toEqual(theirs);
  });

  test('N8 that cannot be corrected is reported on the deployment, until it is fixed', async () => {
    await change(web, { spec: { ports: [{ name: 'http', port: 8080 }] } });
    const failing = await world.deploymentWith('drift', {
      type: 'Installed',
      status: 'False',
      reason: 'ReconcileFailed',
    });
    expect(conditionOf(failing, 'Installed')?.message).toMatch(
      /Service "web".*spec\.ports\[1\]\.name: Duplicate value/,
    );
    await change(web, { spec: { ports: [{ name: 'http', port: 80 }] } });
    await world.deploymentWith('drift', installed);
  });

  test('U33 whose status alone changed is not written', async () => {
    const status = {
      conditions: [
        { type: 'Checked', status: 'True', reason: 'Seen', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    };
    const after = await change(web, { status }, 'status');
    // Another deployment that is made afterwards is through: whatever the status has set off is done by then.
    await install('after-status', { 'manifests/a.yaml': configMap('after-status', 'default', {}) });
    expect((await world.kube.get(web)).metadata.resourceVersion).toBe(after.metadata.resourceVersion);
  });

  test('U32 that was written as it is stays as it is', async () => {
    const before = await world.kube.get(settings);
    await change(settings, { data: { version: '1' } });
    await install('after-same', { 'manifests/a.yaml': configMap('after-same', 'default', {}) });
    const after = await world.kube.get(settings);
    expect(after['data']).toEqual(before['data']);
    expect(after.metadata.uid).toBe(before.metadata.uid);
  });
});
