/** @module-tag long */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { chromiumPath, violationsOf } from '../support/browser.ts';
import { createAccount } from '../support/console.ts';
import { type ConsolePlatform, openConsolePlatform } from '../support/console-platform.ts';
import { picture } from '../support/pictures.ts';

const hasBrowser = chromiumPath !== undefined;
const why = hasBrowser ? '' : ' (skipped: there is no Chromium; apt-get install chromium)';
const user = { fieldManager: 'test' };
const provisionerClassName = 'core-rukpak-io-plain';
const rbac = 'rbac.authorization.k8s.io/v1';
const patience = { timeout: 60_000 };

/** Those that show the cluster. */
const everyPage = [
  '/',
  '/installed',
  '/installed/BundleDeployment/-/combo',
  '/dependencies',
  '/catalog',
  '/catalog/olm/examples/tide-gauge',
];

let world: ConsolePlatform;

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.waitForSelector('main h1');
}

/** A token of a service account with these rules alone. */
async function accountWith(name: string, rules: readonly object[]): Promise<string> {
  const { kube, kubeconfigPath } = world.platform;
  const token = await createAccount(kube, await loadClusterAccess({ path: kubeconfigPath }), name);
  const metadata = { name: `console-${name}` };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }];
  await kube.create({ apiVersion: rbac, kind: 'ClusterRole', metadata, rules } as unknown as KubeObject, user);
  const binding = { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata, roleRef, subjects };
  await kube.create(binding as unknown as KubeObject, user);
  return token;
}

async function install(): Promise<void> {
  const source = { type: 'image', image: { ref: `${world.registry.host}/combo:v0.0.2` } };
  const spec = { provisionerClassName, template: { spec: { provisionerClassName, source } } };
  const metadata = { name: 'combo' };
  const object = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', metadata, spec };
  await world.platform.kube.apply(object as unknown as KubeObject, user);
}

/** Asserts that a page is accessible, and closes it. */
async function finish(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  expect(world.troubles).toEqual([]);
  await page.context().close();
}

beforeAll(async () => {
  if (!hasBrowser) return;
  world = await openConsolePlatform();
});

afterAll(async () => {
  if (hasBrowser) await world[Symbol.asyncDispose]();
});

