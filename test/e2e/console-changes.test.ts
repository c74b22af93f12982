/** @module-tag long */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readExampleCatalog } from '../../cli/examples/example-content.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { helmForTests } from '../clients/helm-program.ts';
import { chromiumPath, violationsOf } from '../support/browser.ts';
import { type ConsolePlatform, openConsolePlatform } from '../support/console-platform.ts';
import { eventually } from '../support/index.ts';
import { picture } from '../support/pictures.ts';

const hasBrowser = chromiumPath !== undefined;
const why = hasBrowser ? '' : ' (skipped: there is no Chromium; apt-get install chromium)';
const helm = await helmForTests();
const user = { fieldManager: 'test' };
const patience = { timeout: 90_000 };
const catalogLabels = { 'operators.operatorframework.io.index.configs.v1': '/configs' };
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==';

let world: ConsolePlatform;

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.waitForSelector('main h1');
}

/** The example catalog, whose packages have an icon, and whose custom resources are described. */
async function publishDescribedCatalog(): Promise<void> {
  const { registry } = world;
  const specDescriptors = [
    { path: 'intervalSeconds', displayName: 'Interval', description: 'Seconds between readings' },
  ];
  const documents = (await readExampleCatalog(['0.1.0', '0.1.1', '1.0.0'], registry.host)).split('\n').map((line) => {
    const document = JSON.parse(line) as {
      schema: string;
      name: string;
      properties?: { type: string; value: object }[];
    };
    if (document.schema === 'olm.package' && document.name === 'tide-gauge') {
      return { ...document, icon: { base64data: png, mediatype: 'image/png' } };
    }
    const properties = document.properties?.map((property) => {
      const owned = (property.value as { crdDescriptions?: { owned?: { kind: string }[] } }).crdDescriptions?.owned;
      if (property.type !== 'olm.csv.metadata' || owned?.[0]?.kind !== 'Gauge') return property;
      const described = owned.map((one) => ({ ...one, specDescriptors }));
      return { ...property, value: { ...property.value, crdDescriptions: { owned: described } } };
    });
    return properties === undefined ? document : { ...document, properties };
  });
  const configs = documents.map((document) => JSON.stringify(document)).join('\n');
  registry.putImage('described:v1', [{ files: { 'configs/catalog.json': configs } }], catalogLabels);
}

/** A chart of the examples, as an image. */
async function publishChart(): Promise<void> {
  const folder = 'examples/ahoy';
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(ya?ml|json)$/.test(name));
  const entries = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  world.registry.putImage('ahoy:v1', [{ files: Object.fromEntries(await Promise.all(entries)) }]);
}

beforeAll(async () => {
  if (!hasBrowser) return;
  world = await openConsolePlatform(() => Promise.resolve(helm.path === '' ? [] : ['--helm', helm.path]));
  await publishDescribedCatalog();
  await publishChart();
  const image = `${world.registry.host}/described:v1`;
  const shop = {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name: 'shop' },
    spec: { source: { type: 'Image', image: { ref: image } } },
  };
  const examples = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: 'examples', namespace: 'olm' },
    spec: { sourceType: 'grpc', displayName: 'Examples', image },
  };
  await world.platform.kube.apply(shop, user);
  await world.platform.kube.apply(examples, user);
});

afterAll(async () => {
  if (hasBrowser) await world[Symbol.asyncDispose]();
});

async function finish(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  expect(world.troubles).toEqual([]);
  await page.context().close();
}

