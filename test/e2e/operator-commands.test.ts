import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Registry, startRegistry } from '../../cli/examples/registry.ts';
import { type JsonObject, mapLimit } from '../../src/base/index.ts';
import { findObject, type KubeObject, refOf } from '../../src/kube/index.ts';
import { installedAlongside } from '../../src/operators/index.ts';
import { journeys } from '../faults/olm/journeys.ts';
import { serveCatalogs } from '../olm/catalogs.ts';
import { csv } from '../olm/objects.ts';
import { corpusBundlesDir, eventually, sampleCrd } from '../support/index.ts';
import { longshoreOn, type Printed } from './program.ts';
import { errorOf, startWorld, type World } from './world.ts';

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

const olm = 'operators.coreos.com/v1alpha1';
const user = { fieldManager: 'test' };
const operator = (...args: readonly string[]): Promise<Printed> =>
  longshoreOn(world.platform.kubeconfigPath)(['operator', ...args]);
const run = (folder: string, namespace: string): Promise<Printed> =>
  operator('run', folder, '-n', namespace, '--push-to', `${registry.host}/run`);

async function phaseOf(namespace: string, name: string): Promise<unknown> {
  const csv = await world.kube.get({ apiVersion: olm, kind: 'ClusterServiceVersion', namespace, name });
  return (csv['status'] as { phase?: string } | undefined)?.phase;
}

