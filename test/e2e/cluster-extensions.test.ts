import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JsonObject, parseYamlDocuments } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import {
  catalogOf,
  configMap,
  extension,
  bundle as filesOf,
  type PackageOptions,
} from '../cluster-extensions/objects.ts';
import { eventually } from '../support/index.ts';
import { longshoreOn, type Printed } from './program.ts';
import { account, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const label = 'operators.operatorframework.io.index.configs.v1';
const user = { fieldManager: 'test' };
const patience = { timeoutMs: 120_000 };
const extensionKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension' };
const catalogKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' };
const deploymentKind = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' };
const rbac = 'rbac.authorization.k8s.io';
const namespace = 'harbour-office';
const ref = { ...extensionKind, name: 'tide' };

let world: World;

beforeAll(async () => {
  world = await startWorld();
  await eventually(async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'rukpak-system', name: 'default' };
    await world.kube.patch(account, { imagePullSecrets: [{ name: 'registrysecret' }] }, user);
  }, patience);
  await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
  await world.kube.create(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'installer', namespace } },
    user,
  );
});
afterAll(() => world[Symbol.asyncDispose]());

/** Puts bundles and a catalog into the registry, and waits until the cluster serves it. */
async function publish(options: PackageOptions): Promise<void> {
  const { documents } = catalogOf(options);
  const filled = documents.map((document): JsonObject => {
    if (document['schema'] !== 'olm.bundle') return document;
    const version = document['image'] as string;
    const files = filesOf(version, { extra: [configMap('settings', { version })] });
    const digest = world.registry.putImage(`tide:v${version}`, [{ files }]);
    return { ...document, image: `${world.registry.host}/tide@${digest}` };
  });
  const files = { 'configs/catalog.json': filled.map((document) => JSON.stringify(document)).join('\n') };
  const image = `${world.registry.host}/catalog@${world.registry.putImage('catalog:latest', [{ files }], { [label]: '/configs' })}`;
  const spec = { source: { type: 'Image', image: { ref: image } } };
  await world.kube.apply({ ...catalogKind, metadata: { name: 'shop' }, spec }, { ...user, force: true });
  await eventually(async () => {
    const { resolvedSource } = statusOf(await world.kube.get({ ...catalogKind, name: 'shop' }));
    expect(resolvedSource).toMatchObject({ image: { ref: image } });
  }, patience);
}

async function reports(type: string, expected: Readonly<Record<string, unknown>>): Promise<KubeObject> {
  return await eventually(async () => {
    const found = await world.kube.get(ref);
    expect(conditionOf(found, type)).toMatchObject({ ...expected, observedGeneration: found.metadata.generation });
    return found;
  }, patience);
}

async function isAt(version: string): Promise<void> {
  await eventually(async () => {
    const found = await world.kube.get(ref);
    expect(statusOf(found)).toMatchObject({ install: { bundle: { name: `tide.v${version}`, version } } });
    expect(conditionOf(found, 'Progressing')).toMatchObject({ status: 'True', reason: 'Succeeded' });
  }, patience);
  const settings = await world.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace });
  expect(settings['data']).toEqual({ version });
}

const run = (...args: readonly string[]): Promise<Printed> =>
  longshoreOn(world.platform.kubeconfigPath)(args, { timeoutMs: 120_000 });

