import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { application, brokenApplication } from './contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const hashLabel = 'core.rukpak.io/bundle-template-hash';
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function create(object: KubeObject): Promise<void> {
  await world.kube.create(object, { fieldManager: 'test' });
}

async function setTemplate(name: string, template: Parameters<World['kube']['patch']>[1]): Promise<void> {
  await world.kube.patch(
    { apiVersion, kind: 'BundleDeployment', name },
    { spec: { template } },
    { fieldManager: 'test' },
  );
}

async function setImage(name: string, source: ReturnType<World['imageSource']>): Promise<void> {
  await setTemplate(name, { spec: { source } });
}

const activeBundle = (deployment: KubeObject): string => statusOf(deployment)['activeBundle'] as string;

/** The only Bundle that the deployment has left, once it is the active one and `check` holds of it. */
async function onlyBundle(name: string, check: (bundle: KubeObject) => void): Promise<KubeObject> {
  return await eventually(async () => {
    const [bundle, ...more] = await world.ownedBundles(name);
    expect(more).toEqual([]);
    expect(bundle?.metadata.name).toBe(activeBundle(await world.get('BundleDeployment', name)));
    if (bundle === undefined) throw new Error('there is no Bundle');
    check(bundle);
    return bundle;
  });
}

describe('labels and annotations of the template', { shuffle: false }, () => {
  const name = 'labels';
  let first: KubeObject;

  test('Q26 reach the Bundle in place; those removed from the template are removed, those of others stay', async () => {
    const labels = { stays: 'yes', changes: 'before', goes: 'soon' };
    await create(bundleDeployment(name, world.imageSource('labels:v1', application(name, 1)), { labels }));
    await world.deploymentWith(name, installed);
    first = await onlyBundle(name, () => undefined);
    const ref = { apiVersion, kind: 'Bundle', name: first.metadata.name ?? '' };
    const others = { labels: { mine: 'too' }, annotations: { note: 'keep' } };
    await world.kube.patch(ref, { metadata: others }, { fieldManager: 'someone' });
    const settings = await world.get('ConfigMap', 'settings', name);
    await setTemplate(name, { metadata: { labels: { changes: 'after', goes: null }, annotations: { new: 'one' } } });
    const bundle = await onlyBundle(name, ({ metadata }) => {
      expect(metadata.labels?.[hashLabel]).not.toBe(first.metadata.labels?.[hashLabel]);
    });
    expect(bundle.metadata.uid).toBe(first.metadata.uid);
    expect(bundle.metadata.labels).toMatchObject({ stays: 'yes', changes: 'after', mine: 'too' });
    expect(bundle.metadata.labels).not.toHaveProperty('goes');
    expect(bundle.metadata.annotations).toMatchObject({ new: 'one', note: 'keep' });
    expect((await world.get('ConfigMap', 'settings', name)).metadata.resourceVersion).toBe(
      settings.metadata.resourceVersion,
    );
  });

  test('Q26 a Bundle of another release is recognized by its spec and gets the current hash', async () => {
    const ref = { apiVersion, kind: 'Bundle', name: first.metadata.name ?? '' };
    const { labels } = await world.kube.get(ref).then(({ metadata }) => metadata);
    await world.kube.patch(ref, { metadata: { labels: { [hashLabel]: '6c9f4d' } } }, { fieldManager: 'core' });
    const bundle = await onlyBundle(name, ({ metadata }) => {
      expect(metadata.labels?.[hashLabel]).toBe(labels?.[hashLabel]);
    });
    expect(bundle.metadata.uid).toBe(first.metadata.uid);
  });

  test('identify the upload: with different ones another Bundle waits for its content', async () => {
    const source = { type: 'upload', upload: {} };
    await create(bundleDeployment('uploads', source, { labels: { bundleDigest: '1' } }));
    await eventually(async () => {
      expect(await world.ownedBundles('uploads')).toHaveLength(1);
    });
    await setTemplate('uploads', { metadata: { labels: { bundleDigest: '2' } } });
    await eventually(async () => {
      const digests = (await world.ownedBundles('uploads')).map(({ metadata }) => metadata.labels?.['bundleDigest']);
      expect(new Set(digests)).toEqual(new Set(['1', '2']));
    });
  });
});

