/** @module-tag long */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { chromiumPath, violationsOf } from '../support/browser.ts';
import { createAccount } from '../support/console.ts';
import { type ConsolePlatform, openConsolePlatform } from '../support/console-platform.ts';
import { eventually } from '../support/index.ts';
import { picture } from '../support/pictures.ts';
import { programPath } from './program.ts';
import { isRealCluster } from './test-cluster.ts';

const hasBrowser = chromiumPath !== undefined;
const why = hasBrowser ? '' : ' (skipped: there is no Chromium; apt-get install chromium)';
const embeddedOnly = isRealCluster ? ' (skipped: longshore up brings the embedded server)' : '';
const user = { fieldManager: 'test' };
const provisionerClassName = 'core-rukpak-io-plain';
const rbac = 'rbac.authorization.k8s.io/v1';
const deploymentType = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' };
const patience = { timeout: 90_000 };
const lost = '.bar >> text=Connection lost';

let world: ConsolePlatform;
const children: ChildProcess[] = [];

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.waitForSelector('main h1');
}

async function install(name: string): Promise<void> {
  const source = { type: 'image', image: { ref: `${world.registry.host}/combo:v0.0.2` } };
  const spec = { provisionerClassName, template: { spec: { provisionerClassName, source } } };
  await world.platform.kube.apply({ ...deploymentType, metadata: { name }, spec } as unknown as KubeObject, user);
}

async function remove(name: string): Promise<void> {
  await world.platform.kube.delete({ ...deploymentType, name });
}

/** The streams that a page has open. */
function followStreams(page: Page): ReadonlySet<Request> {
  const open = new Set<Request>();
  page.on('request', (request) => {
    if (request.url().includes('/api/stream')) open.add(request);
  });
  page.on('requestfinished', (request) => void open.delete(request));
  page.on('requestfailed', (request) => void open.delete(request));
  return open;
}

/** What a browser reports about a connection that this test has cut is no trouble. */
async function finish(page: Page): Promise<void> {
  expect(world.troubles.filter((line) => !line.includes('net::ERR'))).toEqual([]);
  world.troubles.length = 0;
  await page.context().close();
}

/** A token of a service account that may read BundleDeployments. */
async function readerToken(name: string): Promise<string> {
  const { kube, kubeconfigPath } = world.platform;
  const token = await createAccount(kube, await loadClusterAccess({ path: kubeconfigPath }), name);
  const metadata = { name: `console-${name}` };
  const rules = [{ apiGroups: ['core.rukpak.io'], resources: ['bundledeployments'], verbs: ['get', 'list', 'watch'] }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }];
  await kube.create({ apiVersion: rbac, kind: 'ClusterRole', metadata, rules } as unknown as KubeObject, user);
  const binding = { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata, roleRef, subjects };
  await kube.create(binding as unknown as KubeObject, user);
  return token;
}

beforeAll(async () => {
  if (!hasBrowser) return;
  world = await openConsolePlatform();
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  if (hasBrowser) await world[Symbol.asyncDispose]();
});

