/** @module-tag long */
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, NoKindMatch } from '../../src/kube/index.ts';
import { Connection } from '../conformance/connection.ts';
import { acmeCsv, eventually, freePort, type Registry, startRegistry } from '../support/index.ts';
import { configMap, namespace, valid } from './contents.ts';
import { type OwnProcess, type OwnProcesses, openOwnProcesses, statusAt } from './own-processes.ts';
import { longshoreOn, type Printed, writeFolder } from './program.ts';
import { operator } from './registry-contents.ts';
import { bundle, bundleDeployment, conditionOf, errorOf, statusOf } from './world.ts';

const systemNamespace = 'rukpak-system';
const apiVersion = 'core.rukpak.io/v1alpha1';
const asTest = { fieldManager: 'test' };
const patience = { timeoutMs: 90_000 };

let processes: OwnProcesses;
let kube: KubeClient;
let registry: Registry;
let controllers: OwnProcess;
let webhook: OwnProcess;
/** As with a forwarded port: what the cluster calls the server is nothing that can be reached from here. */
let contentAddress = '';
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
beforeAll(async () => {
  processes = stack.use(await openOwnProcesses({ isBare: true }));
  registry = stack.use(await startRegistry());
  ({ kube } = processes);
});

const longshore = (...args: string[]): Promise<Printed> =>
  longshoreOn(processes.kubeconfig)(args, { timeoutMs: 180_000 });

/** What a kubelet does with a Secret that a pod mounts. */
async function mountSecret(name: string): Promise<string> {
  const dir = join(processes.folder, `mount-of-${name}`);
  await mkdir(dir, { recursive: true });
  const secret = await eventually(
    () => kube.get({ apiVersion: 'v1', kind: 'Secret', name, namespace: systemNamespace }),
    patience,
  );
  for (const [key, value] of Object.entries(secret['data'] as Record<string, string>)) {
    await writeFile(join(dir, key), Buffer.from(value, 'base64'));
  }
  return dir;
}

const webhookConfigurationRefs = [
  ['ValidatingWebhookConfiguration', 'rukpak-validating-webhook-configuration'],
  ['ValidatingWebhookConfiguration', 'crd-validation-webhook'],
  ['MutatingWebhookConfiguration', 'longshore-mutating-webhook-configuration'],
].map(([kind = '', name = '']) => ({ apiVersion: 'admissionregistration.k8s.io/v1', kind, name }));

/** Where the API server sends the reviews of each webhook. */
async function webhookAddresses(): Promise<readonly ({ url: string } | { service: JsonObject | undefined })[]> {
  const found = await Promise.all(webhookConfigurationRefs.map((ref) => kube.get(ref)));
  return found
    .flatMap((one) => objectsAt(one as unknown as JsonObject, 'webhooks'))
    .map((webhook) => {
      const clientConfig = objectAt(webhook, 'clientConfig');
      const url = textAt(clientConfig, 'url');
      return url === '' ? { service: objectAt(clientConfig, 'service') } : { url };
    });
}

/** What the content of this test needs, and nothing else: the overlay grants no permissions to install anything. */
async function bindContentPermissions(): Promise<void> {
  const every = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
  const rules = [
    { apiGroups: [''], resources: ['configmaps', 'namespaces', 'serviceaccounts'], verbs: every },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: every },
    { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: every },
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
      verbs: [...every, 'escalate', 'bind'],
    },
    { apiGroups: ['operators.example.com'], resources: ['*'], verbs: ['list'] },
  ];
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name: 'content-of-this-test' };
  await kube.apply({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules }, asTest);
  const subjects = [{ kind: 'ServiceAccount', name: 'core-admin', namespace: systemNamespace }];
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name };
  await kube.apply({ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata, subjects, roleRef }, asTest);
}

async function whenInstalled(name: string): Promise<void> {
  await eventually(async () => {
    const found = await kube.get({ apiVersion, kind: 'BundleDeployment', name });
    expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'True', reason: 'InstallationSucceeded' });
  }, patience);
}

async function isThere(ref: Parameters<KubeClient['get']>[0]): Promise<boolean> {
  kube.forgetKinds(ref.apiVersion);
  try {
    await kube.get(ref);
    return true;
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return false;
    throw thrown;
  }
}

function imageSource(name: string, files: Readonly<Record<string, string>>): { type: string; image: { ref: string } } {
  registry.putImage(name, [{ files }]);
  return { type: 'image', image: { ref: `${registry.host}/${name}` } };
}