describe('many templates', { shuffle: false }, () => {
  const name = 'tries';

  test('N5, Q4 seven failing templates block nothing, and the active Bundle is always retained', async () => {
    await create(bundleDeployment(name, world.imageSource('tries:v1', application(name, 1))));
    await world.deploymentWith(name, installed);
    const first = await onlyBundle(name, () => undefined);
    for (let i = 1; i <= 7; i++) {
      await setImage(name, {
        type: 'image',
        image: { ref: `${world.registry.host}/none@sha256:${String(i).repeat(64)}`, pullSecret: 'registrysecret' },
      });
      await world.deploymentWith(name, { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed' });
      const names = (await world.ownedBundles(name)).map(({ metadata }) => metadata.name);
      expect(names).toContain(first.metadata.name);
    }
    await eventually(async () => {
      expect((await world.ownedBundles(name)).length).toBeLessThanOrEqual(4);
    });
    await setImage(name, world.imageSource('tries:v2', application(name, 2)));
    const second = await onlyBundle(name, ({ metadata }) => {
      expect(metadata.uid).not.toBe(first.metadata.uid);
    });
    expect((await world.get('ConfigMap', 'settings', name))['data']).toEqual({ version: '2' });
    expect(second.metadata.name).not.toBe(first.metadata.name);
  });

  test('N5 a return to the previous template uses its Bundle, which still exists', async () => {
    const before = await onlyBundle(name, () => undefined);
    for (let i = 1; i <= 5; i++) {
      await setImage(name, {
        type: 'image',
        image: { ref: `${world.registry.host}/gone@sha256:${String(i).repeat(64)}`, pullSecret: 'registrysecret' },
      });
      await world.deploymentWith(name, { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed' });
    }
    await setImage(name, world.imageSource('tries:v2', application(name, 2)));
    await world.deploymentWith(name, { type: 'HasValidBundle', status: 'True', reason: 'UnpackSuccessful' });
    const after = await onlyBundle(name, () => undefined);
    expect(after.metadata.uid).toBe(before.metadata.uid);
  });
});

describe('versions', { shuffle: false }, () => {
  test('a pivot changes what changed, removes what the new version lacks, and removes the old Bundle last', async () => {
    await create(bundleDeployment('app', world.imageSource('app:v1', application('app', 1))));
    const first = activeBundle(await world.deploymentWith('app', installed));
    const kept = await world.get('ConfigMap', 'kept', 'app');
    await setImage('app', world.imageSource('app:v2', application('app', 2)));
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.get('Bundle', first)))).toBe(true);
    });
    // The old Bundle goes last: whatever else had to happen has happened.
    expect((await world.get('ConfigMap', 'settings', 'app'))['data']).toEqual({ version: '2' });
    expect(isNotFound(await errorOf(world.get('ConfigMap', 'legacy', 'app')))).toBe(true);
    expect((await world.get('ConfigMap', 'kept', 'app')).metadata.uid).toBe(kept.metadata.uid);
    expect(activeBundle(await world.deploymentWith('app', installed))).not.toBe(first);
    await eventually(async () => {
      const { activeBundle: active, record } = statusOf(await world.get('BundleDeployment', 'app'));
      expect(record).toMatchObject({ bundles: [{ name: active }] });
      expect((record as { bundles: readonly unknown[] }).bundles).toHaveLength(1);
    });
  });

  test('N7, Q8 a version that cannot be applied changes nothing and reports the reason', async () => {
    const before = await world.get('ConfigMap', 'settings', 'app');
    const active = activeBundle(await world.get('BundleDeployment', 'app'));
    await setImage('app', world.imageSource('app:v3', brokenApplication('app')));
    const deployment = await world.deploymentWith('app', {
      type: 'Installed',
      status: 'False',
      reason: 'UpgradeFailed',
    });
    expect(conditionOf(deployment, 'Installed')?.message).toContain('ConfigMap "Not_A_Name"');
    expect(conditionOf(deployment, 'Installed')?.message).toContain('RFC 1123');
    expect(activeBundle(deployment)).toBe(active);
    expect(await world.get('ConfigMap', 'settings', 'app')).toEqual(before);
  });

  test('N6 objects of another deployment are not adopted, and the other is named', async () => {
    await create(bundleDeployment('app-twin', world.imageSource('app:v1', application('app', 1))));
    const twin = await world.deploymentWith('app-twin', {
      type: 'Installed',
      status: 'False',
      reason: 'InstallFailed',
    });
    expect(conditionOf(twin, 'Installed')?.message).toContain('BundleDeployment "app"');
    expect((await world.get('ConfigMap', 'settings', 'app')).metadata.labels?.['core.rukpak.io/owner-name']).toBe(
      'app',
    );
  });

  test('N8, Q8 drift from the installed version is corrected, though a later one failed', async () => {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'app', name: 'settings' };
    await world.kube.patch(ref, { data: { version: 'changed by hand' } }, { fieldManager: 'someone' });
    await world.kube.delete({ ...ref, name: 'kept' });
    await eventually(async () => {
      expect((await world.kube.get(ref))['data']).toEqual({ version: '2' });
      expect((await world.kube.get({ ...ref, name: 'kept' }))['data']).toEqual({ same: 'always' });
    });
  });

  test('a deployment that waits for the objects of another one installs once that is deleted', async () => {
    await world.kube.delete({ apiVersion, kind: 'BundleDeployment', name: 'app' });
    await world.deploymentWith('app-twin', installed);
    const settings = await world.get('ConfigMap', 'settings', 'app');
    expect(settings.metadata.labels?.['core.rukpak.io/owner-name']).toBe('app-twin');
    await eventually(async () => {
      expect(await world.ownedBundles('app')).toEqual([]);
    });
  });

  test('deletion leaves nothing behind, not even while the last version failed', async () => {
    await setImage('app-twin', world.imageSource('app:v3', brokenApplication('app')));
    await world.deploymentWith('app-twin', { type: 'Installed', status: 'False', reason: 'UpgradeFailed' });
    await world.kube.delete({ apiVersion, kind: 'BundleDeployment', name: 'app-twin' });
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.get('BundleDeployment', 'app-twin')))).toBe(true);
      expect(isNotFound(await errorOf(world.get('Namespace', 'app')))).toBe(true);
      expect(await world.ownedBundles('app-twin')).toEqual([]);
    });
  });
});