describe.skipIf(!hasBrowser)(`states of the console${why}`, { timeout: 180_000 }, () => {
  test('empty: each page names what would be there, and how to get it', async () => {
    const page = await world.open();
    const found: Record<string, boolean> = {};
    for (const [path, text] of [
      ['/', 'Install from a catalog'],
      ['/installed', 'Nothing is installed'],
      ['/catalog', 'The cluster has no catalog with packages'],
      ['/updates', 'This cluster has no ClusterVersion'],
    ] as const) {
      await goTo(page, path);
      await page.waitForSelector(`main >> text=${text}`);
      found[path] = (await violationsOf(page)).length === 0;
    }
    expect(found).toEqual({ '/': true, '/installed': true, '/catalog': true, '/updates': true });
    await finish(page);
  });

  test('loading: lines take the place of the list, until it is there', async () => {
    const page = await world.open();
    const held = Promise.withResolvers<void>();
    await page.route('**/api/stream**', async (route) => {
      await held.promise;
      await route.continue();
    });
    await goTo(page, '/installed');
    await page.waitForSelector('[aria-busy=true] .skeleton');
    await picture(page, 'state-loading');
    expect(await violationsOf(page)).toEqual([]);
    held.resolve();
    await page.waitForSelector('text=Nothing is installed');
    await finish(page);
  });

  test('forbidden: a user who may see nothing learns which permission is missing, and what grants it', async () => {
    const page = await world.openAs(await accountWith('nothing', []));
    for (const path of ['/', '/installed']) {
      await goTo(page, path);
      await page.waitForSelector('text=You may not see this');
      await page.waitForSelector('text=system:serviceaccount:default:nothing');
      await page.waitForSelector('pre >> text=kind: ClusterRole');
      expect(await violationsOf(page)).toEqual([]);
    }
    await goTo(page, '/installed');
    await page.waitForSelector('text=verbs: [get, list, watch]');
    await picture(page, 'state-forbidden');
    await finish(page);
  });

  test('forbidden: a user who may read deployments alone sees them, and cannot change them', async () => {
    await install();
    const rules = [
      { apiGroups: ['core.rukpak.io'], resources: ['bundledeployments'], verbs: ['get', 'list', 'watch'] },
    ];
    const page = await world.openAs(await accountWith('reader', rules), { theme: 'dark' });
    await goTo(page, '/installed');
    await page.waitForSelector('text=Not everything is listed');
    await page.click('a.grid-row >> text=combo');
    const remove = page.getByRole('button', { name: 'Remove…' });
    await page.waitForSelector('button:disabled >> text=Remove…');
    expect(await remove.getAttribute('title')).toContain('delete bundledeployments.core.rukpak.io');
    await page.click('.tabs >> text=Log');
    await page.waitForSelector('text=You may not see this');
    await page.waitForSelector('text=cannot list resource "pods"');
    await picture(page, 'state-partly-forbidden');
    await finish(page);
  });

  test('error: what failed is reported, and tried again', async () => {
    const page = await world.open();
    const problem = { reason: 'InternalError', message: 'the history cannot be read', advice: 'see the log' };
    await page.route('**/api/commands/history', (route) => route.fulfill({ status: 503, json: problem }));
    await goTo(page, '/installed/BundleDeployment/-/combo?tab=history');
    await page.waitForSelector('[role=alert] >> text=the history cannot be read');
    await page.waitForSelector('text=see the log');
    await picture(page, 'state-error');
    expect(await violationsOf(page)).toEqual([]);
    await page.unroute('**/api/commands/history');
    await page.click('text=Try again');
    await page.waitForSelector('text=current', patience);
    world.troubles.splice(0, world.troubles.length, ...world.troubles.filter((line) => !line.includes('503')));
    await finish(page);
  });

  test('forbidden: every page names what a user who may see nothing lacks', async () => {
    const page = await world.openAs(await accountWith('no-one', []), { width: 360 });
    page.setDefaultTimeout(30_000);
    const found: Record<string, string> = {};
    for (const path of everyPage) {
      await goTo(page, path);
      const isShown = await page.waitForSelector('text=You may not see this').catch(() => undefined);
      if (isShown === undefined) found[path] = await page.locator('main').innerText();
      const name = path.replaceAll(/\W+/g, '-');
      await picture(page, `state-forbidden${name}`);
      const box = await page.locator('.state pre').first().boundingBox();
      if (box !== null && box.x + box.width > 360) found[path] = `the role ends at ${box.x + box.width} pixels`;
      const lines = await violationsOf(page);
      if (lines.length > 0) found[path] = lines.join('\n');
    }
    expect(found).toEqual({});
    await finish(page);
  });

  test('error: every page reports what failed, and what to do', async () => {
    await install();
    const page = await world.open();
    const problem = { reason: 'InternalError', message: 'the storage is full', advice: 'make room, then try again' };
    for (const pattern of ['**/api/commands/*', '**/api/packages', '**/api/log?*']) {
      await page.route(pattern, (route) => route.fulfill({ status: 503, json: problem }));
    }
    const found: Record<string, string> = {};
    for (const path of [
      '/dependencies',
      '/catalog',
      '/catalog/-/shop/tide-gauge',
      '/installed/BundleDeployment/-/combo?tab=objects',
      '/installed/BundleDeployment/-/combo?tab=changes',
      '/installed/BundleDeployment/-/combo?tab=permissions',
      '/installed/BundleDeployment/-/combo?tab=log',
    ]) {
      await goTo(page, path);
      await page.waitForSelector('[role=alert] >> text=the storage is full', patience);
      await page.waitForSelector('text=make room, then try again');
      await page.getByRole('button', { name: 'Try again' }).first().waitFor();
      const lines = await violationsOf(page);
      if (lines.length > 0) found[path] = lines.join('\n');
    }
    expect(found).toEqual({});
    world.troubles.splice(0, world.troubles.length, ...world.troubles.filter((line) => !line.includes('503')));
    await finish(page);
  });

  test('broken: an object of another form than expected leaves the other pages as they are', async () => {
    await install();
    const page = await world.open({ theme: 'dark' });
    const tree = { apiVersion: 'v1', kind: 'Namespace', name: 'combo', state: 'Current', message: '', children: 5 };
    await page.route('**/api/commands/tree', (route) =>
      route.fulfill({ json: { command: '', exitCode: 0, output: tree, messages: '' } }),
    );
    await goTo(page, '/installed/BundleDeployment/-/combo?tab=objects');
    await page.waitForSelector('[role=alert] >> text=This page cannot be drawn');
    await picture(page, 'state-broken');
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('.rail').getByRole('link', { name: 'Installed' }).click();
    await page.click('a.grid-row >> text=combo');
    await page.waitForSelector('.steps');
    await finish(page);
  });
});
