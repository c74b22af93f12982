/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mapLimit } from '../../src/base/index.ts';
import {
  eventually,
  neverAnswers,
  type Registry,
  startRegistry,
  startWebServer,
  type WebServer,
} from '../support/index.ts';
import { application, withSubdirectory } from './contents.ts';
import { bundleDeployment, conditionOf, startWorld, type World } from './world.ts';

/** Of each kind more than work is done at a time. */
const eachCount = 12;
const goodCount = 12;

let world: World;
let silentRegistry: Registry;
let silentServer: WebServer;
beforeAll(async () => {
  // No deadline passes while the test lasts.
  world = await startWorld(['--answer-timeout', '600']);
  silentRegistry = await startRegistry({ intercept: neverAnswers('/') });
  silentServer = await startWebServer(() => undefined);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await silentRegistry[Symbol.asyncDispose]();
  await silentServer[Symbol.asyncDispose]();
});

type Source = Readonly<Record<string, unknown>>;

/** Sources that never become content, each wrong in its own way. */
const broken: Readonly<Record<string, (index: number) => Source>> = {
  silent: (index) => ({ type: 'image', image: { ref: `${silentRegistry.host}/silent-${index}:v1` } }),
  mute: (index) => ({ type: 'http', http: { url: `${silentServer.url}/${index}.tgz` } }),
  absent: (index) => ({ type: 'image', image: { ref: `${world.registry.host}/absent-${index}:v1` } }),
  unreadable: (index) => world.imageSource(`unreadable-${index}:v1`, withSubdirectory),
  unmapped: (index) => ({ type: 'configMaps', configMaps: [{ configMap: { name: `unmapped-${index}` } }] }),
};

async function create(name: string, source: Source): Promise<void> {
  await world.kube.create(bundleDeployment(name, source), { fieldManager: 'test' });
}

test('Q22 sixty deployments with broken sources do not delay twelve good ones', async () => {
  const bad = Object.entries(broken).flatMap(([kind, sourceOf]) =>
    Array.from({ length: eachCount }, (_, index) => ({ name: `${kind}-${index}`, source: sourceOf(index) })),
  );
  expect(bad).toHaveLength(60);
  await mapLimit(bad, 8, async ({ name, source }) => await create(name, source));
  const good = Array.from({ length: goodCount }, (_, index) => `good-${index}`);
  await mapLimit(good, 8, async (name) => await create(name, world.imageSource(`${name}:v1`, application(name, 1))));
  await eventually(
    async () => {
      const target = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' };
      const { items } = await world.kube.list(target);
      const installed = items.filter((object) => conditionOf(object, 'Installed')?.status === 'True');
      expect(new Set(installed.map(({ metadata }) => metadata.name))).toEqual(new Set(good));
    },
    { timeoutMs: 100_000, intervalMs: 250 },
  );
}, 150_000);