describe('an installation from its dry run to its removal', { shuffle: false }, () => {
  test('a dry run reports what would be installed, and writes nothing', async () => {
    const printed = await longshore('install', '--dry-run');
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(printed.stdout).toContain('namespace/rukpak-system created (dry run)\n');
    expect(printed.stdout).toContain('deployment.apps/core created (dry run)\n');
    expect(await isThere({ apiVersion: 'v1', kind: 'Namespace', name: systemNamespace })).toBe(false);
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'bundles.core.rukpak.io',
    };
    expect(await isThere(crd)).toBe(false);
  });

  test('what an overlay needs and the cluster lacks is reported before anything is written', async () => {
    const printed = await longshore('install', '--overlay', 'cert-manager');
    expect(printed).toMatchObject({ code: 1, stdout: '' });
    expect(printed.stderr).toContain('install cert-manager first, or use the overlay self-signed; nothing was changed');
  });

  test('an installation that does not become ready reports what is missing', async () => {
    const printed = await longshore(
      'install',
      '--overlay',
      'least',
      '--image',
      'registry.example.com/l:1',
      '--timeout',
      '8',
    );
    expect(printed.code).toBe(1);
    expect(printed.stdout).toContain('deployment.apps/core created\n');
    expect(printed.stderr).toContain('longshore: not ready after 8 s\n');
    expect(printed.stderr).toContain('admission: ');
    const core = await kube.get({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'core',
      namespace: systemNamespace,
    });
    expect(JSON.stringify(core['spec'])).toContain('"image":"registry.example.com/l:1"');
  });

  test('the requested number of leaders share the work; the next installation retains the number, and an option reduces it', async () => {
    const deployments = async (): Promise<string[]> => {
      const { items } = await kube.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: systemNamespace });
      return items.map(({ metadata }) => metadata.name ?? '').toSorted();
    };
    const installed = async (...args: string[]): Promise<Printed> =>
      await longshore('install', '--overlay', 'least', '--timeout', '0', ...args);
    const more = await installed('--shards', '3');
    expect(more).toMatchObject({ code: 0, stderr: '' });
    expect(more.stdout).toContain('deployment.apps/core-3 created\n');
    const again = await installed();
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toContain(', 3 shards\n');
    expect(await deployments()).toEqual(['core', 'core-2', 'core-3', 'rukpak-webhooks']);
    const fewer = await installed('--shards', '1');
    for (const kind of ['deployment.apps', 'poddisruptionbudget.policy', 'networkpolicy.networking.k8s.io']) {
      expect(fewer.stdout).toContain(`${kind}/core-3 deleted: there are fewer shards\n`);
    }
    expect(await deployments()).toEqual(['core', 'rukpak-webhooks']);
    expect(await installed('--shards', '9')).toMatchObject({ code: 2, stdout: '' });
  });

  test('with the tokens of their service accounts, the processes start, serve and admit', async () => {
    const [contentPort, webhookPort] = [await freePort(), await freePort()];
    contentAddress = `https://localhost:${contentPort}`;
    const ofCore = await processes.kubeconfigOf('core-admin');
    controllers = await processes.startAs(ofCore, '/nonexistent', [
      'controllers',
      '--issue-certificates',
      '--leader-elect',
      '--http-bind-address',
      `:${contentPort}`,
      '--provisioner-storage-dir',
      join(processes.folder, 'bundles'),
    ]);
    const origin = `https://localhost:${webhookPort}`;
    // As the manifests lead them: a Service that no process beside the cluster is behind.
    const installed = await webhookAddresses();
    const service = { name: 'rukpak-webhook-service', namespace: systemNamespace };
    expect(installed).toEqual(installed.map(() => ({ service: expect.objectContaining(service) as JsonObject })));
    const tlsDir = await mountSecret('rukpak-webhook-certificate');
    webhook = await processes.startAs(await processes.kubeconfigOf('rukpak-webhooks-admin'), tlsDir, [
      'webhook',
      '--bind-address',
      `:${webhookPort}`,
      '--external-address',
      origin,
      '--drain',
      '10',
    ]);
    const registered = await webhookAddresses();
    expect(registered).toEqual(installed.map(() => ({ url: expect.stringContaining(`${origin}/`) as string })));
    const printed = await longshore('install', '--overlay', 'least', '--timeout', '90');
    expect(printed.stderr).toBe('deployment core ready\ndeployment rukpak-webhooks ready\nadmission ready\n');
    expect(printed).toMatchObject({ code: 0 });
    expect(printed.stdout).toMatch(/\nLongshore is installed\n$/);
    expect(await webhookAddresses(), 'addresses after another installation').toEqual(registered);
  });

  test('what the controllers may not install is reported, and installed when they have the permissions', async () => {
    const source = imageSource('refused:v1', { 'manifests/a.yaml': namespace('refused') });
    await kube.create(bundleDeployment('refused', source), asTest);
    await eventually(async () => {
      const found = await kube.get({ apiVersion, kind: 'BundleDeployment', name: 'refused' });
      expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'False' });
      expect(conditionOf(found, 'Installed')?.message).toMatch(/namespaces .*is forbidden/);
    }, patience);
    await bindContentPermissions();
    await whenInstalled('refused');
  });

  test('the walkthrough needs no more permissions than these: a plain bundle, an operator, an upload, a pivot, their removal', async () => {
    const plain = { 'manifests/a.yaml': `${namespace('plain')}---\n${configMap('a', 'plain', { a: '1' })}`, ...valid };
    await kube.create(bundleDeployment('plain', imageSource('plain:v1', plain)), asTest);
    const templateClassName = 'core-rukpak-io-registry';
    const source = imageSource('acme:v1', operator([acmeCsv()]));
    await kube.create(bundleDeployment('acme', source, { templateClassName }), asTest);
    const folder = join(processes.folder, 'uploaded');
    await writeFolder(folder, { 'manifests/a.yaml': `${namespace('uploaded')}---\n${configMap('b', 'uploaded', {})}` });
    const uploaded = await longshore('run', 'uploaded', folder, '--content-address', contentAddress);
    expect(uploaded).toMatchObject({ code: 0 });
    for (const name of ['plain', 'acme', 'uploaded']) await whenInstalled(name);

    const next = imageSource('plain:v2', { ...plain, 'manifests/a.yaml': namespace('plain') });
    const ref = { apiVersion, kind: 'BundleDeployment', name: 'plain' };
    await kube.patch(ref, { spec: { template: { spec: { source: next } } } }, asTest);
    const gone = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'plain' };
    await eventually(async () => expect(await isThere(gone)).toBe(false), patience);

    await eventually(async () => {
      const active = String(statusOf(await kube.get(ref))['activeBundle']);
      const listed = await longshore('content', active, '--content-address', contentAddress);
      expect(listed.stdout).toContain('manifests/crds.yaml');
    }, patience);
    await kube.delete({ apiVersion, kind: 'BundleDeployment', name: 'acme' });
    const role = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'acme-widget-controller-manager' };
    await eventually(async () => {
      expect(await isThere({ ...role, namespace: 'acme-widget-system' })).toBe(false);
      expect(await isThere({ apiVersion, kind: 'BundleDeployment', name: 'acme' })).toBe(false);
    }, patience);
  });

  test('ConfigMaps of the system namespace are protected, those of the cluster are not', async () => {
    const data = { apiVersion: 'v1', kind: 'ConfigMap', immutable: true };
    const metadata = { name: 'used', namespace: systemNamespace };
    await kube.create({ ...data, metadata, data: { 'a.yaml': namespace('from-config-map') } }, asTest);
    const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'used' }, path: 'manifests' }] };
    await kube.create(bundle('uses', source), asTest);
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: systemNamespace, name: 'used' };
    await eventually(async () => {
      expect(String(await errorOf(kube.delete(ref)))).toContain('configmap "used" is in-use by bundle "uses"');
    }, patience);
    await kube.delete({ apiVersion, kind: 'Bundle', name: 'uses' });
    await eventually(async () => {
      await kube.delete(ref);
    }, patience);
  });

  test('ConfigMaps of the system namespace are protected by their names, whatever the request', async () => {
    const labels = { of: 'this-test' };
    const metadata = { generateName: 'made-up-', namespace: systemNamespace, labels };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true } as unknown as KubeObject;
    const { name = '' } = (await kube.create(object, asTest)).metadata;
    using connection = new Connection(await readFile(processes.kubeconfig, 'utf8'));
    const path = `/api/v1/namespaces/${systemNamespace}/configmaps?labelSelector=of%3Dthis-test`;
    expect(await connection.ask({ method: 'DELETE', path, headers: {} })).toMatchObject({ status: 200 });
    expect(await isThere({ apiVersion: 'v1', kind: 'ConfigMap', namespace: systemNamespace, name })).toBe(false);
  });

  test('while the webhook drains, /readyz fails and admission continues', async () => {
    const ended = once(webhook.child, 'exit');
    webhook.child.kill('SIGTERM');
    await eventually(async () => expect(await statusAt(webhook.probePort, '/readyz')).toBe(503));
    const git = { repository: 'https://example.com/x', ref: { branch: 'main' }, directory: '../x' };
    const denied = await errorOf(kube.create(bundle('denied', { type: 'git', git }), { ...asTest, isDryRun: true }));
    expect(String(denied)).toContain('directory must define path');
    expect(await ended).toEqual([0, null]);
    // Without a registry, the cluster's own ConfigMap comes and goes all the same, and another one does not.
    const own = { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt', namespace: systemNamespace };
    await kube.delete(own).catch((thrown: unknown) => {
      if (!isNotFound(thrown)) throw thrown;
    });
    const metadata = { name: 'unguarded', namespace: systemNamespace };
    const refused = await errorOf(kube.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata } as KubeObject, asTest));
    expect(String(refused)).toContain('vconfigmaps.core.rukpak.io');
  });

  test('uninstall lists what is installed and changes nothing; with confirmation it removes everything', async () => {
    const refused = await longshore('uninstall');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('there are BundleDeployments: plain, refused, uploaded');
    expect(controllers.child.exitCode).toBeNull();
    for (const ref of webhookConfigurationRefs) await kube.delete(ref);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine', namespace: systemNamespace } };
    await kube.create(secret, asTest);
    const operator = { apiVersion: 'platform.openshift.io/v1alpha1', kind: 'PlatformOperator' };
    await kube.create({ ...operator, metadata: { name: 'waiting' }, spec: { package: { name: 'nothing' } } }, asTest);
    const catalog = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' };
    const image = { ref: `localhost:1/missing@sha256:${'0'.repeat(64)}` };
    await kube.create({ ...catalog, metadata: { name: 'far' }, spec: { source: { type: 'Image', image } } }, asTest);
    await eventually(async () => {
      expect((await kube.get({ ...catalog, name: 'far' })).metadata.finalizers).toHaveLength(1);
      expect((await kube.get({ ...operator, name: 'waiting' }))['status']).toBeDefined();
    }, patience);
    const unconfirmed = await longshore('uninstall', '--with-content');
    expect(unconfirmed).toMatchObject({ code: 1, stdout: '' });
    expect(unconfirmed.stderr).toMatch(/uninstall would delete \d+ objects, .*confirm with --yes/);
    const planned = await longshore('uninstall', '--with-content', '--dry-run');
    expect(planned.stdout).toContain('bundledeployment.core.rukpak.io/plain deleted (dry run)\n');
    expect(await isThere({ apiVersion, kind: 'BundleDeployment', name: 'plain' })).toBe(true);
    const removed = await longshore('uninstall', '--with-content', '--yes');
    expect(removed.stderr).toBe('');
    expect(removed.code).toBe(0);
    expect(removed.stdout).toContain('bundledeployment.core.rukpak.io/plain deleted\n');
    expect(removed.stdout).toContain('platformoperator.platform.openshift.io/waiting deleted\n');
    expect(removed.stdout).toContain('clustercatalog.olm.operatorframework.io/far deleted\n');
    expect(removed.stdout).toContain('namespace/rukpak-system stays: there are also Secret mine\n');
    // The overlay lets the controllers list no more than what is in the bundles: there may be objects of others.
    const { items } = await kube.list({ apiVersion: 'v1', kind: 'Event' });
    const events = items.map(({ message }) => (typeof message === 'string' ? message : ''));
    for (const name of ['plain', 'uploaded', 'refused']) {
      const kept = `Namespace "${name}" is retained: its contents cannot be listed`;
      expect(events.filter((message) => message.startsWith(kept))).toHaveLength(1);
      const { metadata } = await kube.get({ apiVersion: 'v1', kind: 'Namespace', name });
      expect(metadata.labels ?? {}).not.toHaveProperty(['core.rukpak.io/owner-name']);
      expect(metadata.deletionTimestamp).toBeUndefined();
      await kube.delete({ apiVersion: 'v1', kind: 'Namespace', name });
    }
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'bundles.core.rukpak.io',
    };
    expect(await isThere(crd)).toBe(false);
    const deleted = removed.stdout.split('\n').filter((line) => line.endsWith(' deleted'));
    expect(planned.stdout.replaceAll(' (dry run)', '').split('\n')).toEqual(expect.arrayContaining(deleted));
    await kube.delete({ apiVersion: 'v1', kind: 'Secret', name: 'mine', namespace: systemNamespace });
    const again = await longshore('uninstall', '--yes');
    expect(again).toMatchObject({ code: 0, stdout: 'namespace/rukpak-system deleted\nLongshore is uninstalled\n' });
    expect(await isThere({ apiVersion: 'v1', kind: 'Namespace', name: systemNamespace })).toBe(false);
  });
});