async function longshore(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Gives the account what the program prints that it needs. */
async function grant(): Promise<void> {
  const roles = parseYamlDocuments('roles', await longshore('permissions', 'clusterextension/tide'));
  for (const role of roles as unknown as KubeObject[]) await world.kube.apply(role, { ...user, force: true });
}

const line = { stable: ['1.0.0', { version: '1.1.0', replaces: '1.0.0' }] } as const;

describe('ClusterExtensions', { shuffle: false }, () => {
  describe('an extension from its installation to its removal', { shuffle: false }, () => {
    test('it is refused while its service account lacks permissions, with all of them, and nothing is written', async () => {
      await publish({ channels: { stable: ['1.0.0'] } });
      const asked = JSON.parse(JSON.stringify(extension()).replaceAll('$ns', namespace)) as KubeObject;
      await world.kube.create(asked, user);
      const found = await reports('Progressing', { status: 'True', reason: 'Retrying' });
      const { message = '' } = conditionOf(found, 'Progressing') ?? {};
      expect(message).toContain('(longshore permissions clusterextension/tide prints');
      expect(message).toMatch(
        /^error for resolved bundle "tide.v1.0.0" with version "1.0.0": serviceaccount "harbour-office\/installer" lacks permissions/,
      );
      for (const part of ['configmaps', 'serviceaccounts', 'deployments.apps', 'clusterroles', 'clusterrolebindings']) {
        expect(message).toContain(part);
      }
      expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'False', message: 'No bundle installed' });
      const settings = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace };
      expect(isNotFound(await errorOf(world.kube.get(settings)))).toBe(true);
    });

    test('it is installed once they are granted, as longshore permissions prints them', async () => {
      await grant();
      await isAt('1.0.0');
      const found = await reports('Installed', { status: 'True', reason: 'Succeeded' });
      expect(conditionOf(found, 'Installed')?.message).toMatch(
        /^Installed bundle \S+\/tide@sha256:[0-9a-f]{64} successfully$/,
      );
      expect(conditionOf(found, 'BundleDeprecated')).toMatchObject({ status: 'False', reason: 'NotDeprecated' });
    });

    test('drift of its objects, and of its BundleDeployment, is corrected', async () => {
      const settings = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace };
      await world.kube.patch(settings, { data: { version: 'x' } }, user);
      await world.kube.patch(
        { ...deploymentKind, name: 'tide' },
        { spec: { config: { serviceAccount: null, installNamespace: 'default' } } },
        user,
      );
      await eventually(async () => {
        expect((await world.kube.get(settings))['data']).toEqual({ version: '1.0.0' });
        const { spec } = await world.kube.get({ ...deploymentKind, name: 'tide' });
        expect(spec).toMatchObject({
          config: { serviceAccount: { name: 'installer', namespace }, installNamespace: namespace },
        });
      }, patience);
    });

    test('it is reported as deprecated, and updated when a successor is published', async () => {
      const deprecations = [{ of: 'bundle', name: 'tide.v1.0.0', message: 'use 1.1.0' }];
      await publish({ channels: { stable: ['1.0.0'] }, deprecations });
      await reports('BundleDeprecated', { status: 'True', reason: 'Deprecated', message: 'use 1.1.0' });
      await publish({ channels: line, deprecations });
      // Roles of a version are named after it: the account may not create them yet. What is installed stays.
      const found = await reports('Progressing', { status: 'True', reason: 'Retrying' });
      expect(conditionOf(found, 'Progressing')?.message).toContain('with version "1.1.0": serviceaccount');
      expect(statusOf(found)).toMatchObject({ install: { bundle: { version: '1.0.0' } } });
      await grant();
      await isAt('1.1.0');
      await reports('BundleDeprecated', { status: 'False', reason: 'NotDeprecated' });
    });

    test('longshore shows its history and tree, and rolls it back', async () => {
      const revisions = JSON.parse(await longshore('history', 'clusterextension/tide', '-o', 'json')) as {
        version: string;
      }[];
      expect(revisions.map(({ version }) => version)).toEqual(['1.0.0', '1.1.0']);
      expect(await longshore('tree', 'clusterextension/tide')).toContain('settings');
      const refused = await run('rollback', 'clusterextension/tide');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('clusterextension "tide" is not installed: Progressing=True (Retrying)');
      expect(refused.stderr).toContain('(longshore permissions clusterextension/tide prints');
      expect(refused.stderr).toContain('longshore tree clusterextension/NAME');
      await grant();
      await isAt('1.0.0');
      const { spec } = await world.kube.get(ref);
      const catalog = { version: '1.0.0', upgradeConstraintPolicy: 'SelfCertified' };
      expect(spec).toMatchObject({ source: { catalog } });
    });

    test('longshore doctor and completion know it, and its BundleDeployment is left to it', async () => {
      const { stdout } = await run('doctor', '-o', 'json');
      expect(stdout).toContain('ClusterExtension tide: deprecated: use 1.1.0');
      expect(await longshore('__complete', 'tree', 'clusterextension/')).toContain('\nclusterextension/tide\n');
      for (const command of ['rollback', 'delete']) {
        const refused = await run(command, 'tide');
        expect(refused.code).toBe(1);
        expect(refused.stderr).toContain(`use longshore ${command} clusterextension/tide; nothing was changed`);
      }
    });

    test('it is removed with everything that it installed, and reports what is in the way', async () => {
      const held = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace };
      await world.kube.patch(held, { metadata: { finalizers: ['example.com/hold'] } }, user);
      const deleting = longshore('delete', 'clusterextension/tide');
      await eventually(async () => {
        const progressing = conditionOf(await world.kube.get(ref), 'Progressing');
        expect(progressing?.message).toContain(
          'Waiting for the removal of tide: waiting for deletion of ConfigMap "settings"',
        );
      }, patience);
      await world.kube.patch(held, { metadata: { finalizers: null } }, user);
      expect(await deleting).toBe('clusterextension.olm.operatorframework.io "tide" deleted\n');
      expect(isNotFound(await errorOf(world.kube.get(ref)))).toBe(true);
      expect(isNotFound(await errorOf(world.kube.get({ ...deploymentKind, name: 'tide' })))).toBe(true);
      const settings = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace };
      expect(isNotFound(await errorOf(world.kube.get(settings)))).toBe(true);
    });
  });

  describe('what a user may do by a ClusterExtension', () => {
    const tenant = 'tenant';

    beforeAll(async () => {
      const rules = [{ apiGroups: ['olm.operatorframework.io'], resources: ['clusterextensions'], verbs: ['*'] }];
      const role = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: tenant }, rules };
      await world.kube.create(role as unknown as KubeObject, user);
      const subjects = [{ kind: 'User', name: tenant, apiGroup: rbac }];
      const roleRef = { kind: 'ClusterRole', name: tenant, apiGroup: rbac };
      await world.kube.create(
        { ...role, kind: 'ClusterRoleBinding', roleRef, subjects, rules: undefined } as never,
        user,
      );
    });

    const asked = (name: string, spec: JsonObject = {}): KubeObject =>
      JSON.parse(JSON.stringify(extension({ name, spec })).replaceAll('$ns', namespace)) as KubeObject;

    test('a service account that the user may not impersonate is refused', async () => {
      const kube = world.kube.actingAs({ user: tenant, groups: ['system:authenticated'] });
      const thrown = await errorOf(kube.create(asked('theft'), user));
      expect(String(thrown)).toContain(
        'user "tenant" may not impersonate serviceaccount "harbour-office/installer" (spec.serviceAccount)',
      );
    });

    test('the configuration names no other account or place', async () => {
      await publish({ channels: { stable: ['1.0.0'] } });
      const inline = { serviceAccount: { namespace: 'rukpak-system', name: 'core-admin' } };
      const config = { configType: 'Inline', inline };
      await world.kube.create(asked('escalation', { config }), user);
      await eventually(async () => {
        const found = await world.kube.get({ ...extensionKind, name: 'escalation' });
        expect(conditionOf(found, 'Progressing')).toMatchObject({ status: 'False', reason: 'InvalidConfiguration' });
      }, patience);
      for (const command of ['diff', 'history', 'rollback', 'tree', 'permissions']) {
        const { stderr } = await run(command, 'clusterextension/escalation');
        expect(stderr).toContain('nothing was chosen for clusterextension "escalation" yet: ');
        expect(stderr).toContain('unknown field "serviceAccount"');
      }
      expect(isNotFound(await errorOf(world.kube.get({ ...deploymentKind, name: 'escalation' })))).toBe(true);
      await world.kube.delete({ ...extensionKind, name: 'escalation' });
    });

    test('a BundleDeployment of another owner is not touched', async () => {
      const spec = {
        provisionerClassName: 'core-rukpak-io-plain',
        template: {
          spec: {
            provisionerClassName: 'core-rukpak-io-plain',
            source: { type: 'image', image: { ref: `${world.registry.host}/nothing:v1` } },
          },
        },
      };
      const mine = await world.kube.create({ ...deploymentKind, metadata: { name: 'mine' }, spec }, user);
      await world.kube.create(asked('mine'), user);
      await eventually(async () => {
        const found = await world.kube.get({ ...extensionKind, name: 'mine' });
        expect(conditionOf(found, 'Progressing')?.message).toContain(
          'BundleDeployment "mine" exists and was not made for this ClusterExtension',
        );
      }, patience);
      await world.kube.delete({ ...extensionKind, name: 'mine' });
      await eventually(
        async () => expect(isNotFound(await errorOf(world.kube.get({ ...extensionKind, name: 'mine' })))).toBe(true),
        patience,
      );
      const after = await world.kube.get({ ...deploymentKind, name: 'mine' });
      expect([after.metadata.uid, after['spec']]).toEqual([mine.metadata.uid, mine['spec']]);
    });
  });

  /** A file with the login of the registry. */
  async function logIn(): Promise<{ readonly path: string } & AsyncDisposable> {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-login-'));
    const path = join(folder, 'logins.json');
    const auth = Buffer.from(`${account.username}:${account.password}`).toString('base64');
    await writeFile(path, JSON.stringify({ auths: { [world.registry.host]: { auth } } }));
    return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
  }

  describe('an operator that something else has installed', { shuffle: false }, () => {
    const office = 'tide-office';
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'acme-widget-controller-manager',
      namespace: office,
    };
    let before: KubeObject;

    async function isUntouched(): Promise<void> {
      const { metadata } = await world.kube.get(deployment);
      expect([metadata.uid, metadata.generation]).toEqual([before.metadata.uid, before.metadata.generation]);
    }

    beforeAll(async () => {
      await publish({ channels: { stable: ['1.0.0'] } });
      const digest = world.registry.putImage('tide:v1.0.0', [
        { files: filesOf('1.0.0', { extra: [configMap('settings', { version: '1.0.0' })] }) },
      ]);
      const source = { type: 'image', image: { ref: `${world.registry.host}/tide@${digest}` } };
      const template = { spec: { provisionerClassName: 'core-rukpak-io-registry', source } };
      const spec = { provisionerClassName: 'core-rukpak-io-plain', config: { installNamespace: office }, template };
      await world.kube.create({ ...deploymentKind, metadata: { name: 'tide' }, spec }, user);
      await world.deploymentWith('tide', { type: 'Installed', status: 'True' });
      before = await world.kube.get(deployment);
    });

    test('becomes a ClusterExtension, and nothing of it restarts', async () => {
      const migrate = ['operator', 'migrate', 'tide', '--to', 'ClusterExtension', '--yes'];
      const refused = await run(...migrate);
      expect(refused.stderr).toContain('ClusterCatalog "shop" could not be read from here: ');
      expect(refused.stderr).toContain('--auth-file and --registry-ca give access to its image); nothing was changed');
      await using login = await logIn();
      await longshore(...migrate, '--registry-ca', world.caPath, '--auth-file', login.path);
      await reports('Installed', { status: 'True', reason: 'Succeeded' });
      const found = await world.kube.get(ref);
      expect(found['spec']).toMatchObject({
        namespace: office,
        source: { catalog: { packageName: 'tide', version: '1.0.0' } },
      });
      expect(statusOf(found)).toMatchObject({ install: { bundle: { name: 'tide.v1.0.0', version: '1.0.0' } } });
      await isUntouched();
    });

    test('and a BundleDeployment again', async () => {
      await longshore('operator', 'migrate', 'tide', '--to', 'BundleDeployment', '--yes');
      await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(ref)))).toBe(true), patience);
      await eventually(async () => {
        const { metadata } = await world.kube.get({ ...deploymentKind, name: 'tide' });
        expect(metadata.ownerReferences ?? []).toEqual([]);
      }, patience);
      await world.deploymentWith('tide', { type: 'Installed', status: 'True' });
      await isUntouched();
    });
  });
});
