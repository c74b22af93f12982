import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { acmeCsv, eventually, hasCorpus } from '../support/index.ts';
import { crd, type Files } from './contents.ts';
import { runProgram } from './program.ts';
import { corpusOperator, operator } from './registry-contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const label = 'operators.operatorframework.io.index.configs.v1';
const user = { fieldManager: 'test' };
const patience = { timeoutMs: 120_000 };
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const why = hasKubectl ? '' : ' (skipped: kubectl is not installed)';
const whyNoCorpus = hasCorpus ? why : ' (skipped: the corpus is not there)';
const deploymentKind = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' };
const operatorKind = { apiVersion: 'platform.openshift.io/v1alpha1', kind: 'PlatformOperator' };
const catalogKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' };
const aggregateKind = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterOperator' };
const aggregateName = 'platform-operators-aggregated';

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

let world: World;

interface Needs {
  readonly packageName: string;
  readonly range: string;
}

interface CatalogBundle {
  readonly packageName: string;
  readonly version: string;
  readonly replaces?: string;
  readonly needs?: Needs;
  /** Of another operator than the small one. */
  readonly files?: Files;
}

/** A small operator; its files declare what it needs, too. */
function filesOf({ packageName, version, needs, files }: CatalogBundle): Files {
  if (files !== undefined) return files;
  const kind = `${packageName.charAt(0).toUpperCase()}${packageName.slice(1)}`;
  const small = operator(
    [acmeCsv({ version }, { name: `${packageName}.v${version}` }), crd(kind, `${packageName}.example`)],
    packageName,
  );
  if (needs === undefined) return small;
  const value = { packageName: needs.packageName, version: needs.range };
  const dependencies = JSON.stringify({ dependencies: [{ type: 'olm.package', value }] });
  return { ...small, 'metadata/dependencies.yaml': dependencies };
}

function metasOf(bundle: CatalogBundle): JsonObject {
  const { packageName, version, needs } = bundle;
  const name = `${packageName}.v${version}`;
  const tag = `${packageName}-bundle:v${version}`;
  const digest = world.registry.putImage(tag, [{ files: filesOf(bundle) }]);
  const own: JsonObject = { type: 'olm.package', value: { packageName, version } };
  const required = { packageName: needs?.packageName ?? '', versionRange: needs?.range ?? '' };
  const properties = needs === undefined ? [own] : [own, { type: 'olm.package.required', value: required }];
  const image = `${world.registry.host}/${packageName}-bundle@${digest}`;
  return { schema: 'olm.bundle', package: packageName, name, image, properties };
}

/** Puts the image of a catalog with these bundles, a channel a package. */
function publish(bundles: readonly CatalogBundle[]): string {
  const packages = Map.groupBy(bundles, ({ packageName }) => packageName);
  const documents = [...packages].flatMap(([name, members]): JsonObject[] => [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    {
      schema: 'olm.channel',
      package: name,
      name: 'stable',
      entries: members.map(({ version, replaces }) => ({
        name: `${name}.v${version}`,
        ...(replaces !== undefined && { replaces: `${name}.v${replaces}` }),
      })),
    },
    ...members.map(metasOf),
  ]);
  const files = { 'configs/catalog.json': documents.map((document) => JSON.stringify(document)).join('\n') };
  return `${world.registry.host}/catalog@${world.registry.putImage('catalog:latest', [{ files }], { [label]: '/configs' })}`;
}

/** Shows a catalog to the cluster, until it serves it. */
async function offer(bundles: readonly CatalogBundle[]): Promise<void> {
  const ref = publish(bundles);
  const spec = { source: { type: 'Image', image: { ref } } };
  await world.kube.apply({ ...catalogKind, metadata: { name: 'shop' }, spec }, { ...user, force: true });
  await eventually(async () => {
    const { resolvedSource } = statusOf(await world.kube.get({ ...catalogKind, name: 'shop' }));
    expect(resolvedSource).toMatchObject({ image: { ref } });
  }, patience);
}

