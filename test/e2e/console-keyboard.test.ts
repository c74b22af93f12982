/** @module-tag long */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, violationsOf } from '../support/browser.ts';
import { type ConsolePlatform, openConsolePlatform } from '../support/console-platform.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';

const hasBrowser = chromiumPath !== undefined;
const why = hasBrowser ? '' : ' (skipped: there is no Chromium; apt-get install chromium)';
const provisionerClassName = 'core-rukpak-io-plain';
const user = { fieldManager: 'test' };
const patience = { timeout: 90_000 };
const maxStops = 200;

let world: ConsolePlatform;

/** What has the focus. */
interface Stop {
  /** Text or label; empty for the body of the page. */
  readonly name: string;
  readonly isInDialog: boolean;
  /** Whether the focus can be seen. */
  readonly isMarked: boolean;
  readonly isInView: boolean;
}

const readStop = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return { name: '', isInDialog: false, isMarked: true, isInView: true };
  const label = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent;
  const name = (label || one.getAttribute('placeholder') || one.tagName).trim().replaceAll(/\\s+/g, ' ');
  // A field for files is drawn by its label.
  const drawn = (one.type === 'file' && one.closest('label')) || one;
  const style = getComputedStyle(drawn);
  const box = drawn.getBoundingClientRect();
  return {
    name: name.slice(0, 80),
    isInDialog: one.closest('dialog') !== null,
    isMarked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1,
    isInView: box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
})()`;

async function tab(page: Page, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<Stop> {
  await page.keyboard.press(key);
  return (await page.evaluate(readStop)) as Stop;
}

/** Everything that the tabulator key reaches, until it comes round. */
async function walk(page: Page): Promise<readonly Stop[]> {
  await page.evaluate('document.activeElement?.blur()');
  const stops: Stop[] = [];
  for (let count = 0; count < maxStops; count++) {
    const stop = await tab(page);
    // The browser comes round by way of the page itself.
    if (stop.name === '' && stops.length > 0) return stops;
    if (stop.name !== '') stops.push(stop);
  }
  throw new Error(
    `the focus does not come round: ${stops
      .slice(-5)
      .map(({ name }) => name)
      .join()}`,
  );
}

/** Where the focus goes from a dialog that is open, and not within it. */
async function escapes(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab'] as const) {
    const { name, isInDialog } = await tab(page, key);
    if (name !== '' && !isInDialog) found.push(`the focus went to ${name}`);
  }
  return found;
}

/** Goes on with the tabulator key to what has this name. */
async function reach(page: Page, name: string | RegExp): Promise<void> {
  for (let count = 0; count < maxStops; count++) {
    const stop = await tab(page);
    if (typeof name === 'string' ? stop.name === name : name.test(stop.name)) return;
  }
  throw new Error(`the tabulator key does not reach ${String(name)}`);
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  await reach(page, name);
  await page.keyboard.press('Enter');
}

interface DialogCase {
  readonly opener: string | RegExp;
  readonly end: 'Escape' | 'button';
  readonly width: number;
}

/** Opens a dialog and closes it; what is wrong with it. */
async function tryDialog(page: Page, { opener, end, width }: DialogCase): Promise<readonly string[]> {
  await press(page, opener);
  await page.waitForSelector('dialog[open]');
  const found = [...(await escapes(page)), ...(await violationsOf(page))];
  const shown = (await page.evaluate('document.documentElement.scrollWidth')) as number;
  if (shown > width) found.push(`it is ${shown} pixels wide`);
  const button = /^(Cancel|Close)$/;
  const hasButton = (await page.locator('dialog').getByRole('button', { name: button }).count()) > 0;
  if (end === 'button' && hasButton) await press(page, button);
  else await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  const name = await eventually(async () => {
    const stop = (await page.evaluate(readStop)) as Stop;
    if (stop.name === '') throw new Error(`${String(opener)}, ${end}: the focus is at the page itself`);
    return stop.name;
  });
  const isBack = typeof opener === 'string' ? name === opener : opener.test(name);
  return isBack ? found : [...found, `the focus is at "${name}"`];
}

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.waitForSelector('main h1');
}

beforeAll(async () => {
  if (!hasBrowser) return;
  world = await openConsolePlatform();
  const { kube } = world.platform;
  const deployment = (name: string, ref: string) => {
    const source = { type: 'image', image: { ref: `${world.registry.host}/${ref}` } };
    const spec = { provisionerClassName, template: { spec: { provisionerClassName, source } } };
    return { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', metadata: { name }, spec };
  };
  await kube.apply(deployment('combo', 'combo:v0.0.2') as never, user);
  await kube.apply(deployment('broken', 'combo:v9.9.9') as never, user);
  const image = `${world.registry.host}/catalog:v2`;
  const spec = { sourceType: 'grpc', displayName: 'Examples', image };
  const metadata = { name: 'examples', namespace: 'olm' };
  await kube.apply({ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', metadata, spec }, user);
});

afterAll(async () => {
  if (hasBrowser) await world[Symbol.asyncDispose]();
});

async function finish(page: Page): Promise<void> {
  expect(world.troubles).toEqual([]);
  await page.context().close();
}

/** Every page, with what is on it when it is complete. */
const pages: readonly (readonly [string, string])[] = [
  ['/', 'text=Needs you'],
  ['/installed', 'a.grid-row >> text=combo'],
  ['/installed/BundleDeployment/-/combo', 'text=Waits for nothing'],
  ['/installed/BundleDeployment/-/broken', 'text=What to do'],
  ['/installed/BundleDeployment/-/combo?tab=objects', '.tree >> text=Deployment'],
  ['/installed/BundleDeployment/-/combo?tab=changes', 'text=Nothing would change'],
  ['/installed/BundleDeployment/-/combo?tab=history', 'text=current'],
  ['/installed/BundleDeployment/-/combo?tab=permissions', 'main .list li'],
  ['/installed/BundleDeployment/-/combo?tab=log', 'text=controller=bundledeployment'],
  ['/dependencies', 'main h1'],
  ['/catalog', 'a.tile >> text=Tide Gauge'],
  ['/catalog/olm/examples/tide-gauge', 'text=Create a Gauge'],
  ['/catalog/olm/examples/tide-gauge?tab=channels', '.graph svg circle'],
  ['/catalog/olm/examples/tide-gauge?tab=install', 'text=The API server accepts this'],
  ['/resolve?q=tide-gauge', 'text=tide-gauge.v0.1.1'],
  ['/updates', 'text=This cluster has no ClusterVersion'],
  ['/bench', 'text=Drop the folder'],
  ['/settings', 'text=one-time link'],
];

describe.skipIf(!hasBrowser)(`the console by keys${why}`, { timeout: 300_000 }, () => {
  test.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('the focus is seen wherever it goes, and comes round: %s, %i pixels', async (theme, width) => {
    const page = await world.open({ theme, width });
    const found: string[] = [];
    for (const [path, mark] of pages) {
      await goTo(page, path);
      await page.waitForSelector(mark, patience);
      const stops = await walk(page);
      const bad = stops.filter(({ isMarked, isInView }) => !isMarked || !isInView);
      found.push(
        ...bad.map(({ name, isInView }) => `${path}: ${name} ${isInView ? 'is not marked' : 'is out of view'}`),
      );
      const controls =
        (await page.evaluate(`[...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary)')]
        .filter((one) => !one.disabled && one.type !== 'radio' && one.checkVisibility()).length`)) as number;
      if (stops.length < controls) found.push(`${path}: ${stops.length} stops for ${controls} controls`);
    }
    expect(found).toEqual([]);
    await finish(page);
  });

  test('the first stop of a page leads past its navigation', async () => {
    const page = await world.open();
    await goTo(page, '/installed');
    await page.waitForSelector('a.grid-row >> text=combo', patience);
    await page.evaluate('document.activeElement?.blur()');
    expect((await tab(page)).name).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await tab(page);
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
    await finish(page);
  });

  test.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('a dialog keeps the focus, and gives it back: %s, %i pixels', async (theme, width) => {
    const page = await world.open({ theme, width });
    const found: string[] = [];
    const dialogs: readonly (readonly [string, string, string | RegExp])[] = [
      ['/installed/BundleDeployment/-/combo', 'text=Waits for nothing', 'YAML'],
      ['/installed/BundleDeployment/-/combo', 'text=Waits for nothing', 'Remove…'],
      ['/catalog/olm/examples/tide-gauge', 'text=Create a Gauge', 'Create a Gauge…'],
      ['/catalog', 'a.tile >> text=Tide Gauge', /^Search or run an action/],
    ];
    for (const [path, mark, opener] of dialogs) {
      await goTo(page, path);
      await page.waitForSelector(mark, patience);
      for (const end of ['Escape', 'button'] as const) {
        const lines = await tryDialog(page, { opener, end, width });
        found.push(...lines.map((line) => `${String(opener)}, ${end}: ${line}`));
      }
    }
    expect(found).toEqual([]);
    await finish(page);
  });

  test('an operator is installed, its update approved, and removed, without a mouse', async () => {
    const page = await world.open({ theme: 'dark' });
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForSelector('a.tile >> text=Tide Gauge', patience);
    await press(page, /^.?\s*Tide Gauge/);
    await page.waitForSelector('main h1 >> text=Tide Gauge');
    await press(page, 'Install…');
    await page.waitForSelector('text=The API server accepts this', patience);
    await reach(page, /^Version/);
    await page.keyboard.type('0.1.0');
    expect(await page.getByLabel('Version').inputValue()).toBe('0.1.0');
    await reach(page, /^are installed as they appear/);
    await page.keyboard.press('ArrowDown');
    expect(await page.getByLabel('wait for approval').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Install Tide Gauge 0.1.0' }).waitFor(patience);
    await press(page, 'Install Tide Gauge 0.1.0');
    await page.getByRole('button', { name: 'Review and approve…' }).waitFor(patience);
    await page.waitForSelector('text=0.1.1 available', patience);
    await press(page, 'Review and approve…');
    await page.getByRole('button', { name: 'Approve: install tide-gauge.v0.1.1' }).waitFor(patience);
    await press(page, 'Approve: install tide-gauge.v0.1.1');
    await page.waitForSelector('.head >> text=0.1.1', patience);
    await page.waitForSelector('.pill >> text=Healthy', patience);
    await press(page, 'Remove…');
    await page.waitForSelector('dialog >> text=Nothing else that is installed needs it.', patience);
    await press(page, 'Remove tide-gauge');
    await page.waitForURL('**/installed', patience);
    await picture(page, 'keyboard-removed');
    expect(await violationsOf(page)).toEqual([]);
    await finish(page);
  });
});
