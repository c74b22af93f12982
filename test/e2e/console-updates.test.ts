/** @module-tag long */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Registry } from '../../cli/examples/registry.ts';
import { parseYaml } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { chromiumPath, violationsOf } from '../support/browser.ts';
import { type ConsolePlatform, openConsolePlatform } from '../support/console-platform.ts';
import { eventually, startWebServer } from '../support/index.ts';
import { picture } from '../support/pictures.ts';
import { programPath, runLongshore } from './program.ts';
import { conditionOf, statusOf } from './world.ts';

const hasBrowser = chromiumPath !== undefined;
const why = hasBrowser ? '' : ' (skipped: there is no Chromium; apt-get install chromium)';
const user = { fieldManager: 'test' };
const version = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', name: 'version' };
const machinePlace = {
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'Machine',
  namespace: 'openshift-machine-api',
};
const channel = 'stable-1.1';
const patience = { timeout: 60_000 };

const query = 'max(storage_replicas) == bool 1';

let world: ConsolePlatform;
const servers = new AsyncDisposableStack();
/** Of the second release, by its digest. */
let nextImage = '';
/** Of the update service of the examples. */
let upstream = '';
/** What `release sign` writes: the ConfigMap that the engine verifies the second release with. */
let signatures = '';
const children: ChildProcess[] = [];

/** As a Prometheus answers: the risk applies. */
const answerQuery: RequestListener = (_, response) => {
  const result = [{ metric: {}, value: [0, '1'] }];
  response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
};

/** An update service for both releases, with a risk that a Prometheus decides about. */
const answerGraph: RequestListener = (_, response) => {
  const metadata = { 'io.openshift.upgrades.graph.release.channels': channel };
  const nodes = [
    { version: '1.0.0', payload: 'x', metadata },
    { version: '1.1.0', payload: nextImage, metadata },
  ];
  const message = 'Storage with a single replica stops in the middle of the update.';
  const url = 'https://example.com/single-replica';
  const risk = { name: 'SingleReplica', message, url, matchingRules: [{ type: 'PromQL', promql: { promql: query } }] };
  const conditionalEdges = [{ edges: [{ from: '1.0.0', to: '1.1.0' }], risks: [risk] }];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ nodes, edges: [], conditionalEdges }));
};

async function runProgram(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runLongshore(args, { cwd: process.cwd() });
  expect([code, stderr.includes('error')]).toEqual([0, false]);
  return stdout;
}

/** Builds both releases of the examples into the registry; the first one is that of the cluster. */
async function publishReleases({ host }: Registry): Promise<readonly string[]> {
  const images: string[] = [];
  for (const [name, previous] of [
    ['1.0.0', []],
    ['1.1.0', ['--previous', '1.0.0']],
  ] as const) {
    const source = `examples/release/${name}`;
    const facts = ['--version', name, '--channel', channel, ...previous, '--images', `${source}/images.yaml`];
    const built = await runProgram(['release', 'build', source, ...facts, '--push', `${host}/release:${name}`]);
    images.push(`${host}/release@${/sha256:[0-9a-f]{64}/.exec(built)?.[0]}`);
  }
  signatures = await mkdtemp(join(tmpdir(), 'longshore-signatures-'));
  const key = 'examples/release/signing/signing-key.asc';
  await runProgram(['release', 'sign', `${host}/release:1.1.0`, '--key', key, '--signatures-to', signatures]);
  nextImage = images[1] ?? '';
  const prometheus = servers.use(await startWebServer(answerQuery));
  const cluster = ['--no-olm', '--machines', '2', '--prometheus-url', prometheus.url];
  return [...cluster, '--release', images[0] ?? '', '--allow-unsigned-releases'];
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const options = {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'],
  };
  const child = spawn(process.execPath, args, options);
  children.push(child);
  return child;
}

/** An update service for both releases; its address. */
async function serveUpdates(host: string): Promise<string> {
  const releases = ['1.0.0', '1.1.0'].flatMap((name) => ['--release', `${host}/release:${name}`]);
  const where = ['--bind-address', '127.0.0.1', '--port', '0'];
  const child = start([programPath, 'release', 'graph', 'serve', 'examples/release/graph-data', ...releases, ...where]);
  if (child.stdout === null) throw new Error('the update service has no output');
  for await (const line of createInterface(child.stdout)) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error('the update service has ended');
}