describe('an upgrade that fails half-way', { shuffle: false }, () => {
  const name = 'half';
  const group = 'admissionregistration.k8s.io/v1';
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'settings' };

  /** Refuses what a dry run allows: the name is seen only when it is meant. */
  async function guard(): Promise<void> {
    const matchConstraints = {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    };
    const spec = {
      failurePolicy: 'Fail',
      matchConstraints,
      matchConditions: [{ name: 'meant', expression: 'request.dryRun != true' }],
      validations: [
        { expression: "object.metadata.name != 'unwanted'", message: 'not allowed here', reason: 'Invalid' },
      ],
    };
    await create({ apiVersion: group, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'half' }, spec });
    const binding = { policyName: 'half', validationActions: ['Deny'] };
    await create({
      apiVersion: group,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'half' },
      spec: binding,
    });
    const unwanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'unwanted', namespace: 'default' } };
    await eventually(async () => {
      const refusal = await errorOf(
        world.kube.create(unwanted, { fieldManager: 'test' }).then(async () => {
          await world.kube.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'unwanted' });
        }),
      );
      expect(String(refusal)).toContain('not allowed here');
    });
  }

  test('N7, Q8 is rolled back, reports why, and is not retried', async () => {
    await create(bundleDeployment(name, world.imageSource('half:v1', application(name, 1))));
    const active = activeBundle(await world.deploymentWith(name, installed));
    await guard();
    const files = {
      ...application(name, 2),
      'manifests/05-extra.yaml': `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: extra, namespace: ${name}}\n`,
      'manifests/20-unwanted.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: unwanted, namespace: ${name}}\n`,
    };
    await setImage(name, world.imageSource('half:v2', files));
    const failed = await world.deploymentWith(name, { type: 'Installed', status: 'False', reason: 'UpgradeFailed' });
    expect(conditionOf(failed, 'Installed')?.message).toContain('not allowed here');
    expect(activeBundle(failed)).toBe(active);
    await eventually(async () => {
      expect((await world.kube.get(settings))['data']).toEqual({ version: '1' });
      expect((await world.get('ConfigMap', 'legacy', name))['data']).toEqual({ gone: 'soon' });
      expect(isNotFound(await errorOf(world.get('ServiceAccount', 'extra', name)))).toBe(true);
    });
    const { resourceVersion } = (await world.kube.get(settings)).metadata;
    await create(bundleDeployment('half-marker', world.imageSource('marker:v1', application('half-marker', 1))));
    await world.deploymentWith('half-marker', installed);
    expect((await world.kube.get(settings)).metadata.resourceVersion).toBe(resourceVersion);
    const fieldSelector = `involvedObject.uid=${failed.metadata.uid}`;
    const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default', fieldSelector });
    expect(items.filter((event) => event['reason'] === 'UpgradeFailed').map((event) => event['count'])).toEqual([1]);
  });

  test('N8, Q8 drift from the version before is corrected meanwhile', async () => {
    await world.kube.patch(settings, { data: { version: 'by hand' } }, { fieldManager: 'someone' });
    await eventually(async () => {
      expect((await world.kube.get(settings))['data']).toEqual({ version: '1' });
    });
  });

  test('N7, Q8 is retried after a change of any of our annotations', async () => {
    for (const kind of ['ValidatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy']) {
      await world.kube.delete({ apiVersion: group, kind, name: 'half' });
    }
    const annotations = { 'core.rukpak.io/try-again': '1' };
    await eventually(async () => {
      const unwanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'unwanted', namespace: 'default' } };
      await world.kube.create(unwanted, { fieldManager: 'test' });
    });
    await world.kube.patch(
      { apiVersion, kind: 'BundleDeployment', name },
      { metadata: { annotations } },
      { fieldManager: 'test' },
    );
    await world.deploymentWith(name, installed);
    expect((await world.kube.get(settings))['data']).toEqual({ version: '2' });
  });

  test('N8, Q30 drift that is corrected is reported, with its details', async () => {
    await world.kube.patch(settings, { data: { version: 'by hand' } }, { fieldManager: 'someone' });
    const { uid } = (await world.get('BundleDeployment', name)).metadata;
    await eventually(async () => {
      const target = {
        apiVersion: 'v1',
        kind: 'Event',
        namespace: 'default',
        fieldSelector: `involvedObject.uid=${uid}`,
      };
      const { items } = await world.kube.list(target);
      expect(items.filter((event) => event['reason'] === 'DriftRepaired').map((event) => event['message'])).toContain(
        `Corrected drift of ConfigMap "settings" in namespace "${name}"`,
      );
    });
    expect((await world.kube.get(settings))['data']).toEqual({ version: '2' });
  });
});
