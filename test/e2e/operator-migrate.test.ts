/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Registry, startRegistry } from '../../cli/examples/registry.ts';
import { isJsonObject, type JsonObject, objectAt, textAt } from '../../src/base/index.ts';
import { findObject, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { longshoreOn, type Printed, programPath } from './program.ts';
import { startWorld, type World } from './world.ts';

const olm = 'operators.coreos.com/v1alpha1';
const namespace = 'author';
const csvRef = { apiVersion: olm, kind: 'ClusterServiceVersion', namespace, name: 'tide-gauge.v0.1.0' };

const definitionRef = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'gauges.tide.example.com',
};

let world: World;
let registry: Registry;
beforeAll(async () => {
  world = await startWorld(['--olm']);
  registry = await startRegistry({});
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const longshore = (...args: readonly string[]): Promise<Printed> =>
  longshoreOn(world.platform.kubeconfigPath)(args, { timeoutMs: 180_000 });

async function list(apiVersion: string, kind: string, place = namespace): Promise<readonly KubeObject[]> {
  return (await world.kube.list({ apiVersion, kind, namespace: place })).items;
}

async function find(ref: Parameters<typeof world.kube.get>[0]): Promise<KubeObject | undefined> {
  return await findObject(world.kube, ref);
}

/** Runs a command and kills it as soon as it reports that something was deleted. */
async function interrupted(args: readonly string[]): Promise<void> {
  const env = { ...process.env, KUBECONFIG: world.platform.kubeconfigPath };
  const child = spawn(process.execPath, [programPath, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed.includes(' deleted')) child.kill('SIGKILL');
  });
  await ended;
  expect(printed).toContain('Subscription');
}

function templates(deployments: readonly KubeObject[]): unknown {
  return deployments.map((object) => [object.metadata.uid, objectAt(object as JsonObject, 'spec', 'template')]);
}

test('an operator of a Subscription becomes a BundleDeployment, its Pods and custom resources stay', async () => {
  const run = await longshore(
    'operator',
    'run',
    'examples/tide-gauge/v0.1.0',
    '-n',
    namespace,
    '--push-to',
    `${registry.host}/run`,
  );
  expect(run).toMatchObject({ code: 0 });
  const image = `${registry.host}/tide-gauge:v0.1.0`;
  expect(await longshore('bundle', 'push', 'examples/tide-gauge/v0.1.0', image)).toMatchObject({ code: 0 });
  const definition = await world.kube.get(definitionRef);
  const [version] = (definition['spec'] as unknown as { versions: readonly { name: string }[] }).versions;
  const gauge = {
    apiVersion: `tide.example.com/${version?.name}`,
    kind: 'Gauge',
    metadata: { namespace, name: 'pier' },
  };
  const resource = await world.kube.create(gauge, { fieldManager: 'user' });
  const before = await list('apps/v1', 'Deployment');
  const pods = await list('v1', 'Pod');
  expect(before.length).toBeGreaterThan(0);

  const dry = await longshore('operator', 'migrate', 'tide-gauge', '-n', namespace, '--image', image, '--dry-run');
  expect(dry.stderr).toBe('');
  expect(dry.stdout).toContain('the Pods stay');
  expect(dry.stdout).not.toContain('RESTART');
  const unasked = await longshore('operator', 'migrate', 'tide-gauge', '-n', namespace, '--image', image);
  expect(unasked.stderr).toContain('confirm with --yes');
  expect(
    await find({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'tide-gauge' }),
  ).toBeUndefined();

  await interrupted(['operator', 'migrate', 'tide-gauge', '-n', namespace, '--image', image, '--yes']);
  const done = await longshore('operator', 'migrate', 'tide-gauge', '-n', namespace, '--yes');
  expect(done).toMatchObject({ code: 0 });
  expect(await find(csvRef)).toBeUndefined();
  expect(await list(olm, 'Subscription')).toEqual([]);
  const after = await list('apps/v1', 'Deployment');
  expect(templates(after)).toEqual(templates(before));
  const owners = after.flatMap(({ metadata }) => metadata.ownerReferences ?? []);
  expect(owners.map(({ kind }) => kind)).toEqual(before.map(() => 'BundleDeployment'));
  expect(JSON.stringify(after)).not.toContain('olm.owner');
  expect((await list('v1', 'Pod')).map(({ metadata }) => metadata.uid)).toEqual(
    pods.map(({ metadata }) => metadata.uid),
  );
  expect((await world.kube.get(definitionRef)).metadata.uid).toBe(definition.metadata.uid);
  const live = await world.kube.get({ ...gauge, namespace, name: 'pier' });
  expect(live.metadata.uid).toBe(resource.metadata.uid);
  await eventually(async () => {
    const deployment = await world.kube.get({
      apiVersion: 'core.rukpak.io/v1alpha1',
      kind: 'BundleDeployment',
      name: 'tide-gauge',
    });
    const status = isJsonObject(deployment['status']) ? deployment['status'] : {};
    expect(JSON.stringify(status['conditions'])).toContain('"Healthy"');
  });
  // Repeated, it goes on where it was.
  expect(await longshore('operator', 'migrate', 'tide-gauge', '-n', namespace, '--yes')).toMatchObject({ code: 0 });
});

test('an operator of a Subscription becomes a PlatformOperator that follows the same catalog', async () => {
  const place = 'harbours';
  const pushTo = ['--push-to', `${registry.host}/harbour-run`];
  const run = await longshore('operator', 'run', 'examples/harbour/v1.0.0', '-n', place, ...pushTo);
  expect(run).toMatchObject({ code: 0 });
  const image = `${registry.host}/harbour:v1.0.0`;
  expect(await longshore('bundle', 'push', 'examples/harbour/v1.0.0', image)).toMatchObject({ code: 0 });
  const before = await list('apps/v1', 'Deployment', place);
  expect(before).toHaveLength(1);
  const migrate = ['operator', 'migrate', 'harbour', '-n', place, '--to', 'PlatformOperator', '--image', image];

  const without = await longshore(...migrate, '--yes');
  expect(without).toMatchObject({ code: 1 });
  expect(without.stderr).toContain('expected one with the image of CatalogSource harbours/harbour-run');
  expect(without.stderr).toContain('nothing was changed');
  const [source] = await list(olm, 'CatalogSource', place);
  const ref = textAt(objectAt(source as JsonObject | undefined, 'spec'), 'image');
  const catalog = {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name: 'harbours' },
    spec: { source: { type: 'Image', image: { ref } } },
  };
  await world.kube.create(catalog as unknown as KubeObject, { fieldManager: 'user' });
  await eventually(async () => {
    expect(JSON.stringify(await world.kube.get({ ...catalog, name: 'harbours' }))).toContain('"reason":"Available"');
  });
  const dry = await longshore(...migrate, '--name', 'port', '--dry-run');
  expect(dry.stderr).toBe('');
  expect(dry.stdout).toContain('the Pods stay');
  expect(dry.stdout).toContain('PlatformOperator port keeps package harbour installed');

  await interrupted([...migrate, '--name', 'port', '--yes']);
  const other = await longshore('operator', 'migrate', 'harbour', '-n', place, '--to', 'BundleDeployment', '--yes');
  expect(other.stderr).toContain('was migrated to PlatformOperator "port" before');
  const done = await longshore('operator', 'migrate', 'harbour', '-n', place, '--yes');
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('harbour.v1.0.0 is PlatformOperator port from now on');

  expect(await list(olm, 'ClusterServiceVersion', place)).toEqual([]);
  expect(await list(olm, 'Subscription', place)).toEqual([]);
  const after = await list('apps/v1', 'Deployment', place);
  expect(templates(after)).toEqual(templates(before));
  const operator = await world.kube.get({
    apiVersion: 'platform.openshift.io/v1alpha1',
    kind: 'PlatformOperator',
    name: 'port',
  });
  expect(operator).toMatchObject({
    spec: { package: { name: 'harbour' }, upgradePolicy: 'Automatic' },
    status: {
      activeBundleDeployment: { name: 'port' },
      resolved: { bundle: 'harbour.v1.0.0', version: '1.0.0', image, catalog: { name: 'harbours' } },
    },
  });
  const deployment = await world.kube.get({
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'BundleDeployment',
    name: 'port',
  });
  expect(deployment.metadata.ownerReferences).toMatchObject([{ kind: 'PlatformOperator', name: 'port' }]);
  expect(deployment['spec']).toMatchObject({ config: { installNamespace: place } });
});
