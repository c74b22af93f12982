/** @module-tag long */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, violationsOf } from '../support/browser.ts';
import { type ConsolePlatform, openConsolePlatform } from '../support/console-platform.ts';
import { picture } from '../support/pictures.ts';

const hasBrowser = chromiumPath !== undefined;
const why = hasBrowser ? '' : ' (skipped: there is no Chromium; apt-get install chromium)';
const provisionerClassName = 'core-rukpak-io-plain';

let world: ConsolePlatform;

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.waitForSelector('main h1, main h2');
}

beforeAll(async () => {
  if (!hasBrowser) return;
  world = await openConsolePlatform();
  const apply = { fieldManager: 'test' };
  const image = (ref: string): object => ({ type: 'image', image: { ref: `${world.registry.host}/${ref}` } });
  const deployment = (name: string, ref: string, annotations = {}) => ({
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'BundleDeployment',
    metadata: { name },
    spec: {
      provisionerClassName,
      template: { metadata: { annotations }, spec: { provisionerClassName, source: image(ref) } },
    },
  });
  const needs = [{ type: 'olm.package', value: { packageName: 'lighthouse', version: '>=1.0.0' } }];
  const needsLighthouse = { 'core.rukpak.io/dependencies': JSON.stringify(needs) };
  const { kube } = world.platform;
  await kube.apply(deployment('combo', 'combo:v0.0.2') as never, apply);
  await kube.apply(deployment('broken', 'combo:v9.9.9') as never, apply);
  await kube.apply(deployment('needy', 'combo:v0.0.2', needsLighthouse) as never, apply);
  const clusterCatalog = {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name: 'shop' },
    spec: { source: { type: 'Image', image: { ref: `${world.registry.host}/catalog:v2` } } },
  };
  await kube.apply(clusterCatalog, apply);
  await kube.apply(
    {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name: 'examples', namespace: 'olm' },
      spec: { sourceType: 'grpc', displayName: 'Examples', image: `${world.registry.host}/catalog:v2` },
    },
    apply,
  );
});

afterAll(async () => {
  if (hasBrowser) await world[Symbol.asyncDispose]();
});

const objectKey = encodeURIComponent('core.rukpak.io/v1alpha1 BundleDeployment  combo');

/** Every page, with what is on it when it is complete. */
const pages: readonly (readonly [string, string, string])[] = [
  ['overview', '/', 'text=Needs you'],
  ['installed', '/installed', 'a.grid-row >> text=combo'],
  ['healthy', '/installed/BundleDeployment/-/combo', 'text=Waits for nothing'],
  ['failing', '/installed/BundleDeployment/-/broken', 'text=What to do'],
  ['objects', '/installed/BundleDeployment/-/combo?tab=objects', '.tree >> text=Deployment'],
  ['changes', '/installed/BundleDeployment/-/combo?tab=changes', 'text=Nothing would change'],
  ['history', '/installed/BundleDeployment/-/combo?tab=history', 'text=current'],
  ['permissions', '/installed/BundleDeployment/-/combo?tab=permissions', 'main .list li'],
  ['events', '/installed/BundleDeployment/-/combo?tab=events', 'text=InstallationSucceeded'],
  ['dependencies', '/dependencies', 'text=lighthouse'],
  ['log', '/installed/BundleDeployment/-/combo?tab=log', 'text=controller=bundledeployment'],
  ['object', `/installed/BundleDeployment/-/combo?tab=objects&object=${objectKey}`, 'text=Owners of fields'],
  ['catalog', '/catalog', 'a.tile[href*="/-/shop/"] >> text=Tide Gauge'],
  ['package', '/catalog/olm/examples/tide-gauge', 'text=Gauge'],
  ['channels', '/catalog/olm/examples/tide-gauge?tab=channels&from=0.1.0', '.graph svg circle'],
  ['install', '/catalog/olm/examples/tide-gauge?tab=install', 'text=tide-gauge.v0.1.1'],
  ['package of a ClusterCatalog', '/catalog/-/shop/tide-gauge', 'text=Create a Gauge'],
  ['install of a ClusterExtension', '/catalog/-/shop/tide-gauge?tab=install', 'text=The API server accepts this'],
  ['resolve', '/resolve?q=tide-gauge', 'text=tide-gauge.v0.1.1'],
  ['updates', '/updates', 'text=Node pools'],
  ['bench', '/bench', 'text=Drop the folder'],
  ['settings', '/settings', 'text=one-time link'],
  ['missing', '/installed/BundleDeployment/-/none', 'text=It is not installed'],
];