describe('longshore operator', { shuffle: false }, () => {
  test('an author runs a bundle, its next build, and removes it', async () => {
    const first = await run('examples/tide-gauge/v0.1.0', 'author');
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toContain('tide-gauge.v0.1.0 is installed');
    expect(await phaseOf('author', 'tide-gauge.v0.1.0')).toBe('Succeeded');

    const next = await run('examples/tide-gauge/v0.1.1', 'author');
    expect(next).toMatchObject({ code: 0 });
    expect(await phaseOf('author', 'tide-gauge.v0.1.1')).toBe('Succeeded');
    expect(await errorOf(phaseOf('author', 'tide-gauge.v0.1.0'))).toBeInstanceOf(Error);

    const again = await run('examples/tide-gauge/v0.1.1', 'author');
    expect(again).toMatchObject({ code: 0 });
    expect(await phaseOf('author', 'tide-gauge.v0.1.1')).toBe('Succeeded');

    const listed = await operator('list', '-n', 'author', '-o', 'json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ package: 'tide-gauge', state: 'installed' }]);
    const everywhere = await operator('list', '-n', 'elsewhere', '-A', '-o', 'json');
    expect(everywhere.stdout).toBe(listed.stdout);
    const removed = await operator('uninstall', 'tide-gauge', '-n', 'author', '--yes');
    expect(removed.stdout).toContain('CatalogSource author/tide-gauge-run deleted');
    const { items } = await world.kube.list({ apiVersion: olm, kind: 'CatalogSource', namespace: 'author' });
    expect(items).toEqual([]);
  });

  test('what is missing is explained, and what to do about it', async () => {
    const unknown = await operator('describe', 'no-such-operator', '-n', 'author');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('no Subscription to "no-such-operator" in namespace "author"');
    const unasked = await operator('catalog', 'remove', 'no-such-catalog');
    expect(unasked.stderr).toContain('no CatalogSource "no-such-catalog" in namespace "olm"');
    const unplanned = await operator('approve', 'install-none', '-n', 'author');
    expect(unplanned.stderr).toContain(
      'no InstallPlan "install-none", and no Subscription to "install-none" in namespace',
    );
    const unreachable = await operator('catalog', 'add', 'no-port', 'registry.example', '--address');
    expect(unreachable).toMatchObject({ code: 2, stderr: expect.stringContaining('expected HOST:PORT') as string });
    const unserved = await operator(
      'run',
      'examples/tide-gauge/v0.1.0',
      '-n',
      'author',
      '--push-to',
      '127.0.0.1:9/run',
    );
    expect(unserved.stderr).toMatch(/connect ECONNREFUSED 127\.0\.0\.1:9: .*--push-to names another one/);
  });

  test('a catalog is removed when that is confirmed, and what subscribes to it is named before', async () => {
    const added = await operator('catalog', 'add', 'short-lived', '127.0.0.1:9', '--address', '-n', 'default');
    expect(added).toMatchObject({ code: 0 });
    const unasked = await operator('catalog', 'remove', 'short-lived', '-n', 'default');
    expect(unasked.code).toBe(1);
    expect(unasked.stderr).toContain(
      'CatalogSource default/short-lived was not deleted: there is no terminal to ask on',
    );
    const removed = await operator('catalog', 'remove', 'short-lived', '-n', 'default', '--yes');
    expect(removed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('default/short-lived deleted') as string,
    });
    const { items } = await world.kube.list({ apiVersion: olm, kind: 'CatalogSource', namespace: 'default' });
    expect(items).toEqual([]);
  });

  test('a user sees what an operator brings before it is installed, approves its upgrades, and removes it with its definitions', async () => {
    const text = JSON.stringify(journeys.fleet.catalogs).replaceAll('$id', 'harbour');
    await using catalogs = await serveCatalogs(JSON.parse(text) as Record<string, JsonObject[]>);
    const addressOf = (name: string): string => catalogs.addresses.get(name) ?? '';
    const place = ['-n', 'harbour'];
    const source = { apiVersion: olm, kind: 'CatalogSource', namespace: 'harbour', name: 'shop' };
    const succeeds = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await operator(...args, ...place);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'harbour' } }, user);
    await succeeds('catalog', 'add', 'shop', addressOf('old'), '--address');
    await eventually(async () => expect((await operator('catalog', 'list')).stdout).toMatch(/harbour +shop .*READY/));
    expect(await succeeds('list-available', 'boat')).toMatch(
      /^boat +harbour\/shop +stable \(default\) +boat\.v0\.1\.0/m,
    );

    const unasked = await operator('install', 'boat', ...place);
    expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was installed') as string });
    for (const kind of ['Subscription', 'InstallPlan', 'ClusterServiceVersion']) {
      expect((await world.kube.list({ apiVersion: olm, kind, namespace: 'harbour' })).items, kind).toEqual([]);
    }
    const shown = await succeeds('install', 'boat', '--approval', 'Manual', '--yes');
    for (const line of [
      'Installing boat into namespace harbour',
      'OperatorGroup ',
      'boat.v0.1.0',
      'dock.v0.1.0',
      'dependencies, each with a Subscription of its own',
      'boats.harbour.example.com',
      'in all namespaces: get: nodes',
      'in its namespace: ',
      'boat.v0.1.0 is installed',
    ]) {
      expect(shown).toContain(line);
    }
    await world.kube.patch(source, { spec: { address: addressOf('new') } }, user);
    await eventually(async () => expect(await succeeds('describe', 'boat')).toContain('longshore operator approve'));
    const held = await operator('approve', 'boat', ...place);
    expect(held).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was changed') as string });
    expect(await succeeds('upgrade', 'boat', '--yes')).toContain('boat.v0.2.0 is installed');
    await eventually(async () =>
      expect(await succeeds('approve', 'boat', '--yes')).toContain('boat.v0.4.0 is installed'),
    );
    const removed = await succeeds('uninstall', 'boat', '--delete-crds', '--yes');
    expect(removed).toContain('CustomResourceDefinition boats.harbour.example.com deleted');
  });

  test('all versions of an operator that is being upgraded are removed, also when the Subscription was deleted before', async () => {
    const namespace = 'pier';
    await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
    const version = (name: string, packageName: string): KubeObject => {
      const { metadata, ...rest } = csv({ name });
      const labels = { [`operators.coreos.com/${packageName}.${namespace}`]: '' };
      return { ...rest, metadata: { ...(metadata as JsonObject), namespace, labels } } as unknown as KubeObject;
    };
    const both = [version('boat.v0.1.0', 'boat'), version('boat.v0.2.0', 'boat')];
    for (const one of [version('dock.v0.1.0', 'dock'), ...both]) await world.kube.create(one, user);
    const spec = { name: 'boat', channel: 'stable', source: 'shop', sourceNamespace: namespace };
    const metadata = { name: 'mine', namespace };
    await world.kube.create({ apiVersion: olm, kind: 'Subscription', metadata, spec }, user);
    const whole = await operator('uninstall', 'mine', '-n', namespace, '--yes');
    const deleted = both.map(({ kind, metadata: { name } }) => `${kind} pier/${name} deleted\n`).join('');
    expect(whole).toMatchObject({ code: 0, stdout: `Subscription pier/mine deleted\n${deleted}` });
    const absent = async (): Promise<void> => {
      for (const one of both) expect(await findObject(world.kube, refOf(one))).toBeUndefined();
    };
    await eventually(absent);
    const again = await operator('uninstall', 'boat', '-n', namespace, '--yes');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('no Subscription to "boat"') as string });
    for (const one of both) await world.kube.create(one, user);
    expect(await operator('uninstall', 'boat', '-n', namespace, '--yes')).toMatchObject({ code: 0, stdout: deleted });
    await eventually(absent);
    await world.kube.get({ apiVersion: olm, kind: 'ClusterServiceVersion', namespace, name: 'dock.v0.1.0' });
  });

  test('with an operator go the definitions that were installed for it alone, whatever ClusterServiceVersions name', async () => {
    const namespace = 'mole';
    const place = await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
    const define = async (plural: string, owners: readonly string[], references = {}): Promise<KubeObject> => {
      const sample = sampleCrd([{ name: 'v1', schema: { type: 'object' } }]);
      const marks = owners.map((owner) => installedAlongside({ namespace, name: owner }));
      const annotations = Object.fromEntries(marks);
      const metadata = { name: `${plural}.samples.example.com`, annotations, ...references };
      const names = { kind: plural, plural, singular: plural, listKind: `${plural}List` };
      const spec = { ...(sample['spec'] as JsonObject), names };
      return await world.kube.create({ ...sample, metadata, spec } as unknown as KubeObject, user);
    };
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Namespace', name: namespace, uid: place.metadata.uid ?? '' }];
    const own = await define('own', ['boat.v0.1.0', 'boat.v0.0.9']);
    const kept = [
      await define('shared', ['boat.v0.1.0', 'dock.v0.1.0']),
      await define('others', ['dock.v0.1.0']),
      await define('unknown', []),
      await define('owned', ['boat.v0.1.0'], { ownerReferences }),
    ];
    const owned = [own, ...kept].map(({ metadata: { name = '' } }) => ({ name, version: 'v1', kind: 'Sample' }));
    for (const [packageName, name] of [
      ['dock', 'dock.v0.1.0'],
      ['boat', 'boat.v0.1.0'],
      ['boat', 'forged'],
    ] as const) {
      const { metadata, spec, ...rest } = csv({ name });
      const labels = { [`operators.coreos.com/${packageName}.${namespace}`]: '' };
      const definitions = { customresourcedefinitions: { owned } };
      const made = { ...rest, metadata: { ...(metadata as JsonObject), namespace, labels } };
      const whole = { ...made, spec: { ...(spec as JsonObject), ...definitions } };
      await world.kube.create(whole as unknown as KubeObject, user);
    }
    const { code, stdout, stderr } = await operator('uninstall', 'boat', '-n', namespace, '--delete-crds', '--yes');
    expect(code, stderr).toBe(0);
    expect(stdout.match(/CustomResourceDefinition .* deleted/g)).toEqual([
      `CustomResourceDefinition ${own.metadata.name} deleted`,
    ]);
    for (const { metadata } of kept) expect(stderr).toContain(`CustomResourceDefinition ${metadata.name} stays: `);
    for (const one of kept) expect((await world.kube.get(refOf(one))).metadata.deletionTimestamp).toBeUndefined();
  });

  test('the catalog of a run in another namespace, which a Subscription names, stays', async () => {
    const [theirs, own] = ['wharf', 'slip'];
    for (const name of [theirs, own])
      await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
    const labels = { 'app.kubernetes.io/managed-by': 'longshore-operator-run' };
    const catalog = {
      apiVersion: olm,
      kind: 'CatalogSource',
      metadata: { name: 'boat-run', namespace: theirs, labels },
    };
    await world.kube.create({ ...catalog, spec: { sourceType: 'grpc', address: 'a.invalid:1' } }, user);
    const spec = { name: 'boat', channel: 'stable', source: 'boat-run', sourceNamespace: theirs };
    const metadata = { name: 'boat', namespace: own };
    await world.kube.create({ apiVersion: olm, kind: 'Subscription', metadata, spec }, user);
    const removed = await operator('uninstall', 'boat', '-n', own, '--yes');
    expect(removed).toMatchObject({ code: 0, stdout: expect.not.stringContaining('wharf/') as string });
    await world.kube.get(refOf(catalog));
  });

  /** Published operators that need nothing that a bare cluster lacks. */
  const published = [
    'ack-athena-controller',
    'aws-neuron-operator',
    'beegfs-csi-driver-operator',
    'cluster-impairment-operator',
    'clusterpulse',
    'datatrucker-operator',
    'eclipse-amlen-operator',
    'fence-agents-remediation',
    'hyperfoil-bundle',
    'ndb-operator',
  ];

  test.skipIf(!existsSync(corpusBundlesDir))(
    'ten published operators are installed by Subscriptions (skipped without the corpus)',
    { tags: 'long' },
    async () => {
      const results = await mapLimit(published, 3, async (name) => {
        const folder = join(corpusBundlesDir, name);
        const [version = ''] = readdirSync(folder).toSorted();
        const { code, stderr } = await run(join(folder, version), `op-${name}`);
        return code === 0 ? name : `${name}: ${stderr}`;
      });
      expect(results).toEqual(published);
    },
  );
});