describe.skipIf(!hasBrowser)(`the connection of the console${why}`, { timeout: 240_000 }, () => {
  test('a browser that was offline shows what has changed meanwhile, over one stream', async () => {
    await install('combo');
    await install('leaving');
    const page = await world.open();
    const streams = followStreams(page);
    await goTo(page, '/installed');
    await page.waitForSelector('a.grid-row >> text=leaving', patience);
    await page.context().setOffline(true);
    // The browser leaves a stream that is open as it is: another view asks for a stream of its own.
    await page.click('a.grid-row >> text=combo');
    await page.waitForSelector(lost, patience);
    await page.waitForSelector('.bar >> text=open the link that it shows');
    await page.locator('.rail').getByRole('link', { name: 'Installed' }).click();
    expect(await page.isVisible('a.grid-row >> text=leaving')).toBe(true);
    await picture(page, 'state-disconnected');
    expect(await violationsOf(page)).toEqual([]);
    await page.click('a.grid-row >> text=combo');
    await page.click('.tabs >> text=History');
    await page.waitForSelector('text=The server of the console does not answer');
    for (const name of ['Overview', 'Dependencies', 'Catalog', 'Updates', 'Bench', 'Installed']) {
      await page.locator('.rail').getByRole('link', { name }).click();
      await page.locator('main h1').waitFor();
      expect(await page.locator('.bar').count(), name).toBe(1);
      expect(await violationsOf(page), name).toEqual([]);
    }
    await page.click('a.grid-row >> text=combo');
    await page.click('.tabs >> text=History');
    await remove('leaving');
    await install('arriving');
    await page.context().setOffline(false);
    await page.locator('.bar').waitFor({ state: 'detached', ...patience });
    await page.getByText('The server of the console does not answer').waitFor({ state: 'detached', ...patience });
    await page.locator('.rail').getByRole('link', { name: 'Installed' }).click();
    await page.waitForSelector('a.grid-row >> text=arriving', patience);
    await page.locator('a.grid-row', { hasText: 'leaving' }).waitFor({ state: 'detached', ...patience });
    await eventually(() => expect(streams.size).toBe(1));
    await remove('arriving');
    await page.locator('a.grid-row', { hasText: 'arriving' }).waitFor({ state: 'detached', ...patience });
    await finish(page);
  });

  test('a connection that is open, and over which nothing comes, is opened again', async () => {
    await install('combo');
    const page = await world.open();
    // A connection whose other end has vanished without a notice: it looks open.
    await page.addInitScript(`
      window.EventSource = class extends EventSource {
        addEventListener(type, listener) {
          super.addEventListener(type, (event) => { if (this !== window.vanished) listener(event); });
          window.latest = this;
        }
      };
    `);
    await goTo(page, '/installed');
    const streams = followStreams(page);
    await page.waitForSelector('a.grid-row >> text=combo', patience);
    await page.evaluate('window.vanished = window.latest');
    await page.waitForSelector(lost, patience);
    await page.locator('.bar').waitFor({ state: 'detached', ...patience });
    expect(await page.evaluate('window.vanished.readyState')).toBe(2);
    await eventually(() => expect(streams.size).toBe(1));
    await finish(page);
  });

  test('a page that is not in view has no stream, and goes on when it is looked at', async () => {
    await install('combo');
    const page = await world.open();
    const streams = followStreams(page);
    await goTo(page, '/installed');
    await page.waitForSelector('a.grid-row >> text=combo', patience);
    const show = (isHidden: boolean): Promise<unknown> =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    await show(true);
    await eventually(() => expect(streams.size).toBe(0), { timeoutMs: 60_000 });
    await install('unseen');
    await show(false);
    await page.waitForSelector('a.grid-row >> text=unseen', patience);
    expect([streams.size, await page.locator('.bar').count()]).toEqual([1, 0]);
    await remove('unseen');
    await finish(page);
  });

  test('a user who has signed in again on another page goes on with this one', async () => {
    await install('combo');
    const page = await world.open();
    await goTo(page, '/installed/BundleDeployment/-/combo');
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor(patience);
    const other = await page.context().newPage();
    await other.goto(world.link());
    await other.waitForSelector('.rail');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.waitForSelector('dialog >> text=kubectl annotate bundledeployment combo core.rukpak.io/paused=true');
    await page.getByRole('button', { name: 'Pause combo' }).click();
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor(patience);
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByRole('button', { name: 'Resume combo' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor(patience);
    await finish(page);
  });

  test('the server was restarted: the page asks to sign in, is where it was, and shows what has changed', async () => {
    await install('combo');
    await install('leaving');
    const token = await readerToken('restarted');
    const page = await world.openAs(token);
    const streams = followStreams(page);
    await goTo(page, '/installed?status=');
    await page.waitForSelector('a.grid-row >> text=leaving', patience);
    await world.restartForUsers();
    await page.getByLabel('Bearer token').waitFor(patience);
    await page.waitForSelector('text=The session has ended');
    expect(await violationsOf(page)).toEqual([]);
    await remove('leaving');
    await page.getByLabel('Bearer token').fill(token);
    await page.getByRole('button', { name: 'Sign in with a token' }).click();
    await page.waitForSelector('a.grid-row >> text=combo');
    await page.locator('a.grid-row', { hasText: 'leaving' }).waitFor({ state: 'detached', ...patience });
    expect(new URL(page.url()).pathname).toBe('/installed');
    await eventually(() => expect(streams.size).toBe(1));
    await finish(page);
  });

  test('another user who signs in on the same page sees nothing of the user before', async () => {
    await install('combo');
    const page = await world.openAs(await readerToken('first'));
    await goTo(page, '/installed');
    await page.waitForSelector('a.grid-row >> text=combo', patience);
    const { kube, kubeconfigPath } = world.platform;
    const token = await createAccount(kube, await loadClusterAccess({ path: kubeconfigPath }), 'second');
    await world.restartForUsers();
    await page.getByLabel('Bearer token').waitFor(patience);
    // Nothing of the next session comes: what is shown then is from before.
    await page.route('**/api/stream**', () => undefined);
    const loaded = page.waitForEvent('load');
    await page.getByLabel('Bearer token').fill(token);
    await page.getByRole('button', { name: 'Sign in with a token' }).click();
    await loaded;
    await page.waitForSelector('[aria-busy=true]');
    expect(await page.locator('a.grid-row').count()).toBe(0);
    await finish(page);
  });

  test.skipIf(isRealCluster)(`longshore up is started again: the page goes on${embeddedOnly}`, async () => {
    const dir = await mkdtemp(join(tmpdir(), 'longshore-console-up-'));
    const start = async (): Promise<{ child: ChildProcess; link: string }> => {
      const args = [programPath, 'up', '--no-olm', '--data-dir', dir, '--kubeconfig', join(dir, 'kubeconfig')];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      for await (const line of createInterface({ input: child.stdout })) {
        const link = /console on (http:\S+#\S+)/.exec(line)?.[1];
        if (link !== undefined) {
          child.stdout.resume();
          return { child, link };
        }
      }
      throw new Error('longshore up has ended');
    };
    const stop = async ({ child }: { child: ChildProcess }): Promise<void> => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    };
    const first = await start();
    const context = await world.browser.newContext();
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    await page.goto(first.link);
    await page.waitForSelector('.rail');
    await goTo(page, '/bench');
    await stop(first);
    await page.waitForSelector(lost);
    const second = await start();
    await page.waitForSelector('text=The session has ended');
    const other = await context.newPage();
    await other.goto(second.link);
    await other.waitForSelector('.rail');
    await page.evaluate('window.dispatchEvent(new Event("focus"))');
    await page.waitForSelector('main >> text=Drop the folder');
    expect([new URL(second.link).origin, page.url()]).toEqual([
      new URL(first.link).origin,
      `${new URL(first.link).origin}/bench`,
    ]);
    await context.close();
    await stop(second);
    await rm(dir, { recursive: true, force: true });
  });
});
