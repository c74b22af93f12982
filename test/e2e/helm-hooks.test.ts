import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { helmForTests } from '../clients/helm-program.ts';
import { eventually } from '../support/index.ts';
import { helloWorld } from './charts.ts';
import type { Files } from './contents.ts';
import { runLongshore, runProgram, writeFolder } from './program.ts';
import { isRealCluster } from './test-cluster.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const { path: helmPath, why } = await helmForTests();
const helmClass = 'core-rukpak-io-helm';
const namespace = 'rukpak-system';
const asTest = { fieldManager: 'test' };
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };

let world: World;
beforeAll(async () => {
  if (why === '') world = await startWorld(['--helm', helmPath]);
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

interface Hook {
  readonly name: string;
  readonly events: string;
  readonly weight?: number;
  readonly policy?: string;
}

/** A Job that is suspended: the test decides how it ends. */
function job({ name, events, weight = 0, policy = 'before-hook-creation' }: Hook): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-${name}
  annotations:
    helm.sh/hook: ${events}
    helm.sh/hook-weight: "${weight}"
    helm.sh/hook-delete-policy: ${policy}
spec:
  suspend: true
  template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}
`;
}

function withHooks(...hooks: readonly Hook[]): Files {
  return helloWorld(Object.fromEntries(hooks.map((hook) => [`templates/${hook.name}.yaml`, job(hook)])));
}

async function create(name: string, files: Files, config: JsonObject = {}): Promise<void> {
  const source = world.imageSource(`hooks-${name}:v1`, files);
  const made = bundleDeployment(name, source, { provisionerClassName: helmClass, templateClassName: helmClass });
  const spec = { ...(made['spec'] as JsonObject), config };
  await world.kube.create({ ...made, spec }, asTest);
}

const ref = (name: string) => ({ apiVersion: 'batch/v1', kind: 'Job', namespace, name });
const appRef = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name });
const deploymentRef = (name: string) => ({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name });

async function isAbsent(target: Parameters<World['kube']['get']>[0]): Promise<boolean> {
  return await world.kube.get(target).then(
    () => false,
    (thrown: unknown) => isNotFound(thrown),
  );
}

async function whenThere(name: string): Promise<KubeObject> {
  return await eventually(() => world.kube.get(ref(name)));
}

/** Ends a Job as its controller would. */
async function end(name: string, type: 'Complete' | 'Failed'): Promise<void> {
  const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const base = { lastProbeTime: time, lastTransitionTime: time, status: 'True' };
  const failed = { ...base, type: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the limit' };
  const criteria = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const ended = type === 'Complete' ? { ...base, type } : failed;
  const status = {
    startTime: time,
    conditions: [{ ...ended, type: criteria }, ended],
    ...(type === 'Complete' ? { completionTime: time, succeeded: 1 } : { failed: 1 }),
  };
  await world.kube.patch(ref(name), { status }, { ...asTest, subresource: 'status' });
}

async function configure(name: string, values: JsonObject): Promise<void> {
  await world.kube.patch(deploymentRef(name), { spec: { config: { values } } }, asTest);
}

describe.skipIf(why !== '')(`hooks of a chart${why}`, () => {
  test('run in order of their weights around an installation, and are waited for', async () => {
    const policy = 'before-hook-creation,hook-succeeded';
    const first = { name: 'first', events: 'pre-install', weight: -5 };
    const second = { name: 'second', events: 'pre-install', policy };
    await create('order', withHooks(second, first, { name: 'last', events: 'post-install' }));
    await whenThere('order-first');
    const waiting = await world.deploymentWith('order', {
      type: 'Installed',
      status: 'Unknown',
      reason: 'HookRunning',
    });
    expect(conditionOf(waiting, 'Installed')?.message).toBe('Waiting for the pre-install hook Job "order-first"');
    expect(await isAbsent(ref('order-second'))).toBe(true);
    await end('order-first', 'Complete');
    await whenThere('order-second');
    expect(await isAbsent(appRef('order-hello-world'))).toBe(true);
    await end('order-second', 'Complete');
    await whenThere('order-last');
    expect(await isAbsent(appRef('order-hello-world'))).toBe(false);
    expect(await isAbsent(ref('order-second'))).toBe(true);
    await end('order-last', 'Complete');
    await world.deploymentWith('order', installed);
  });

  test('are created in the order in which helm creates them', async () => {
    const hook = (kind: string, name: string, weight: number): string =>
      `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n  annotations: {helm.sh/hook: pre-install, helm.sh/hook-weight: "${weight}"}\n`;
    const hooks = [
      ['ConfigMap', 'zebra', -5],
      ['ConfigMap', 'apple', 0],
      ['Secret', 'melon', 0],
      ['ConfigMap', 'melon', 0],
      ['ServiceAccount', 'berry', 10],
      ['ConfigMap', 'cherry', 2],
    ] as const;
    const texts = hooks.map(([kind, name, weight]) => hook(kind, `hook-${name}`, weight));
    const files = helloWorld({ 'templates/hooks.yaml': texts.join('---\n') });
    const createdIn = async (place: string): Promise<readonly string[]> => {
      const lists = ['ConfigMap', 'Secret', 'ServiceAccount'].map(async (kind) => {
        const { items } = await world.kube.list({ apiVersion: 'v1', kind, namespace: place });
        return items.map(({ metadata }) => ({
          text: `${kind} ${metadata.name}`,
          at: Number(metadata.resourceVersion),
        }));
      });
      const found = (await Promise.all(lists)).flat().filter(({ text }) => text.includes(' hook-'));
      return found.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
    };
    const folder = await mkdtemp(join(tmpdir(), 'longshore-order-'));
    try {
      await writeFolder(join(folder, 'chart'), files);
      const place = ['-n', 'order-helm', '--create-namespace', '--kubeconfig', world.platform.kubeconfigPath];
      const printed = await runProgram(helmPath, ['install', 'sorted', join(folder, 'chart'), ...place]);
      expect({ code: printed.code, stderr: printed.stderr }).toMatchObject({ code: 0 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await create('sorted', files, { installNamespace: 'order-ours' });
    await world.deploymentWith('sorted', installed);
    expect(await createdIn('order-ours')).toEqual(await createdIn('order-helm'));
    expect(await createdIn('order-ours')).toHaveLength(hooks.length);
  });

  test('that fail before an upgrade leave the version before, and run again when they are deleted', async () => {
    await create('upgraded', withHooks({ name: 'migrate', events: 'pre-upgrade' }));
    await world.deploymentWith('upgraded', installed);
    expect(await isAbsent(ref('upgraded-migrate'))).toBe(true);
    await configure('upgraded', { replicaCount: 3 });
    await whenThere('upgraded-migrate');
    await end('upgraded-migrate', 'Failed');
    const failing = { type: 'Installed', status: 'False' };
    const found = await world.deploymentWith('upgraded', failing);
    expect(conditionOf(found, 'Installed')?.message).toContain(
      'pre-upgrade hook Job "upgraded-migrate" in namespace "rukpak-system" failed: BackoffLimitExceeded: Job has reached the limit',
    );
    expect(await world.kube.get(appRef('upgraded-hello-world'))).toMatchObject({ spec: { replicas: 1 } });
    const { uid } = (await world.kube.get(ref('upgraded-migrate'))).metadata;
    await world.kube.delete(ref('upgraded-migrate'));
    await eventually(async () => expect((await world.kube.get(ref('upgraded-migrate'))).metadata.uid).not.toBe(uid));
    await end('upgraded-migrate', 'Complete');
    await world.deploymentWith('upgraded', installed);
    expect(await world.kube.get(appRef('upgraded-hello-world'))).toMatchObject({ spec: { replicas: 3 } });
  });

  test('of a release that helm has installed are those of an upgrade', async () => {
    const hooks = [
      { name: 'setup', events: 'pre-install,pre-upgrade', policy: 'before-hook-creation,hook-succeeded' },
      { name: 'migrate', events: 'pre-upgrade' },
    ];
    const files = withHooks(...hooks);
    const folder = await mkdtemp(join(tmpdir(), 'longshore-adopted-'));
    try {
      await writeFolder(join(folder, 'chart'), files);
      const place = ['-n', namespace, '--kubeconfig', world.platform.kubeconfigPath, '--no-hooks'];
      expect(await runProgram(helmPath, ['install', 'adopted', join(folder, 'chart'), ...place])).toMatchObject({
        code: 0,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    const { uid } = (await world.kube.get(appRef('adopted-hello-world'))).metadata;
    await create('adopted', files);
    await whenThere('adopted-migrate');
    expect(statusOf(await world.kube.get(deploymentRef('adopted')))['record']).toMatchObject({
      hooks: { event: 'upgrade' },
    });
    await end('adopted-migrate', 'Complete');
    await whenThere('adopted-setup');
    await end('adopted-setup', 'Complete');
    await world.deploymentWith('adopted', installed);
    expect((await world.kube.get(appRef('adopted-hello-world'))).metadata.uid).toBe(uid);
  });

  test.skipIf(isRealCluster)('that fail are reported with the end of their log', async () => {
    const files = withHooks({ name: 'migrate', events: 'pre-install' });
    const simulated = `template:
    metadata:
      annotations: {apiserver.longshore.dev/simulate: fail, apiserver.longshore.dev/log: "migrating\\ntable is locked\\n"}
    spec: {restartPolicy: Never, containers: [{name: a, image: a}]}
  backoffLimit: 0
`;
    const text = (files['templates/migrate.yaml'] ?? '').replace(
      / {2}suspend: true\n {2}template: .*\n/,
      `  ${simulated}`,
    );
    await create('logged', { ...files, 'templates/migrate.yaml': text });
    const found = await world.deploymentWith('logged', { type: 'Installed', status: 'False', reason: 'InstallFailed' });
    const message = conditionOf(found, 'Installed')?.message;
    expect(message).toContain('pre-install hook Job "logged-migrate" in namespace "rukpak-system" failed');
    expect(message).toContain('its log ends with:\nmigrating\ntable is locked\nTo run it again, delete it');
    expect(await isAbsent(appRef('logged-hello-world'))).toBe(true);
  });

  test('that fail after an upgrade leave the new version, and are reported', async () => {
    await create('checked', withHooks({ name: 'check', events: 'post-upgrade' }));
    await world.deploymentWith('checked', installed);
    await configure('checked', { replicaCount: 2 });
    await whenThere('checked-check');
    await end('checked-check', 'Failed');
    const found = await world.deploymentWith('checked', { type: 'Installed', status: 'False' });
    expect(conditionOf(found, 'Installed')?.message).toContain('post-upgrade hook Job "checked-check"');
    expect(await world.kube.get(appRef('checked-hello-world'))).toMatchObject({ spec: { replicas: 2 } });
  });

  test('run as those of a rollback when a version returns that was installed before', async () => {
    await create('returning', withHooks({ name: 'undo', events: 'pre-rollback' }));
    await world.deploymentWith('returning', installed);
    await configure('returning', { replicaCount: 2 });
    await eventually(async () => {
      expect(await world.kube.get(appRef('returning-hello-world'))).toMatchObject({ spec: { replicas: 2 } });
    });
    await world.deploymentWith('returning', installed);
    expect(await isAbsent(ref('returning-undo'))).toBe(true);
    const spec = { config: { values: null } };
    await world.kube.patch(deploymentRef('returning'), { spec }, asTest);
    await whenThere('returning-undo');
    await end('returning-undo', 'Complete');
    await eventually(async () => {
      expect(await world.kube.get(appRef('returning-hello-world'))).toMatchObject({ spec: { replicas: 1 } });
    });
  });

  test('run before and after a removal, which leaves nothing of them', async () => {
    const hooks = [
      { name: 'before', events: 'pre-delete' },
      { name: 'after', events: 'post-delete' },
      { name: 'setup', events: 'pre-install' },
    ];
    await create('leaving', withHooks(...hooks));
    await whenThere('leaving-setup');
    await end('leaving-setup', 'Complete');
    await world.deploymentWith('leaving', installed);
    // What is pending does not move them: they may contain what its account may not read.
    const source = { type: 'image', image: { ref: `${world.registry.host}/missing:v1` } };
    const pending = { spec: { config: { installNamespace: 'elsewhere' }, template: { spec: { source } } } };
    await world.kube.patch(deploymentRef('leaving'), pending, asTest);
    await world.kube.delete(deploymentRef('leaving'));
    await whenThere('leaving-before');
    expect(await isAbsent(appRef('leaving-hello-world'))).toBe(false);
    await end('leaving-before', 'Complete');
    await whenThere('leaving-after');
    expect(await isAbsent(appRef('leaving-hello-world'))).toBe(true);
    await end('leaving-after', 'Complete');
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.kube.get(deploymentRef('leaving'))))).toBe(true);
      for (const { name } of hooks) expect(await isAbsent(ref(`leaving-${name}`))).toBe(true);
    });
  });

  test('are not run, and the release stays, where what was installed was orphaned before the controllers saw that', async () => {
    const hooks = [
      { name: 'before', events: 'pre-delete' },
      { name: 'after', events: 'post-delete' },
    ];
    await create('orphaned', withHooks(...hooks), { helmRelease: true });
    await world.deploymentWith('orphaned', installed);
    const annotations = { 'core.rukpak.io/paused': 'true' };
    await world.kube.patch(deploymentRef('orphaned'), { metadata: { annotations } }, asTest);
    await world.deploymentWith('orphaned', { type: 'Paused', status: 'True' });
    // As the garbage collector does it.
    const [bundle] = await world.ownedBundles('orphaned');
    const { apiVersion } = deploymentRef('orphaned');
    const bundleRef = { apiVersion, kind: 'Bundle', name: bundle?.metadata.name ?? '' };
    for (const dependent of [bundleRef, appRef('orphaned-hello-world')]) {
      await world.kube.patch(dependent, { metadata: { ownerReferences: [] } }, asTest);
    }
    await world.kube.delete(deploymentRef('orphaned'));
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.kube.get(deploymentRef('orphaned'))))).toBe(true);
    });
    for (const { name } of hooks) expect(await isAbsent(ref(`orphaned-${name}`))).toBe(true);
    const release = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'sh.helm.release.v1.orphaned.v1' };
    for (const kept of [appRef('orphaned-hello-world'), release]) {
      expect((await world.kube.get(kept)).metadata.deletionTimestamp).toBeUndefined();
    }
  });

  test('Q28 are not run where the configuration skips them', async () => {
    await create('skipping', withHooks({ name: 'setup', events: 'pre-install' }), { skipHooks: true });
    const found = await world.deploymentWith('skipping', installed);
    expect(await isAbsent(ref('skipping-setup'))).toBe(true);
    expect(statusOf(found)['record']).not.toHaveProperty('hooks');
  });

  test.skipIf(isRealCluster)(
    'of the event test run when they are requested, and a failure is reported with its log',
    async () => {
      const pod = (name: string, more: string): string => `apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-${name}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-weight: "${name === 'last' ? 1 : 0}"
${more}
spec: {restartPolicy: Never, containers: [{name: a, image: a}]}
`;
      const failing = `{{- if .Values.broken }}
    apiserver.longshore.dev/simulate: fail
    apiserver.longshore.dev/log: "connecting\\nrefused by the server\\n"
{{- end }}`;
      const files = helloWorld({
        'templates/first.yaml': pod('first', ''),
        'templates/last.yaml': pod('last', failing),
      });
      await create('tested', files);
      await world.deploymentWith('tested', installed);
      const podRef = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', namespace, name: `tested-${name}` });
      expect(await isAbsent(podRef('first'))).toBe(true);
      const { kubeconfigPath } = world.platform;
      const ended = await runLongshore(['test', 'tested', '--kubeconfig', kubeconfigPath]);
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 tests succeeded') as string });
      const { uid } = (await world.kube.get(podRef('first'))).metadata;
      await configure('tested', { broken: true });
      await world.deploymentWith('tested', installed);
      const failed = await runLongshore(['test', 'tested', '--kubeconfig', kubeconfigPath]);
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain('test hook Pod "tested-last" in namespace "rukpak-system" failed');
      expect(failed.stderr).toContain('its log ends with:\nconnecting\nrefused by the server');
      expect((await world.kube.get(podRef('first'))).metadata.uid).not.toBe(uid);
      const found = await world.kube.get(deploymentRef('tested'));
      expect(conditionOf(found, 'Tested')).toMatchObject({ status: 'False', reason: 'TestsFailed' });
      expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'True' });
      await world.kube.delete(deploymentRef('tested'));
      await eventually(async () => {
        for (const name of ['first', 'last']) expect(await isAbsent(podRef(name))).toBe(true);
      });
    },
  );

  test('whose Jobs the cluster deletes as soon as they end run once', async () => {
    const files = withHooks({ name: 'brief', events: 'post-install' });
    const text = (files['templates/brief.yaml'] ?? '').replace('suspend: true', 'ttlSecondsAfterFinished: 0');
    await create('brief', { ...files, 'templates/brief.yaml': text });
    await world.deploymentWith('brief', installed);
    await eventually(async () => expect(await isAbsent(ref('brief-brief'))).toBe(true));
  });

  test('that hold data are neither replaced nor deleted with the deployment', async () => {
    const hook = (policy: string): string => `annotations: {helm.sh/hook: "pre-install,pre-upgrade"${policy}}`;
    const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: jars.data.example.com
  ${hook(', helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded"')}
spec:
  group: data.example.com
  scope: Cluster
  names: {kind: Jar, plural: jars}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`;
    const map = (name: string, more: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  ${hook(more)}\n`;
    const files = {
      'templates/jars.yaml': definition,
      'templates/kept.yaml': map('data-kept', ', helm.sh/resource-policy: keep'),
      'templates/left.yaml': map('data-left', ''),
    };
    await create('data', helloWorld(files));
    await world.deploymentWith('data', installed);
    const definitionRef = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'jars.data.example.com',
    };
    const { uid } = (await world.kube.get(definitionRef)).metadata;
    const jar = { apiVersion: 'data.example.com/v1', kind: 'Jar', metadata: { name: 'full' } };
    await eventually(() => world.kube.create(jar, asTest));
    await configure('data', { replicaCount: 2 });
    await eventually(async () => {
      expect(await world.kube.get(appRef('data-hello-world'))).toMatchObject({ spec: { replicas: 2 } });
    });
    await world.deploymentWith('data', installed);
    expect((await world.kube.get(definitionRef)).metadata.uid).toBe(uid);
    await world.kube.delete(deploymentRef('data'));
    await eventually(async () => expect(await isAbsent(deploymentRef('data'))).toBe(true));
    expect((await world.kube.get(definitionRef)).metadata.uid).toBe(uid);
    expect((await world.kube.get({ apiVersion: jar.apiVersion, kind: jar.kind, name: 'full' })).metadata.name).toBe(
      'full',
    );
    const mapRef = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
    expect(await isAbsent(mapRef('data-left'))).toBe(true);
    expect(await isAbsent(mapRef('data-kept'))).toBe(false);
  });

  test('are not run over objects of others', async () => {
    const metadata = { name: 'guarded-setup', namespace, annotations: { 'helm.sh/hook': 'pre-install' } };
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } };
    const foreign = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { suspend: true, template } };
    const { uid } = (await world.kube.create(foreign as unknown as KubeObject, asTest)).metadata;
    await create('guarded', withHooks({ name: 'setup', events: 'pre-install' }));
    const found = await world.deploymentWith('guarded', {
      type: 'Installed',
      status: 'False',
      reason: 'InstallFailed',
    });
    expect(conditionOf(found, 'Installed')?.message).toContain('exists, and is no hook of this deployment');
    expect((await world.kube.get(ref('guarded-setup'))).metadata.uid).toBe(uid);
    expect(await isAbsent(appRef('guarded-hello-world'))).toBe(true);
  });
});
