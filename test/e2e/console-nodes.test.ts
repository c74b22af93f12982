/** @module-tag long */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/index.ts';
import { chromiumPath, violationsOf } from '../support/browser.ts';
import { type ConsolePlatform, openConsolePlatform } from '../support/console-platform.ts';
import { eventually } from '../support/index.ts';
import { picture } from '../support/pictures.ts';
import { configObject, filesConfig, poolRef } from '../support/pool-cluster.ts';
import { statusOf } from './world.ts';

const hasBrowser = chromiumPath !== undefined;
const why = hasBrowser ? '' : ' (skipped: there is no Chromium; apt-get install chromium)';
const user = { fieldManager: 'test' };
const patience = { timeout: 90_000 };
const budgetType = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: 'default' };
const worker = poolRef('worker');

let world: ConsolePlatform;

/** The nodes of the pool, once all have its configuration. */
async function nodesOfPool(): Promise<readonly string[]> {
  const { kube } = world.platform;
  return await eventually(
    async () => {
      expect(statusOf(await kube.get(worker))).toMatchObject({ machineCount: 2, updatedMachineCount: 2 });
      const { items } = await kube.list({ apiVersion: 'v1', kind: 'Node' });
      const names = items.map(({ metadata: { name = '', labels } }) => ({ name, labels }));
      return names
        .filter(({ labels }) => labels?.['node-role.kubernetes.io/worker'] !== undefined)
        .map(({ name }) => name)
        .toSorted();
    },
    { timeoutMs: 90_000 },
  );
}

/** A pod on a node that its budget does not let go. */
async function hold(node: string): Promise<void> {
  const { kube } = world.platform;
  const name = `database-on-${node}`;
  const labels = { app: name };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    // No kubelet ends it.
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'database', image: 'example.org/database' }],
    },
  };
  const budget = { ...budgetType, spec: { minAvailable: 1, selector: { matchLabels: labels } } };
  const { namespace, ...rest } = budget;
  await kube.create({ ...rest, metadata: { name, namespace } } as unknown as KubeObject, user);
  await kube.create(pod as unknown as KubeObject, user);
  await eventually(async () => {
    expect(statusOf(await kube.get({ ...budgetType, name }))).toMatchObject({ currentHealthy: 1 });
  });
}

async function release(node: string): Promise<void> {
  await world.platform.kube.delete({ ...budgetType, name: `database-on-${node}` });
}

async function openUpdates(theme: 'light' | 'dark'): Promise<Page> {
  const page = await world.open({ theme });
  await page.goto(new URL('/updates', page.url()).href);
  await page.waitForSelector('main h1');
  return page;
}

beforeAll(async () => {
  if (!hasBrowser) return;
  world = await openConsolePlatform(() => Promise.resolve(['--no-olm', '--machines', '2']));
});

afterAll(async () => {
  if (hasBrowser) await world[Symbol.asyncDispose]();
});

describe.skipIf(!hasBrowser)(`nodes in the console${why}`, { timeout: 240_000 }, () => {
  test('a pool is paused, resumed, and its nodes are followed while they are updated', async () => {
    const { kube } = world.platform;
    const nodes = await nodesOfPool();
    for (const node of nodes) await hold(node);
    const page = await openUpdates('light');
    const pool = page.locator('main li', { has: page.locator('.node-cells') }).filter({ hasText: 'worker' });
    await pool.getByText('2 of 2 nodes updated').waitFor(patience);
    expect(await pool.locator('.node-cells li.updated').count()).toBe(2);

    await pool.getByRole('button', { name: 'Pause', exact: true }).click();
    const dialog = page.locator('dialog');
    await dialog.getByText('longshore pool pause worker').waitFor(patience);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Pause worker' }).click();
    await pool.locator('.chip', { hasText: 'Paused' }).waitFor(patience);
    expect((await kube.get(worker))['spec']).toMatchObject({ paused: true });

    await kube.create(configObject('50-motd', 'worker', { config: filesConfig({ '/etc/motd': 'Welcome' }) }), user);
    await pool.getByText('0 of 2 nodes updated').waitFor(patience);
    await pool.locator('tr', { hasText: 'Waiting' }).nth(1).waitFor(patience);
    expect(await pool.locator('.node-cells li.waiting').count()).toBe(2);

    await pool.getByRole('button', { name: 'Resume', exact: true }).click();
    await dialog.getByText('longshore pool resume worker').waitFor(patience);
    await dialog.getByRole('button', { name: 'Resume worker' }).click();
    await pool.locator('.chip', { hasText: 'Paused' }).waitFor({ state: 'detached', ...patience });

    const draining = pool.locator('tr', { hasText: 'Draining' });
    await draining.getByText('PodDisruptionBudget').waitFor(patience);
    expect(await pool.locator('.node-cells li.updating').count()).toBe(1);
    const first = (await draining.locator('th').textContent()) ?? '';
    expect(nodes).toContain(first);
    await picture(page, 'pool-draining');
    expect(await violationsOf(page)).toEqual([]);

    await release(first);
    await pool.getByText('1 of 2 nodes updated').waitFor(patience);
    const second = nodes.find((name) => name !== first) ?? '';
    await draining.getByText(`database-on-${second}`).waitFor(patience);
    await pool.locator('.node-cells li.updated', { hasText: `${first}: Updated` }).waitFor(patience);

    await release(second);
    await pool.getByText('2 of 2 nodes updated').waitFor(patience);
    await pool
      .locator('tr')
      .first()
      .waitFor({ state: 'detached', ...patience });
    expect(await pool.locator('.node-cells li.updated').count()).toBe(2);
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });
});