function tryKubectl(args: readonly string[], input = ''): ReturnType<typeof runProgram> {
  return runProgram('kubectl', ['--kubeconfig', world.platform.kubeconfigPath, ...args], { input });
}

async function kubectl(args: readonly string[], input = ''): Promise<void> {
  const { code, stderr } = await tryKubectl(args, input);
  if (code !== 0) throw new Error(stderr);
}

function platformOperator(name: string, packageName: string, upgradePolicy = 'None'): string {
  return JSON.stringify({
    ...operatorKind,
    metadata: { name },
    spec: { package: { name: packageName }, upgradePolicy },
  });
}

const operatorNamed = (name: string): Promise<KubeObject> => world.kube.get({ ...operatorKind, name });
const deploymentNamed = (name: string): Promise<KubeObject> => world.kube.get({ ...deploymentKind, name });

async function whenInstalledReports(name: string, expected: Readonly<Record<string, unknown>>): Promise<KubeObject> {
  return await eventually(async () => {
    const found = await operatorNamed(name);
    expect(conditionOf(found, 'Installed')).toMatchObject(expected);
    return found;
  }, patience);
}

async function isAt(name: string, bundle: string): Promise<void> {
  await eventually(async () => {
    const found = await operatorNamed(name);
    expect(statusOf(found)).toMatchObject({ resolved: { bundle } });
    expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'True', reason: 'InstallSuccessful' });
    expect(conditionOf(await deploymentNamed(name), 'Healthy')).toMatchObject({ status: 'True' });
  }, patience);
}

async function isDeleted(name: string): Promise<void> {
  await eventually(async () => expect(isNotFound(await errorOf(deploymentNamed(name)))).toBe(true), patience);
}

async function aggregateReports(expected: Readonly<Record<string, unknown>>): Promise<void> {
  await eventually(async () => {
    const found = await world.kube.get({ ...aggregateKind, name: aggregateName });
    expect(conditionOf(found, 'Available')).toMatchObject(expected);
  }, patience);
}

/** The kind of OpenShift, as far as the aggregate needs it, and the object that a release brings. */
async function bringAggregate(): Promise<void> {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'clusteroperators.config.openshift.io' },
    spec: {
      group: 'config.openshift.io',
      scope: 'Cluster',
      names: {
        plural: 'clusteroperators',
        singular: 'clusteroperator',
        kind: 'ClusterOperator',
        listKind: 'ClusterOperatorList',
      },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: schema } },
      ],
    },
  };
  await world.kube.create(definition as unknown as KubeObject, user);
  await eventually(
    () => world.kube.create({ ...aggregateKind, metadata: { name: aggregateName }, spec: {} }, user),
    patience,
  );
}

beforeAll(async () => {
  world = await startWorld();
  await eventually(async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'rukpak-system', name: 'default' };
    await world.kube.patch(account, { imagePullSecrets: [{ name: 'registrysecret' }] }, user);
  }, patience);
  await bringAggregate();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const needsBase = { packageName: 'base', range: '>=1.0.0' };
const base: CatalogBundle = { packageName: 'base', version: '1.0.0' };
const first: CatalogBundle = { packageName: 'tide', version: '1.0.0', needs: needsBase };