describe.skipIf(!hasBrowser)(`the console in a browser${why}`, { timeout: 240_000 }, () => {
  test.each(['light', 'dark'] as const)('every page is accessible, %s', async (theme) => {
    const page = await world.open({ theme });
    const found: string[] = [];
    for (const [name, path, mark] of pages) {
      await goTo(page, path);
      await page.waitForSelector(mark);
      found.push(...(await violationsOf(page)).map((line) => `${name}: ${line}`));
    }
    expect(found).toEqual([]);
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });

  test('every page fits 360 pixels', async () => {
    const page = await world.open({ width: 360 });
    const wide: string[] = [];
    for (const [name, path, mark] of pages) {
      await goTo(page, path);
      await page.waitForSelector(mark);
      const width = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      if (width > 360) wide.push(`${name}: ${width}`);
    }
    expect(wide).toEqual([]);
    await page.context().close();
  });

  test('objects are filtered by kind and health, and name the owners of their fields', async () => {
    const page = await world.open();
    await goTo(page, '/installed/BundleDeployment/-/combo?tab=objects');
    await page.waitForSelector('.tree >> text=Bundle');
    await page.getByLabel('All kinds').selectOption('BundleDeployment');
    expect(new URL(page.url()).searchParams.get('kind')).toBe('BundleDeployment');
    await page.locator('.tree .kind', { hasText: /^Bundle$/ }).waitFor({ state: 'detached' });
    await page.getByLabel('All kinds').selectOption('');
    await page.getByLabel('Any health').selectOption('unhealthy');
    await page.waitForSelector('.tree >> text=Nothing matches the filters');
    await page.getByLabel('Any health').selectOption('');
    await page.locator('.tree .node', { hasText: 'BundleDeployment' }).click();
    await page.click('text=Owners of fields');
    await page.getByLabel('Search fields and owners').fill('provisionerClassName');
    await page.waitForSelector('.field-owners th >> text=spec.provisionerClassName');
    await page.waitForSelector('.field-owners td >> text=test');
    await picture(page, 'object');
    expect(await violationsOf(page)).toEqual([]);
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });

  test('the bench shows a file beside what is rendered from it, and saves its findings as SARIF', async () => {
    const page = await world.open({ theme: 'dark' });
    await goTo(page, '/bench');
    await page.setInputFiles('input[webkitdirectory]', 'examples/tide-gauge/v0.1.0');
    await page
      .getByLabel('File', { exact: true })
      .selectOption({ label: 'manifests/tide-gauge.clusterserviceversion.yaml' });
    await page.getByLabel('Rendered object').selectOption({ label: 'Deployment tide-gauge-manager' });
    await page.waitForSelector('.code.numbered >> text=ClusterServiceVersion');
    await page.waitForSelector('.split.even >> text=kind: Deployment');
    await picture(page, 'bench');
    expect(await violationsOf(page)).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'SARIF' }).click();
    const sarif = JSON.parse(await readFile(await (await saved).path(), 'utf8')) as {
      version: string;
      runs: unknown[];
    };
    expect([sarif.version, sarif.runs.length]).toEqual(['2.1.0', 1]);
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });

  test('everything is reached by keys: pages, the palette, the list of keys and dialogs', async () => {
    const page = await world.open();
    await page.keyboard.press('Control+k');
    await page.waitForSelector('dialog[open] input');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.type('combo BundleDeployment');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/installed/BundleDeployment/-/combo');
    await page.waitForSelector('.pill');
    await page.keyboard.press('y');
    await page.waitForSelector('dialog[open] pre >> text=provisionerClassName');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open] kbd');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForSelector('a.tile >> text=Tide Gauge');
    await page.keyboard.press('/');
    await page.keyboard.type('tide');
    await page.waitForFunction('!document.querySelector("main").textContent.includes("Harbour")');
    expect(new URL(page.url()).search).toBe('?q=tide');
    expect((await page.$$('a.tile')).length).toBeGreaterThan(0);
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });
});
