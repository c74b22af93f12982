/** @module-tag long */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { chromiumPath, violationsOf } from '../support/browser.ts';
import { createAccount } from '../support/console.ts';
import { type ConsolePlatform, openConsolePlatform } from '../support/console-platform.ts';
import { eventually } from '../support/index.ts';
import { picture } from '../support/pictures.ts';
import { isRealCluster } from './test-cluster.ts';

const hasBrowser = chromiumPath !== undefined;
const why = hasBrowser ? '' : ' (skipped: there is no Chromium; apt-get install chromium)';
const hasLogs = !isRealCluster;
const whyNoLogs = hasLogs ? '' : ' (skipped: without a kubelet there are no logs of Pods)';
const user = { fieldManager: 'test' };
const provisionerClassName = 'core-rukpak-io-plain';
const rbac = 'rbac.authorization.k8s.io/v1';
const patience = { timeout: 90_000 };
const logAnnotation = 'apiserver.longshore.dev/log';
const script = '<script>window.hacked=1</script>';

let world: ConsolePlatform;

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.waitForSelector('main h1');
}

/** A Pod of the controllers, with what they have logged. */
async function createControllerPod(lines: readonly object[]): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const metadata = {
    name: 'core-0',
    namespace: 'rukpak-system',
    labels: { app: 'core' },
    annotations: { [logAnnotation]: text },
  };
  const spec = { containers: [{ name: 'manager', image: 'example.org/longshore' }] };
  await world.platform.kube.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec } as unknown as KubeObject, user);
}

/** What a user needs to see installations with the logs of the controllers. */
async function grant(name: string): Promise<void> {
  const rules = [
    { apiGroups: ['core.rukpak.io'], resources: ['bundledeployments'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  ];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'log-reader' };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }];
  const role = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'log-reader' }, rules };
  const binding = { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: 'log-reader' }, roleRef, subjects };
  for (const object of [role, binding]) await world.platform.kube.apply(object as unknown as KubeObject, user);
}

/** The Pod that the example bundle has led to. */
async function podOfBundle(): Promise<{ readonly name: string; readonly namespace: string }> {
  return await eventually(
    async () => {
      const { items } = await world.platform.kube.list({ apiVersion: 'v1', kind: 'Pod' });
      const found = items.find(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'ReplicaSet');
      const { name = '', namespace = '' } = found?.metadata ?? {};
      expect(name).not.toBe('');
      return { name, namespace };
    },
    { timeoutMs: 90_000 },
  );
}

beforeAll(async () => {
  if (!hasBrowser) return;
  world = await openConsolePlatform();
  const source = { type: 'image', image: { ref: `${world.registry.host}/combo:v0.0.2` } };
  const spec = { provisionerClassName, template: { spec: { provisionerClassName, source } } };
  const metadata = { name: 'combo' };
  const object = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', metadata, spec };
  await world.platform.kube.apply(object as unknown as KubeObject, user);
});

afterAll(async () => {
  if (hasBrowser) await world[Symbol.asyncDispose]();
});

async function finish(page: Page): Promise<void> {
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(await violationsOf(page)).toEqual([]);
  expect(world.troubles).toEqual([]);
  await page.context().close();
}

describe.skipIf(!hasBrowser)(`logs in the console${why}`, { timeout: 240_000 }, () => {
  test('what the controllers of this machine logged about an installation, problems alone where they are asked for', async () => {
    const page = await world.open();
    await goTo(page, '/installed/BundleDeployment/-/combo');
    await page.waitForSelector('.pill >> text=Healthy', patience);
    await page.click('.tabs >> text=Log');
    await page.waitForSelector('main .list >> text=controller=bundledeployment', patience);
    await picture(page, 'log');
    await page.getByLabel('Warnings and errors').check();
    expect(new URL(page.url()).searchParams.get('level')).toBe('problems');
    await page.locator('main .list li', { hasText: 'bundle installed' }).waitFor({ state: 'detached' });
    await page.getByLabel('Warnings and errors').uncheck();
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.waitForSelector('main .list >> text=controller=bundledeployment');
    await finish(page);
  });

  test.skipIf(!hasLogs)(`what the Pods of the controllers logged, for a user who may read it${whyNoLogs}`, async () => {
    const entry = { time: new Date().toISOString(), controller: 'bundledeployment', object: 'combo' };
    await createControllerPod([
      { ...entry, level: 30, msg: 'bundle installed' },
      { ...entry, level: 50, msg: `apply failed: ${script}` },
      { ...entry, level: 30, object: 'other', msg: 'of another installation' },
    ]);
    const { kube, kubeconfigPath } = world.platform;
    const token = await createAccount(kube, await loadClusterAccess({ path: kubeconfigPath }), 'log-reader');
    await grant('log-reader');
    const page = await world.openAs(token, { theme: 'dark' });
    await goTo(page, '/installed/BundleDeployment/-/combo?tab=log');
    await page.waitForSelector('main .list >> text=bundle installed', patience);
    await page.waitForSelector(`main .list >> text=apply failed: ${script}`);
    expect(await page.locator('main .list', { hasText: 'of another installation' }).count()).toBe(0);
    expect(await page.locator('main .list li', { hasText: 'core-0' }).count()).toBe(2);
    await page.waitForSelector('text=kubectl logs -n rukpak-system -l app=core');
    // The Pod that the content server of this machine has in the cluster.
    await page.waitForSelector('text=this server runs no containers');
    await page.getByLabel('Warnings and errors').check();
    await page.locator('main .list li', { hasText: 'bundle installed' }).waitFor({ state: 'detached' });
    await finish(page);
  });

  test.skipIf(!hasLogs)(`the log of a Pod of the installation${whyNoLogs}`, async () => {
    const { name, namespace } = await podOfBundle();
    const pod = { apiVersion: 'v1', kind: 'Pod', namespace, name };
    const page = await world.open();
    const key = new URLSearchParams({ tab: 'objects', object: `v1 Pod ${namespace} ${name}` }).toString();
    await goTo(page, `/installed/BundleDeployment/-/combo?${key}`);
    await page.getByRole('button', { name: 'Show the log' }).click(patience);
    await page.waitForSelector('[role=alert] >> text=this server runs no containers', patience);
    expect(await violationsOf(page)).toEqual([]);
    await world.platform.kube.patch(
      pod,
      { metadata: { annotations: { [logAnnotation]: `listening\n${script}\n` } } },
      user,
    );
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel(/^Log of /).waitFor(patience);
    expect(await page.getByLabel(/^Log of /).textContent()).toBe(`listening\n${script}\n`);
    await page.waitForSelector(`text=kubectl logs -n ${namespace} ${name} -c`);
    expect(new URL(page.url()).searchParams.get('log')).not.toBe(null);
    await picture(page, 'pod-log');
    world.troubles.splice(0, world.troubles.length, ...world.troubles.filter((line) => !line.includes('/log?')));
    await finish(page);
  });
});