describe('platform operators that share a catalog', { shuffle: false }, () => {
  test.skipIf(!hasKubectl)(
    `E-072 an operator is installed with what it needs, updated twice, kept as it is, and removed${why}`,
    { tags: 'long' },
    async () => {
      await kubectl(['apply', '-f', '-'], platformOperator('tide', 'tide', 'Automatic'));
      await whenInstalledReports('tide', { status: 'False', reason: 'SourceFailed' });
      await aggregateReports({
        status: 'False',
        reason: 'PlatformOperatorError',
        message: 'encountered the failing tide platform operator with reason "SourceFailed"',
      });
      await offer([base, first]);
      await isAt('tide', 'tide.v1.0.0');
      await world.deploymentWith('base', { type: 'Installed', status: 'True' });
      const { resolved } = statusOf(await operatorNamed('tide'));
      expect(resolved).toMatchObject({
        version: '1.0.0',
        channel: 'stable',
        catalog: { name: 'shop', digest: matching(/^sha256:[0-9a-f]{64}$/) },
        dependencies: [{ package: 'base', bundle: 'base.v1.0.0', bundleDeployment: 'base' }],
      });
      await aggregateReports({
        status: 'True',
        reason: 'AsExpected',
        message: 'All platform operators are in a successful state',
      });

      const second = { ...first, version: '1.1.0', replaces: '1.0.0', needs: { ...needsBase, range: '>=2.0.0' } };
      const third = { ...first, version: '1.2.0', replaces: '1.1.0' };
      await offer([base, { ...base, version: '2.0.0', replaces: '1.0.0' }, first, second, third]);
      await isAt('tide', 'tide.v1.2.0');
      await eventually(async () => {
        const events = await world.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
        const reported = events.items
          .filter(({ reason }) => reason === 'Updating')
          .map(({ message }) => message as string);
        expect(reported.toSorted()).toEqual([
          expect.stringMatching(
            /^Updating from tide\.v1\.0\.0 to tide\.v1\.1\.0 .* replaces tide\.v1\.0\.0 .* with base\.v2\.0\.0/,
          ),
          expect.stringMatching(/^Updating from tide\.v1\.1\.0 to tide\.v1\.2\.0 .* replaces tide\.v1\.1\.0/),
        ]);
      }, patience);
      expect((await deploymentNamed('base')).metadata.annotations).toMatchObject({
        'platform.openshift.io/choice': matching(/base\.v2\.0\.0/),
      });

      const { uid, generation = 0 } = (await deploymentNamed('tide')).metadata;
      await kubectl([
        'patch',
        'bundledeployment',
        'tide',
        '--type=merge',
        '-p',
        '{"spec":{"provisionerClassName":"missing"}}',
      ]);
      await eventually(async () => {
        const { spec, metadata } = await deploymentNamed('tide');
        expect(spec).toMatchObject({ provisionerClassName: 'core-rukpak-io-plain' });
        expect(metadata.generation).toBeGreaterThan(generation);
      }, patience);
      await kubectl(['delete', 'bundledeployment', 'tide', '--wait=false']);
      await eventually(async () => expect((await deploymentNamed('tide')).metadata.uid).not.toBe(uid), patience);
      await isAt('tide', 'tide.v1.2.0');

      const another = await tryKubectl(['apply', '-f', '-'], platformOperator('again', 'tide'));
      expect(another.stderr).toContain('package "tide" is already installed by platformoperator "tide"');
      await kubectl(['delete', 'platformoperator', 'tide', '--wait=false']);
      await isDeleted('tide');
      await isDeleted('base');
      await aggregateReports({ status: 'True', message: 'No platform operators are present in the cluster' });
    },
  );

  test.skipIf(!hasKubectl)(`E-072 of several operators each reports its own fault${why}`, async () => {
    const hollow: CatalogBundle = {
      packageName: 'hollow',
      version: '1.0.0',
      files: { 'manifests/a.yaml': 'not: [a manifest' },
    };
    await offer([base, first, hollow]);
    await kubectl(['apply', '-f', '-'], platformOperator('tide', 'tide'));
    await kubectl(['apply', '-f', '-'], platformOperator('hollow', 'hollow'));
    await kubectl(['apply', '-f', '-'], platformOperator('nothing', 'nothing'));
    await isAt('tide', 'tide.v1.0.0');
    await whenInstalledReports('nothing', {
      status: 'False',
      reason: 'SourceFailed',
      message: 'failed to find candidate olm.bundles from the nothing package: no catalog that is served (shop) has it',
    });
    await whenInstalledReports('hollow', { status: 'False', reason: 'UnpackFailed' });
    await aggregateReports({
      status: 'False',
      message:
        '[encountered the failing hollow platform operator with reason "UnpackFailed", encountered the failing nothing platform operator with reason "SourceFailed"]',
    });
    await kubectl(['delete', 'platformoperator', '--all', '--wait=false']);
    for (const name of ['tide', 'base', 'hollow']) await isDeleted(name);
  });

  test.skipIf(!hasKubectl)(
    `a bundle that waits for a missing dependency reports where it is available${why}`,
    async () => {
      await offer([base, first]);
      const source = world.imageSource('alone:v1', filesOf({ ...first, packageName: 'alone' }));
      const made = bundleDeployment('alone', source, { templateClassName: 'core-rukpak-io-registry' });
      await world.kube.create(made, user);
      await eventually(async () => {
        const { message = '', reason } = conditionOf(await deploymentNamed('alone'), 'Installed') ?? {};
        expect(reason).toBe('DependenciesNotMet');
        expect(message).toContain(
          'base.v1.0.0 of catalog shop would meet it: install it by a PlatformOperator for package base',
        );
      }, patience);
      await kubectl(['apply', '-f', '-'], platformOperator('base', 'base'));
      await world.deploymentWith('alone', { type: 'Installed', status: 'True' });
      await kubectl(['delete', 'bundledeployment', 'alone', '--wait=false']);
      await isDeleted('alone');
      await kubectl(['delete', 'platformoperator', 'base', '--wait=false']);
      await isDeleted('base');
    },
  );

  /** The published one is the newest; those before it differ in their names and versions. */
  function mercury(version: string, replaces?: string): CatalogBundle {
    const renamed = Object.entries(corpusOperator('mercury-operator/1.0.2')).map(
      ([path, content]): [string, string] => [
        path,
        String(content)
          .replaceAll('mercury-operator.v1.0.2', `mercury-operator.v${version}`)
          .replace(/^( {2}version: )1\.0\.2$/m, `$1${version}`),
      ],
    );
    return {
      packageName: 'mercury-operator',
      version,
      ...(replaces !== undefined && { replaces }),
      needs: { packageName: 'camel-k', range: '>=1.9.0' },
      files: Object.fromEntries(renamed),
    };
  }

  test.skipIf(!hasKubectl || !hasCorpus)(
    `a published operator is installed with a package that it needs, updated twice, and removed${whyNoCorpus}`,
    { tags: 'long' },
    async () => {
      const others = [
        { packageName: 'camel-k', version: '1.9.0' },
        { packageName: 'strimzi-kafka-operator', version: '0.28.0' },
      ];
      await offer([mercury('1.0.0'), ...others]);
      await kubectl(['apply', '-f', '-'], platformOperator('strimzi-kafka-operator', 'strimzi-kafka-operator'));
      await kubectl(['apply', '-f', '-'], platformOperator('mercury-operator', 'mercury-operator', 'Automatic'));
      await isAt('mercury-operator', 'mercury-operator.v1.0.0');
      await world.deploymentWith('camel-k', { type: 'Installed', status: 'True' });
      await offer([mercury('1.0.0'), mercury('1.0.1', '1.0.0'), mercury('1.0.2', '1.0.1'), ...others]);
      await isAt('mercury-operator', 'mercury-operator.v1.0.2');
      await eventually(async () => {
        const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
        const reported = items.filter(({ reason }) => reason === 'Updating').map(({ message }) => message as string);
        expect(reported).toEqual(
          expect.arrayContaining([
            matching(/^Updating from mercury-operator\.v1\.0\.0 to mercury-operator\.v1\.0\.1/),
            matching(/^Updating from mercury-operator\.v1\.0\.1 to mercury-operator\.v1\.0\.2/),
          ]),
        );
      }, patience);
      await kubectl(['delete', 'platformoperator', '--all', '--wait=false']);
      for (const name of ['mercury-operator', 'camel-k', 'strimzi-kafka-operator']) await isDeleted(name);
    },
  );
});
