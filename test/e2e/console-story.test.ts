/** @module-tag long */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readExampleCatalog } from '../../cli/examples/example-content.ts';
import { chromiumPath } from '../support/browser.ts';
import { type ConsolePlatform, openConsolePlatform } from '../support/console-platform.ts';
import { picture } from '../support/pictures.ts';
import { isRealCluster } from './test-cluster.ts';

const hasBrowser = chromiumPath !== undefined;
const why = hasBrowser ? '' : ' (skipped: there is no Chromium; apt-get install chromium)';
const provisionerClassName = 'core-rukpak-io-plain';
const apply = { fieldManager: 'test' };

let world: ConsolePlatform;

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
}

function catalogSource(name: string, image: string) {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name, namespace: 'olm' },
    spec: { sourceType: 'grpc', displayName: 'Examples', image: `${world.registry.host}/${image}` },
  };
}

function clusterCatalog(name: string, image: string) {
  return {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name },
    spec: { source: { type: 'Image', image: { ref: `${world.registry.host}/${image}` } } },
  };
}

beforeAll(async () => {
  if (!hasBrowser) return;
  world = await openConsolePlatform();
});

afterAll(async () => {
  if (hasBrowser) await world[Symbol.asyncDispose]();
});

describe.skipIf(!hasBrowser)(`stories of the console${why}`, () => {
  test('dependencies are shown, and what breaks before a removal', async () => {
    const { kube } = world.platform;
    const operator = {
      apiVersion: 'platform.openshift.io/v1alpha1',
      kind: 'PlatformOperator',
      metadata: { name: 'tide-gauge' },
      spec: { package: { name: 'tide-gauge' }, upgradePolicy: 'Automatic' },
    };
    await kube.apply(clusterCatalog('shop', 'catalog:v2'), apply);
    await kube.apply(operator, apply);
    const page = await world.open();
    await goTo(page, '/dependencies');
    await page.waitForSelector('.relation >> text=package harbour >=1.0.0 <2.0.0', { timeout: 90_000 });
    await page.waitForSelector('.relation:has-text("harbour") >> text=These break when it is removed.');
    await picture(page, 'dependencies');
    await page.locator('.relation strong').getByRole('link', { name: 'harbour' }).click();
    await page.click('text=Remove…');
    await page.waitForSelector('dialog >> text=One installation breaks without it');
    await page.waitForSelector('dialog >> text=harbours.harbour.example.com');
    await picture(page, 'removal');
    await page.click('dialog >> text=Cancel');
    await goTo(page, '/installed/PlatformOperator/-/tide-gauge');
    await page.click('text=Remove…');
    await page.waitForSelector('dialog >> text=Nothing else that is installed needs it.');
    await page.waitForSelector('dialog >> text=kubectl delete platformoperator tide-gauge');
    await page.getByRole('button', { name: 'Remove tide-gauge' }).click();
    await page.waitForURL('**/installed');
    await page.waitForSelector('text=Nothing is installed', { timeout: 60_000 });
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });

  test('an operator is installed from a catalog, its update approved, and removed', async () => {
    await world.platform.kube.apply(catalogSource('examples', 'catalog:v2'), apply);
    const page = await world.open();
    await page.getByRole('link', { name: 'Catalog', exact: true }).click();
    await page.waitForSelector('a.tile >> text=Tide Gauge', { timeout: 60_000 });
    await picture(page, 'catalog');
    // The server of a laptop leads to the form as it is to be filled in.
    if (isRealCluster) {
      await page.click('a.tile >> text=Tide Gauge');
      await page.click('text=Install…');
      await page.getByLabel('Version').selectOption('0.1.0');
      await page.getByLabel('wait for approval').check();
    } else {
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await page.click('text=Try the example');
      await page.waitForSelector('main h1 >> text=Tide Gauge');
      expect(await page.getByLabel('Version').inputValue()).toBe('0.1.0');
      expect(await page.getByLabel('wait for approval').isChecked()).toBe(true);
    }
    await page.waitForSelector('main .list >> text=tide-gauge.v0.1.0');
    await page.waitForSelector('text=The API server accepts this');
    await page.waitForSelector('text=longshore operator install tide-gauge');
    await picture(page, 'install');
    await page.getByRole('button', { name: 'Install Tide Gauge 0.1.0' }).click();
    await page.waitForSelector('text=Review and approve', { timeout: 90_000 });
    await page.waitForSelector('text=0.1.1 available');
    await picture(page, 'approval');
    await page.waitForSelector('.steps >> text=tide-gauge.v0.1.0 stays until then');
    await page.click('text=Review and approve…');
    await page.waitForSelector('dialog >> text=is applied after the approval');
    await page.getByRole('button', { name: 'Approve: install tide-gauge.v0.1.1' }).click();
    await page.waitForSelector('.pill >> text=Healthy', { timeout: 90_000 });
    await page.waitForSelector('.head >> text=0.1.1');
    await goTo(page, '/catalog/olm/examples/tide-gauge?tab=channels&from=0.1.0');
    await page.waitForSelector('.graph circle.installed');
    await picture(page, 'channels');
    await goTo(page, '/installed/Subscription/operators/tide-gauge');
    await page.click('text=Remove…');
    await page.getByRole('button', { name: 'Remove tide-gauge' }).click();
    await page.waitForURL('**/installed');
    const { items } = await world.platform.kube.list({
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'Subscription',
    });
    expect(items).toEqual([]);
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });

  test('a package of a ClusterCatalog is installed with a configuration, after its errors were seen at the fields', async () => {
    await world.platform.kube.apply(clusterCatalog('shop', 'catalog:v2'), apply);
    const page = await world.open();
    await goTo(page, '/catalog');
    await page.click('a.tile[href*="/-/shop/harbour"]', { timeout: 60_000 });
    await page.click('text=Install…');
    const namespace = page.getByLabel('Namespace').first();
    await namespace.fill('Not a name');
    await page.waitForSelector('.field-error >> text=lower case letters');
    expect(await page.getByRole('button', { name: /^Install Harbour/ }).count()).toBe(0);
    await namespace.fill('piers');
    await page.click('text=Configuration of its Deployments');
    await page.getByRole('button', { name: 'Add: Environment variables' }).click();
    await page.waitForSelector('.field-error >> text=is required');
    await page.getByLabel('Name (required)').fill('PIER');
    await page.getByLabel('Value').first().fill('old');
    await page.getByLabel('CPU').first().fill('a lot');
    await page.waitForSelector('.field-error >> text=does not match');
    await page.getByLabel('CPU').first().fill('100m');
    await page.waitForSelector('pre >> text=configType: Inline');
    await page.waitForSelector('text=The API server accepts this');
    await page.waitForSelector('main .list >> text=harbour.v1.0.0');
    await picture(page, 'extension');
    await page.getByRole('button', { name: 'Install Harbour', exact: true }).click();
    await page.waitForURL('**/installed/ClusterExtension/-/harbour');
    await page.waitForSelector('.pill >> text=Healthy', { timeout: 90_000 });
    const deployments = await world.platform.kube.list({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'piers',
    });
    expect(JSON.stringify(deployments.items)).toContain('"PIER"');
    await page.click('text=Remove…');
    await page.waitForSelector('dialog >> text=kubectl delete clusterextension harbour');
    await page.waitForSelector('dialog >> text=Nothing else that is installed needs it.');
    await page.getByRole('button', { name: 'Remove harbour' }).click();
    await page.waitForURL('**/installed');
    await page.waitForSelector('text=Nothing is installed', { timeout: 60_000 });
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });

  test('a version that the channel does not have is explained before anything is done', async () => {
    await world.platform.kube.apply(clusterCatalog('shop', 'catalog:v2'), apply);
    const page = await world.open();
    await goTo(page, '/resolve?q=tide-gauge@0.9.0');
    await page.waitForSelector('text=no version of it is in that range', { timeout: 60_000 });
    await page.waitForSelector('text=What to do');
    await page.context().close();
  });

  test('a bundle is changed after its difference was seen, broken, understood, rolled back and removed', async () => {
    const source = { type: 'image', image: { ref: `${world.registry.host}/combo:v0.0.2` } };
    const deployment = {
      apiVersion: 'core.rukpak.io/v1alpha1',
      kind: 'BundleDeployment',
      metadata: { name: 'combo' },
      spec: { provisionerClassName, template: { spec: { provisionerClassName, source } } },
    };
    await world.platform.kube.apply(deployment, apply);
    const page = await world.open();
    const image = page.getByLabel('Image to change to');
    await goTo(page, '/installed/BundleDeployment/-/combo');
    await page.waitForSelector('.pill >> text=Healthy', { timeout: 60_000 });
    // The server of a laptop names what to try; anywhere else it is typed.
    if (isRealCluster) {
      await page.click('text=Change version…');
      await image.fill(`${world.registry.host}/combo:v0.0.3`);
      await page.click('text=Show the changes');
    } else {
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await page.click('text=Change the example bundle');
      expect(await image.inputValue()).toBe(`${world.registry.host}/combo:v0.0.3`);
    }
    await page.waitForSelector('text=1 removed', { timeout: 60_000 });
    await page.waitForSelector('.diff .plus');
    await picture(page, 'changes');
    await page.getByRole('button', { name: /^Change to v0\.0\.3, \d objects$/ }).click();
    await page.waitForSelector('.head >> text=v0.0.3', { timeout: 60_000 });
    await page.waitForSelector('.pill >> text=Healthy', { timeout: 60_000 });

    if (isRealCluster) {
      await page.click('text=Change version…');
      await image.fill(`${world.registry.host}/combo:v0.0.4`);
      await page.click('text=Show the changes');
    } else {
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await page.click('text=Break the example bundle');
      expect(await image.inputValue()).toBe(`${world.registry.host}/combo:v0.0.4`);
    }
    await page.waitForSelector('text=kubectl patch bundledeployment combo --type merge');
    await page.waitForSelector('text=Nothing would be written', { timeout: 60_000 });
    await page.getByRole('button', { name: 'Request v0.0.4 anyway' }).click();
    await page.waitForSelector('.pill >> text=Degraded', { timeout: 60_000 });
    await page.waitForSelector('text=What to do');
    expect(await page.textContent('.why')).toMatch(/immutable/);
    await picture(page, 'degraded');

    await page.click('text=See what would change');
    await page.waitForSelector('text=Nothing would be written', { timeout: 60_000 });
    await page.click('.tabs >> text=Summary');
    await page.click('text=Roll back from the history');
    await page.waitForSelector('text=Roll back…');
    await page.click('.tabs >> text=Summary');
    await page.click('text=Remove…');
    await page.getByRole('button', { name: 'Remove combo' }).click();
    await page.waitForURL('**/installed');
    await page.waitForSelector('text=Nothing is installed', { timeout: 60_000 });
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });

  test('content of others stays inert: descriptions, icons, names and events with markup and scripts', async () => {
    const script = '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>';
    const markdown = `${script}\n\n[link](javascript:window.hacked=3) ![image](https://tracker.example.com/x.png)\n\n<svg onload="window.hacked=4">`;
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=5"><script>window.hacked=6</script></svg>';
    const icon = { base64data: Buffer.from(svg).toString('base64'), mediatype: 'image/svg+xml' };
    const text = await readExampleCatalog(['0.1.0'], world.registry.host);
    const documents = text.split('\n').map((line) => {
      const document = JSON.parse(line) as Record<string, unknown>;
      if (document['schema'] === 'olm.package') return { ...document, description: markdown, icon };
      const properties = (document['properties'] ?? []) as { type: string; value: object }[];
      const hostile = properties.map((property) =>
        property.type === 'olm.csv.metadata'
          ? {
              ...property,
              value: { ...property.value, description: markdown, displayName: script, keywords: [script] },
            }
          : property,
      );
      return properties.length === 0 ? document : { ...document, properties: hostile };
    });
    const configs = documents.map((document) => JSON.stringify(document)).join('\n');
    const labels = { 'operators.operatorframework.io.index.configs.v1': '/configs' };
    world.registry.putImage('hostile:v1', [{ files: { 'configs/catalog.json': configs } }], labels);
    await world.platform.kube.apply(catalogSource('hostile', 'hostile:v1'), apply);
    await world.platform.kube.create(
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'hostile', namespace: 'default' },
        involvedObject: { kind: 'Pod', namespace: 'default', name: script },
        type: 'Warning',
        reason: script,
        message: script,
        lastTimestamp: new Date().toISOString(),
      } as never,
      apply,
    );
    const page = await world.open();
    await page.waitForSelector('text=window.hacked=1');
    await goTo(page, '/catalog');
    await page.waitForSelector('a.tile[href*="hostile"]', { timeout: 60_000 });
    await picture(page, 'hostile');
    await page.click('a.tile[href*="hostile"]');
    await page.waitForSelector('.prose');
    expect(await page.textContent('.prose')).toContain('window.hacked');
    expect(await page.$$('.prose img, .prose svg, .prose script, .prose a[href^="javascript"]')).toEqual([]);
    const own = await page.evaluate(
      'fetch("/api/icons/olm/hostile/tide-gauge").then((r) => [r.status, r.headers.get("content-security-policy")])',
    );
    expect(own).toEqual([expect.any(Number), expect.stringContaining("default-src 'none'")]);
    await world.platform.kube.apply(clusterCatalog('hostile-shop', 'hostile:v1'), apply);
    await goTo(page, '/catalog');
    await page.waitForSelector('a.tile[href*="hostile-shop"]', { timeout: 60_000 });
    await page.click('a.tile[href*="hostile-shop"]');
    await page.waitForSelector('.prose >> text=window.hacked');
    await page.click('text=Install…');
    await page.waitForSelector('text=The API server accepts this');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(world.troubles.filter((line) => !line.includes('404'))).toEqual([]);
    world.troubles.length = 0;
    const drawn = await page.goto(new URL('/api/icons/-/hostile-shop/tide-gauge', page.url()).href);
    expect([drawn?.status(), drawn?.headers()['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    // The browser reports what its sandbox has kept from running.
    expect(world.troubles.filter((line) => !line.includes('Blocked script execution'))).toEqual([]);
    await page.context().close();
  });
});
