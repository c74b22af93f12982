import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { application, brokenApplication } from '../e2e/contents.ts';
import { bundleDeployment, errorOf, startWorld, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const asTest = { fieldManager: 'test', force: true };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const ref = (name: string) => ({ apiVersion, kind: 'BundleDeployment', name });

/** Installs a version, does something to the metadata of the deployment, and asks for a version that is refused. */
async function disturb(name: string, metadata: JsonObject | undefined): Promise<void> {
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v1`, application(name, 1))), asTest);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  const next = bundleDeployment(name, world.imageSource(`${name}:v2`, brokenApplication(name)));
  const { resourceVersion = '' } = (await world.get('BundleDeployment', name)).metadata;
  if (metadata === undefined) {
    // As `kubectl replace` sends it: with nothing but what the file has.
    await world.kube.update({ ...next, metadata: { ...next.metadata, resourceVersion } }, asTest);
  } else {
    await world.kube.patch(ref(name), { metadata, spec: next['spec'] as JsonObject }, { fieldManager: 'test' });
  }
}

test.each([
  { name: 'replaced', metadata: undefined },
  { name: 'labels-null', metadata: { labels: null, annotations: null } },
  { name: 'one-label', metadata: { labels: { 'applyset.kubernetes.io/id': null } } },
  { name: 'finalizers-null', metadata: { finalizers: null } },
  { name: 'annotations-null', metadata: { annotations: null } },
  { name: 'everything-null', metadata: { annotations: null, labels: null, finalizers: null } },
])('what is installed stays when the next version is refused: $name', async ({ name, metadata }) => {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'settings' };
  await disturb(name, metadata as JsonObject | undefined);
  await world.deploymentWith(name, { type: 'Installed', status: 'False' });
  expect(await world.kube.get(settings)).toMatchObject({ data: { version: '1' } });
  expect((await world.get('Namespace', name)).metadata.deletionTimestamp).toBeUndefined();
  // The record of it is restored.
  await eventually(async () => {
    const { labels, annotations, finalizers } = (await world.get('BundleDeployment', name)).metadata;
    expect(labels).toHaveProperty(['applyset.kubernetes.io/id']);
    expect(annotations).toHaveProperty(['applyset.kubernetes.io/contains-group-kinds'], 'ConfigMap,Namespace');
    expect(finalizers).toContain('core.rukpak.io/remove-installed-objects');
  });
});

/** An installation in the namespace `before`, whose next version, for `after`, is refused. */
async function refuseMove(name: string, note: string): Promise<KubeObject> {
  const files = {
    'manifests/all.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: precious}\ndata: {version: "1"}\n',
  };
  const within = (deployment: KubeObject, installNamespace: string): KubeObject => {
    const { template, ...spec } = deployment['spec'] as JsonObject & { readonly template: JsonObject };
    const noted = { ...template, metadata: { annotations: { note } } };
    return { ...deployment, spec: { ...spec, template: noted, config: { installNamespace } } };
  };
  await world.kube.apply(
    within(bundleDeployment(name, world.imageSource(`${name}:v1`, files)), `${name}-before`),
    asTest,
  );
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  const precious = await world.get('ConfigMap', 'precious', `${name}-before`);
  const next = bundleDeployment(name, world.imageSource(`${name}:v2`, { 'manifests/all.yaml': 'no: object\n' }));
  await world.kube.apply(within(next, `${name}-after`), asTest);
  await world.deploymentWith(name, { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed' });
  return precious;
}

async function hasNotMoved(name: string, { metadata: { uid } }: KubeObject): Promise<void> {
  expect((await world.get('ConfigMap', 'precious', `${name}-before`)).metadata).toMatchObject({ uid });
  expect(isNotFound(await errorOf(world.get('Namespace', `${name}-after`)))).toBe(true);
}

test('the settings of a version that cannot be installed do not move the installed one', async () => {
  const name = 'settings-kept';
  const precious = await refuseMove(name, '');
  const place = { apiVersion: 'v1', kind: 'ConfigMap', namespace: `${name}-before`, name: 'precious' };
  await world.kube.patch(place, { data: { version: 'drift' } }, { fieldManager: 'test' });
  await eventually(async () => expect(await world.kube.get(place)).toMatchObject({ data: { version: '1' } }));
  await hasNotMoved(name, precious);
});

test('neither do they where those of the installed one are too large to be recorded', async () => {
  const name = 'large-settings-kept';
  const precious = await refuseMove(name, 'x'.repeat(130 * 1024));
  await eventually(async () => {
    const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
    expect(items.map((event) => event['reason'])).toContain('ActiveConfigUnknown');
  });
  await hasNotMoved(name, precious);
});