async function untilProgressing(expected: RegExp): Promise<void> {
  await eventually(
    async () => {
      const { status, message } = conditionOf(await world.platform.kube.get(version), 'Progressing') ?? {};
      expect(`${status} ${message}`).toMatch(expected);
    },
    { timeoutMs: 60_000 },
  );
}

function machineWithHooks(): KubeObject {
  const { namespace, ...type } = machinePlace;
  const lifecycleHooks = {
    preDrain: [{ name: 'MigrateApp', owner: 'app-migration' }],
    preTerminate: [{ name: 'BackupVolume', owner: 'backup-operator' }],
  };
  const labels = { 'machine.openshift.io/cluster-api-cluster': 'longshore' };
  const metadata = { name: 'database', namespace, labels };
  return { ...type, metadata, spec: { lifecycleHooks, providerSpec: { value: {} } } };
}

beforeAll(async () => {
  if (!hasBrowser) return;
  world = await openConsolePlatform(publishReleases);
  const { platform, registry } = world;
  start(['examples/release/operators.js', 'dns', 'storage', 'metrics', 'console'], {
    KUBECONFIG: platform.kubeconfigPath,
  });
  await untilProgressing(/^False Cluster version is 1\.0\.0$/);
  upstream = await serveUpdates(registry.host);
  await platform.kube.patch(version, { spec: { upstream } }, user);
  await platform.kube.create(machineWithHooks(), user);
  const [file = ''] = await readdir(signatures);
  await platform.kube.create(
    parseYaml(file, await readFile(join(signatures, file), 'utf8')) as unknown as KubeObject,
    user,
  );
});

afterAll(async () => {
  if (!hasBrowser) return;
  for (const child of children) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  await world[Symbol.asyncDispose]();
  await servers.disposeAsync();
  await rm(signatures, { recursive: true, force: true });
});

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.waitForSelector('main h1');
}