describe.skipIf(!hasBrowser)(`changes of installations in the console${why}`, { timeout: 300_000 }, () => {
  test('packages of a CatalogSource have their icons, and those without one a letter', async () => {
    const page = await world.open();
    await goTo(page, '/catalog');
    const tile = page.locator('a.tile[href*="/olm/examples/tide-gauge"]');
    await tile.waitFor(patience);
    const width = `document.querySelector('a.tile[href*="/olm/examples/tide-gauge"] img')?.naturalWidth`;
    await eventually(async () => expect(await page.evaluate(width)).toBe(1), { timeoutMs: 90_000 });
    await page.locator('a.tile[href*="/olm/examples/harbour"] .logo', { hasText: 'H' }).waitFor(patience);
    const [type, policy] = (await page.evaluate(
      'fetch("/api/icons/olm/examples/tide-gauge").then((r) => ["content-type", "content-security-policy"].map((h) => r.headers.get(h)))',
    )) as string[];
    expect(type).toBe('image/png');
    expect(policy).toContain("default-src 'none'");
    await finish(page);
  });

  test('a ClusterExtension is changed to another version after its difference was seen', async () => {
    const { kube } = world.platform;
    const extension = {
      apiVersion: 'olm.operatorframework.io/v1',
      kind: 'ClusterExtension',
      metadata: { name: 'tides' },
      spec: {
        namespace: 'tides',
        source: { sourceType: 'Catalog', catalog: { packageName: 'tide-gauge', version: '0.1.0' } },
      },
    };
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tides' } }, user);
    await kube.apply(extension as unknown as KubeObject, user);
    const page = await world.open();
    await goTo(page, '/installed/ClusterExtension/-/tides');
    await page.waitForSelector('.pill >> text=Healthy', patience);
    await page.click('text=Change…');
    const version = page.locator('input[list=versions]');
    await version.fill('9.9.9');
    await page.getByRole('button', { name: 'Show the changes' }).click();
    await page.waitForSelector('text=What to do', patience);
    expect(await page.getByRole('button', { name: 'Change tides anyway' }).isEnabled()).toBe(true);
    await version.fill('0.1.1');
    await page.getByRole('button', { name: 'Show the changes' }).click();
    await page.waitForSelector('main .list >> text=tide-gauge.v0.1.1', patience);
    await page.waitForSelector('.diff .plus', { state: 'attached', ...patience });
    await page.locator('main details summary').first().click();
    await page.waitForSelector('text=kubectl patch clusterextension tides --type merge');
    await picture(page, 'change-version');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Change tides', exact: true }).click();
    await page.waitForSelector('.head >> text=0.1.1', patience);
    await page.waitForSelector('.pill >> text=Healthy', patience);
    await finish(page);
  });

  test('a custom resource is created, after the API server has refused one at its field', async () => {
    const { kube } = world.platform;
    const page = await world.open();
    await goTo(page, '/catalog/olm/examples/tide-gauge');
    await page.getByRole('button', { name: 'Create a Gauge…' }).click();
    await page.getByLabel('Interval').waitFor(patience);
    await page.waitForSelector('dialog >> text=Seconds between readings');
    await page.getByLabel('Interval').fill('0');
    await page.waitForSelector('dialog .field-error >> text=must be 1 or more');
    const create = page.getByRole('button', { name: /^Create Gauge / });
    expect(await create.isDisabled()).toBe(true);
    await page.getByLabel('Interval').fill('90');
    await page.getByLabel('Namespace').fill('nowhere');
    await page.waitForSelector('dialog >> text=namespaces "nowhere" not found');
    await page.getByLabel('Namespace').fill('tides');
    await page.getByLabel('Name', { exact: true }).fill('north-pier');
    await page.waitForSelector('dialog >> text=The API server accepts this');
    await picture(page, 'custom-resource');
    expect(await violationsOf(page)).toEqual([]);
    await create.click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    const target = { apiVersion: 'tide.example.com/v1', kind: 'Gauge', namespace: 'tides', name: 'north-pier' };
    expect((await kube.get(target))['spec']).toMatchObject({ intervalSeconds: 90 });
    await finish(page);
  });

  test('a PlatformOperator is changed to install its updates', async () => {
    const { kube } = world.platform;
    const type = { apiVersion: 'platform.openshift.io/v1alpha1', kind: 'PlatformOperator' };
    const spec = { package: { name: 'harbour' }, upgradePolicy: 'None' };
    await kube.delete({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', name: 'tides' });
    await kube.apply({ ...type, metadata: { name: 'harbour' }, spec } as unknown as KubeObject, user);
    const page = await world.open({ theme: 'dark' });
    await goTo(page, '/installed/PlatformOperator/-/harbour');
    await page.waitForSelector('.pill >> text=Healthy', patience);
    await page.click('text=Change…');
    await page.getByLabel('Updates').selectOption('Automatic');
    await page.getByRole('button', { name: 'Show the changes' }).click();
    await page.waitForSelector('pre >> text=upgradePolicy: Automatic');
    await page.getByRole('button', { name: 'Change harbour', exact: true }).click();
    await page.waitForSelector('.pill >> text=Healthy', patience);
    expect((await kube.get({ ...type, name: 'harbour' }))['spec']).toMatchObject({ upgradePolicy: 'Automatic' });
    await finish(page);
  });

  test.skipIf(helm.why !== '')(`values of a chart are changed by a form from its schema${helm.why}`, async () => {
    const { kube } = world.platform;
    const source = { type: 'image', image: { ref: `${world.registry.host}/ahoy:v1` } };
    const provisionerClassName = 'core-rukpak-io-helm';
    const template = { spec: { provisionerClassName, source } };
    const type = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' };
    const spec = { provisionerClassName, config: { installNamespace: 'default' }, template };
    await kube.apply({ ...type, metadata: { name: 'ahoy' }, spec } as unknown as KubeObject, user);
    const page = await world.open();
    await goTo(page, '/installed/BundleDeployment/-/ahoy');
    await page.waitForSelector('.pill >> text=Healthy', patience);
    await page.click('text=Change version…');
    await page.getByLabel('replicas').waitFor(patience);
    await page.getByLabel('replicas').fill('-1');
    await page.waitForSelector('.field-error >> text=must be 0 or more');
    await page.getByLabel('replicas').fill('2');
    await page.getByLabel('greeting').fill('Ship ahoy');
    const values = page.locator('section.panel', { hasText: 'Values of the chart' });
    await values.getByRole('button', { name: 'Show the changes' }).click();
    await page.waitForSelector('.diff >> text=Ship ahoy', patience);
    await picture(page, 'chart-values');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /^Change to other values/ }).click();
    await page.waitForSelector('.pill >> text=Healthy', patience);
    expect((await kube.get({ ...type, name: 'ahoy' }))['spec']).toMatchObject({
      config: { installNamespace: 'default', values: { replicas: 2, greeting: 'Ship ahoy' } },
    });
    await finish(page);
  });
});
