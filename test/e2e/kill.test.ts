/** @module-tag long */
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKubeError, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { eventually, type Intercept, type Registry, startRegistry } from '../support/index.ts';
import { application, type Files } from './contents.ts';
import { type DataFolder, openDataFolder, type PlatformProcess } from './platform-process.ts';
import { type Sighting, watchChanges } from './sightings.ts';
import { isRealCluster } from './test-cluster.ts';
import { bundleDeployment, conditionOf, statusOf } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const parts = Array.from({ length: 12 }, (_, index) => `part-${String(index).padStart(2, '0')}`);
const retired = ['retired-1', 'retired-2', 'retired-3'];

function configMap(name: string, namespace: string, version: number): string {
  const data = JSON.stringify({ version: String(version) });
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: ${data}\n`;
}

/** The small application with more objects that change and more that go, so that there is a middle. */
function wideApplication(namespace: string, version: 1 | 2): Files {
  const names = version === 1 ? [...parts, ...retired] : parts;
  const more = names.map((name): [string, string] => [
    `manifests/20-${name}.yaml`,
    configMap(name, namespace, version),
  ]);
  return { ...application(namespace, version), ...Object.fromEntries(more) };
}

/** What was seen since the switch; registry requests count as `METHOD /path`. */
interface Seen {
  readonly sightings: readonly Sighting[];
  readonly requests: readonly string[];
}

const halfFetched = 'half of a layer is on disk';

interface Point {
  readonly name: string;
  readonly isReached: (seen: Seen) => boolean;
}

function count(seen: Seen, predicate: (sighting: Sighting) => boolean): number {
  return seen.sightings.filter(predicate).length;
}

function sees(kind: string, type: Sighting['type'], predicate: (object: KubeObject) => boolean = () => true) {
  return (sighting: Sighting): boolean =>
    sighting.type === type && sighting.object.kind === kind && predicate(sighting.object);
}

const isPart = ({ metadata }: KubeObject): boolean => metadata.name?.startsWith('part-') === true;
const isUnpacked = (object: KubeObject): boolean => statusOf(object)['phase'] === 'Unpacked';
const isBeingDeleted = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

/** Those between which the data folder or the content store differs; provisioners/bundle-deployment-restarts.test.ts stops behind every write of a pivot, and
 *  `npm run faults` kills at any time. */
const pivotPoints: readonly Point[] = [
  { name: 'half of the layer is fetched', isReached: ({ requests }) => requests.includes(halfFetched) },
  {
    name: 'the new Bundle is unpacked',
    isReached: (seen) => count(seen, sees('Bundle', 'MODIFIED', isUnpacked)) > 0,
  },
  {
    name: 'half of the objects are changed',
    isReached: (seen) => count(seen, sees('ConfigMap', 'MODIFIED', isPart)) >= 6,
  },
  {
    name: 'the old Bundle is being deleted',
    isReached: (seen) => count(seen, sees('Bundle', 'MODIFIED', isBeingDeleted)) > 0,
  },
];

const removalPoints: readonly Point[] = [
  { name: 'the first object is deleted', isReached: (seen) => count(seen, sees('ConfigMap', 'DELETED')) >= 1 },
];

let folder: DataFolder;
let registry: Registry;
let platform: PlatformProcess;
let onRequest: (line: string) => void = () => undefined;

let isHalting = false;

/** Reports requests, and sends half of a layer's bytes on request. */
const watchedRequests: Intercept = (request, response) => {
  onRequest(`${request.method} ${request.url}`);
  if (!isHalting || request.url?.includes('/blobs/') !== true) return false;
  response.writeHead(200).write(Buffer.alloc(100));
  const untilOnDisk = eventually(async () => {
    const partial = (await storedFiles('layers')).filter((name) => name.endsWith('.partial'));
    const files = partial.map((name) => stat(join(folder.storeDir, 'layers', name)));
    expect((await Promise.all(files)).map(({ size }) => size)).toContain(100);
  });
  void untilOnDisk.then(() => onRequest(halfFetched));
  return true;
};

beforeAll(async () => {
  folder = await openDataFolder();
  registry = await startRegistry({ intercept: watchedRequests });
  platform = await folder.start();
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

interface Image {
  readonly source: { readonly type: string; readonly image: { readonly ref: string } };
  readonly pinnedRef: string;
}

function imageOf(name: string, version: 1 | 2): Image {
  const digest = registry.putImage(`${name}:v${version}`, [{ files: wideApplication(name, version) }]);
  const source = { type: 'image', image: { ref: `${registry.host}/${name}:v${version}` } };
  return { source, pinnedRef: `${registry.host}/${name}@${digest}` };
}

async function owned(kind: string, name: string): Promise<readonly KubeObject[]> {
  const target = { apiVersion: kind === 'Bundle' ? apiVersion : 'v1', kind };
  return (await platform.kube.list({ ...target, labelSelector: `core.rukpak.io/owner-name=${name}` })).items;
}

const namesOf = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata.name ?? '').sort();

/** Waits until the deployment has installed an image and has nothing left to do. */
async function untilInstalled(name: string, image: Image): Promise<void> {
  await eventually(async () => {
    const object = await platform.kube.get({ apiVersion, kind: 'BundleDeployment', name });
    const bundles = await owned('Bundle', name);
    expect(statusOf(object)['observedGeneration']).toBe(object.metadata.generation);
    expect(conditionOf(object, 'Installed')).toMatchObject({ status: 'True', reason: 'InstallationSucceeded' });
    expect(namesOf(bundles)).toEqual([statusOf(object)['activeBundle']]);
    expect(bundles.map(statusOf)).toMatchObject([{ resolvedSource: { image: { ref: image.pinnedRef } } }]);
  });
}

/** Runs `act`, kills the process when the point is reached, and starts it again. */
async function killAt(point: Point, act: () => Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const seen = { sightings: [] as Sighting[], requests: [] as string[] };
  const check = (): void => {
    if (point.isReached(seen)) platform.kill();
  };
  onRequest = (line) => {
    seen.requests.push(line);
    check();
  };
  await watchChanges(platform.kube, stop.signal, (sighting) => {
    seen.sightings.push(sighting);
    check();
  });
  await act().catch((thrown: unknown) => {
    if (!isKubeError(thrown)) throw thrown;
  });
  check();
  expect(await platform.ended).toMatchObject({ signalCode: 'SIGKILL' });
  stop.abort();
  onRequest = () => undefined;
  isHalting = false;
  platform = await folder.start();
}

async function storedFiles(directory: string): Promise<readonly string[]> {
  return (await readdir(join(folder.storeDir, directory))).sort();
}

/** The content store holds what the Bundles that exist need, and nothing else. */
async function expectTidyStore(): Promise<void> {
  const bundles = namesOf((await platform.kube.list({ apiVersion, kind: 'Bundle' })).items);
  const archives = (await storedFiles('.')).filter((name) => name.endsWith('.tgz'));
  expect(archives).toEqual(bundles.map((name) => `${name}.tgz`));
  expect(await storedFiles('records')).toEqual(bundles.map((name) => `${name}.json`));
  expect(await storedFiles('blobs/sha256')).toHaveLength(bundles.length);
  expect(await storedFiles('temporary')).toEqual([]);
  const layers = await storedFiles('layers');
  expect(layers.filter((name) => !/^[0-9a-f]{16}-[0-9a-f]{64}$/.test(name))).toEqual([]);
}

async function expectVersion(name: string, version: 1 | 2): Promise<void> {
  expect(namesOf(await owned('Namespace', name))).toEqual([name]);
  const objects = await owned('ConfigMap', name);
  const settings = ['kept', 'settings', ...parts];
  expect(namesOf(objects)).toEqual(version === 1 ? [...settings, 'legacy', ...retired].sort() : settings.sort());
  expect(objects.map(({ metadata }) => metadata.namespace)).toEqual(objects.map(() => name));
  const odd: Record<string, unknown> = { kept: { same: 'always' }, legacy: { gone: 'soon' } };
  for (const { metadata, data } of objects as KubeObject[] & { data: unknown }[]) {
    expect(data, metadata.name).toEqual(odd[metadata.name ?? ''] ?? { version: String(version) });
  }
}

async function expectNothingLeft(name: string): Promise<void> {
  await eventually(async () => {
    for (const kind of ['Bundle', 'ConfigMap', 'Namespace']) expect(namesOf(await owned(kind, name)), kind).toEqual([]);
    const { items } = await platform.kube.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: name });
    expect(namesOf(items)).toEqual([]);
    const deployments = await platform.kube.list({ apiVersion, kind: 'BundleDeployment' });
    expect(namesOf(deployments.items)).not.toContain(name);
  });
  await eventually(expectTidyStore);
}

async function installFirst(name: string): Promise<void> {
  const image = imageOf(name, 1);
  await platform.kube.create(bundleDeployment(name, image.source), { fieldManager: 'test' });
  await untilInstalled(name, image);
  await expectVersion(name, 1);
}

async function switchTo(name: string, { source }: Image): Promise<void> {
  const ref = { apiVersion, kind: 'BundleDeployment', name };
  await platform.kube.patch(ref, { spec: { template: { spec: { source } } } }, { fieldManager: 'test' });
}

async function remove(name: string): Promise<void> {
  await platform.kube.delete({ apiVersion, kind: 'BundleDeployment', name });
}

async function expectSecondVersionAlone(name: string, image: Image): Promise<void> {
  await untilInstalled(name, image);
  await expectVersion(name, 2);
  await eventually(expectTidyStore);
}

describe('a pivot that is killed when', () => {
  test.each(pivotPoints)('Q9 $name is completed after a restart', async (point) => {
    const name = `pivot-${pivotPoints.indexOf(point)}`;
    await installFirst(name);
    const image = imageOf(name, 2);
    isHalting = point.name === 'half of the layer is fetched';
    await killAt(point, async () => await switchTo(name, image));
    await expectSecondVersionAlone(name, image);
    await remove(name);
    await expectNothingLeft(name);
  });

  test('Q9 it starts, and again at each restart, is completed in the end', async () => {
    const name = 'again';
    await installFirst(name);
    const image = imageOf(name, 2);
    await switchTo(name, image);
    for (const untilLine of ['Kubernetes API', 'admission webhook', 'provisioners watching', 'ready in']) {
      platform.kill();
      await platform.ended;
      platform = await folder.start(untilLine);
    }
    platform.kill();
    await platform.ended;
    platform = await folder.start();
    await expectSecondVersionAlone(name, image);
    await remove(name);
    await expectNothingLeft(name);
  });
});

describe('a removal that is killed when', () => {
  test.each(removalPoints)('Q9 $name is completed after a restart', async (point) => {
    const name = `removal-${removalPoints.indexOf(point)}`;
    await installFirst(name);
    await killAt(point, async () => await remove(name));
    await expectNothingLeft(name);
  });
});

describe('a data folder', () => {
  test('is refused to a second process, which does not disturb the first', async () => {
    const { errorText, ...ending } = await folder.runToEnd();
    expect(ending).toEqual({ exitCode: 1, signalCode: null });
    const named = isRealCluster ? `data folder ${folder.path}` : join(folder.path, 'objects.sqlite');
    expect(errorText).toContain(`longshore: ${named}: another process has it open: process `);
    expect(errorText).toMatch(/ since 2\S+Z; stop it, or /);
    await expect(platform.kube.list({ apiVersion: 'v1', kind: 'Namespace' })).resolves.toBeDefined();
  });
});

// With --cluster there are no objects, secrets or ports of ours.
describe.skipIf(isRealCluster)('the data folder of an API server of our own', () => {
  test('is closed in order when the terminal is', async () => {
    await using data = await openDataFolder();
    const process = await data.start();
    const { exitCode, signalCode } = await process.hangUp();
    expect({ exitCode, signalCode }).toEqual({ exitCode: 0, signalCode: null });
  });

  test('is opened on another port when its own is taken', async () => {
    const { port } = new URL((await loadClusterAccess({ path: folder.kubeconfigPath })).server);
    expect(await platform.stop()).toMatchObject({ exitCode: 0 });
    const other = createServer().listen(Number(port), '127.0.0.1');
    await once(other, 'listening');
    platform = await folder.start();
    other.close();
    await expect(platform.kube.list({ apiVersion: 'v1', kind: 'Namespace' })).resolves.toBeDefined();
  });

  test('shows its secrets to no one else', async () => {
    const files = ['objects.sqlite', 'objects.sqlite-wal'].map((name) => join(folder.path, name));
    for (const path of [...files, folder.kubeconfigPath]) expect((await stat(path)).mode & 0o077, path).toBe(0);
  });
});
