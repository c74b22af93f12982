import { openPage } from '../cli/console/page.ts';
import { mapLimit } from '../src/base/index.ts';
import type { KubeClient, KubeObject } from '../src/kube/index.ts';
import { chromiumPath, openBrowser } from '../test/support/browser.ts';
import { openTestConsole, type TestConsole } from '../test/support/console.ts';
import type { Measurement } from './table.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const provisionerClassName = 'core-rukpak-io-plain';
const deployments = 1_000;
const bundlesOfEach = 7;
const writesAtATime = 16;
const writer = { fieldManager: 'bench' };
/** A slower processor than that of the machine, as a laptop on battery has. */
const slowdown = 2;

const source = { type: 'image', image: { ref: 'registry.example.com/harbour:v1' } };
const since = '2026-01-01T00:00:00Z';

function condition(type: string, reason: string): object {
  return { type, status: 'True', reason, message: '', lastTransitionTime: since };
}

/** What the cluster has: nothing reconciles it. */
async function fill(kube: KubeClient): Promise<void> {
  await mapLimit(
    Array.from({ length: deployments }, (_, at) => at),
    writesAtATime,
    async (at) => {
      const name = `harbour-${String(at).padStart(4, '0')}`;
      const spec = { provisionerClassName, template: { spec: { provisionerClassName, source } } };
      const status = {
        conditions: [
          condition('HasValidBundle', 'UnpackSuccessful'),
          condition('Installed', 'InstallationSucceeded'),
          condition('Healthy', 'Healthy'),
        ],
        activeBundle: `${name}-0`,
        activeVersion: 'v1',
      };
      const object = { apiVersion, kind: 'BundleDeployment', metadata: { name }, spec };
      const created = await kube.create(object, writer);
      await kube.update({ ...created, status } as KubeObject, { ...writer, subresource: 'status' });
      for (let index = 0; index < bundlesOfEach; index++) {
        const metadata = { name: `${name}-${index}` };
        await kube.create({ apiVersion, kind: 'Bundle', metadata, spec: { provisionerClassName, source } }, writer);
      }
    },
  );
}

/** The browser reports it some time after it has painted. */
const paint = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`;
/** Until the browser has painted what a key changed. */
const typing = `new Promise((resolve) => {
  const input = document.querySelector('[data-key="search"]');
  const start = performance.now();
  input.value = '0500';
  input.dispatchEvent(new Event('input', { bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start), 0));
})`;

async function measurePages(opened: TestConsole): Promise<Measurement[]> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    let scriptBytes = 0;
    page.on('response', (response) => {
      if (!response.url().endsWith('.js')) return;
      void response
        .request()
        .sizes()
        .then(({ responseBodySize }) => {
          scriptBytes += responseBodySize;
        });
    });
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await page.goto(opened.link());
    await page.waitForSelector('.rail');
    const startedMs = performance.now();
    await page.goto(`${opened.url}/installed`);
    await page.waitForSelector('a.grid-row');
    const listedMs = performance.now() - startedMs;
    const firstPaintMs = Number(await page.evaluate(paint));
    const typedMs = (await page.evaluate(typing)) as number;
    const rows = (await page.evaluate('document.querySelectorAll("a.grid-row").length')) as number;
    const ms = (value: number): string => `${value.toFixed(0)} ms`;
    return [
      { what: 'JavaScript, compressed', value: `${(scriptBytes / 1024).toFixed(0)} KiB`, goal: '250 KB' },
      { what: 'first paint', value: ms(firstPaintMs), goal: '1 s' },
      { what: 'until the list of installations is there', value: ms(listedMs) },
      { what: 'a filter is typed, until it is painted', value: ms(typedMs), goal: '100 ms' },
      { what: 'rows in the document after it', value: String(rows) },
    ];
  } finally {
    await browser.close();
  }
}

/** The console on a cluster with many objects, in a browser whose processor is slowed down. */
export async function measureConsole(): Promise<Measurement[]> {
  if (chromiumPath === undefined) return [{ what: 'skipped', value: 'there is no Chromium' }];
  await using opened = await openTestConsole({ crds: ['crds'], openStaticDir: openPage });
  await fill(opened.kube);
  return await measurePages(opened);
}