// A browser and several processes share the cores of the machine with other tests.
describe.skipIf(!hasBrowser)(`updates of a cluster in the console${why}`, { timeout: 240_000 }, () => {
  test('a risk that a Prometheus decides about is shown with its query, and accepted by itself', async () => {
    const { kube } = world.platform;
    const service = servers.use(await startWebServer(answerGraph));
    await kube.patch(version, { spec: { upstream: service.url, channel } }, user);
    const page = await world.open({ theme: 'dark' });
    await goTo(page, '/updates');
    const risk = page.locator('.risk', { hasText: 'SingleReplica' });
    await risk.getByText('Storage with a single replica stops in the middle of the update.').waitFor(patience);
    await risk.getByText('applies to this cluster', { exact: true }).waitFor(patience);
    await risk.locator('pre', { hasText: query }).waitFor();
    expect(await risk.getByRole('link').getAttribute('href')).toBe('https://example.com/single-replica');
    await page.getByText('not recommended', { exact: true }).waitFor();
    await picture(page, 'update-promql');
    expect(await violationsOf(page)).toEqual([]);

    await risk.getByRole('button', { name: 'Accept SingleReplica' }).click();
    const dialog = page.locator('dialog');
    await dialog.getByText('longshore upgrade accept SingleReplica').waitFor(patience);
    await dialog.getByText('count as recommended, now and later').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Accept SingleReplica' }).click();
    await risk.locator('.chip', { hasText: 'accepted' }).waitFor(patience);
    await page.getByText('recommended', { exact: true }).waitFor(patience);
    const { desiredUpdate } = (await kube.get(version))['spec'] as { desiredUpdate?: object };
    expect(desiredUpdate).toMatchObject({ acceptRisks: [{ name: 'SingleReplica' }] });

    await risk.getByRole('button', { name: 'No longer accept SingleReplica' }).click();
    await dialog.getByText('longshore upgrade accept SingleReplica-').waitFor(patience);
    await dialog.getByRole('button', { name: 'No longer accept SingleReplica' }).click();
    await page.getByText('not recommended', { exact: true }).waitFor(patience);
    expect(world.troubles).toEqual([]);
    await page.context().close();
    await kube.patch(version, { spec: { upstream, channel: null, desiredUpdate: null } }, user);
  });

  test('a risk is understood and accepted, an update is followed, and what it waits for is corrected', async () => {
    const { kube } = world.platform;
    const page = await world.open();
    await goTo(page, '/updates');
    await page.waitForSelector('text=Cluster version is 1.0.0', patience);

    await page.getByRole('button', { name: 'Channel…' }).click();
    await page.getByLabel('Channel', { exact: true }).fill(channel);
    await page.waitForSelector(`text=longshore upgrade channel ${channel}`);
    await page.getByRole('button', { name: `Take updates from ${channel}` }).click();
    await page.waitForSelector('text=SingleReplicaStorage', patience);
    await page.waitForSelector('text=It applies to every cluster.');
    await page.waitForSelector('text=not recommended');
    await picture(page, 'update-risk');
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Show the update graph' }).click();
    await page.waitForSelector('.release-graph .edge.risky.path', patience);
    await page.waitForSelector('text=with known risks: SingleReplicaStorage');
    await page.getByRole('button', { name: 'Show the update graph' }).scrollIntoViewIfNeeded();
    await picture(page, 'update-graph');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('From', { exact: true }).selectOption('1.1.0');
    await page.getByLabel('To', { exact: true }).selectOption('1.0.0');
    await page.waitForSelector('text=1.0.0 is older than 1.1.0', patience);

    await page.getByRole('button', { name: 'Update to 1.1.0' }).click();
    const request = page.locator('dialog').getByRole('button', { name: 'Update to 1.1.0' });
    expect(await request.isDisabled()).toBe(true);
    await page.getByLabel('Accept the risks of this update: SingleReplicaStorage').check();
    await page.waitForSelector('text=longshore upgrade --to 1.1.0 --allow-not-recommended');
    await page.getByRole('button', { name: 'Show what the release changes' }).click();
    await page.waitForSelector('[data-dry-run] >> text=banner', patience);
    await picture(page, 'update-dry-run');
    expect(await violationsOf(page)).toEqual([]);
    expect((await kube.get(version))['spec']).not.toHaveProperty('desiredUpdate');
    await request.click();

    await page.waitForSelector('.level.waiting', patience);
    await page.waitForSelector('text=clusteroperator/storage', patience);
    await page.waitForSelector('text=this version needs at least 2, found 1');
    await page.waitForSelector('.list >> text=waited for');
    await page.waitForSelector('text=longshore upgrade status');
    await picture(page, 'update-waiting');
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 860 });
    await picture(page, 'update-waiting-narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 860 });

    const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'storage', name: 'settings' };
    await kube.patch(settings, { data: { replicas: '2' } }, user);
    await page.waitForSelector('text=Cluster version is 1.1.0', patience);
    await page.locator('.levels').waitFor({ state: 'detached' });
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });

  test('a machine that is deleted names the hooks that hold it, and their owners', async () => {
    const { kube } = world.platform;
    const machine = { ...machinePlace, name: 'database' };
    await eventually(async () => expect(statusOf(await kube.get(machine))['phase']).toBe('Running'));
    const page = await world.open({ theme: 'dark' });
    await goTo(page, '/updates');
    await page.waitForSelector('text=MigrateApp of app-migration');
    await kube.delete(machine);
    await page.waitForSelector('text=Deletion of database', patience);
    await page.waitForSelector('text=waits for MigrateApp of app-migration to remove the hook', patience);
    await page.waitForSelector('text=longshore machine describe database');
    await page.getByText('Deletion of database').scrollIntoViewIfNeeded();
    await picture(page, 'machine-hooks');
    expect(await violationsOf(page)).toEqual([]);
    await kube.patch(machine, { spec: { lifecycleHooks: null } }, user);
    await page.getByText('Deletion of database').waitFor({ state: 'detached', ...patience });
    expect(world.troubles).toEqual([]);
    await page.context().close();
  });
});
