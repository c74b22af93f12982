import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startApiServer } from '../apiserver/index.ts';
import { type JsonObject, objectAt, systemClock, textAt } from '../src/base/index.ts';
import { createKubeClient, type KubeClient, loadClusterAccess } from '../src/kube/index.ts';
import { findOperatorController } from '../test/cluster-extensions/binaries.ts';
import { bundle, extension, packageDocuments } from '../test/cluster-extensions/objects.ts';
import { startPrograms } from '../test/cluster-extensions/oracle.ts';
import type { GoPrograms } from '../test/support/go-programs.ts';
import { eventually, type Registry, startRegistry } from '../test/support/index.ts';
import { startChild } from './child.ts';
import { compileFiles } from './compiled.ts';
import { writeGrownCatalog } from './grown-catalog.ts';
import { mebibytes } from './platform.ts';
import { type Measurement, median } from './table.ts';

const user = { fieldManager: 'bench' };
const catalogKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' };
const extensionKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension' };
const label = 'operators.operatorframework.io.index.configs.v1';
const count = 50;
/** Installed one after the other; the others come all at once. */
const timed = 7;
/** Long enough for what ends or is given back when there is nothing to do. */
const restMs = 60_000;
const patience = { timeoutMs: 900_000, intervalMs: 50 };
/** Where each is timed, a look every 50 ms would be a part of the time. */
const timedPatience = { ...patience, intervalMs: 10 };

/** A program on an API server of this process. */
interface Subject extends AsyncDisposable {
  readonly name: string;
  readonly kube: KubeClient;
  readonly pids: readonly number[];
}

interface Figures {
  readonly installSeconds: readonly number[];
  readonly allSeconds: number;
  readonly residentBytes: number;
  readonly anonymousBytes: number;
  /** After `restMs` without anything to do. */
  readonly restBytes: number;
}

const nameOf = (index: number): string => `tide-${index}`;

/** Small operators of a package each, and a catalog of 333 packages beside theirs. */
async function fill(registry: Registry, folder: string): Promise<readonly string[]> {
  const documents = Array.from({ length: count }, (_, index): readonly JsonObject[] => {
    const name = nameOf(index);
    const files = Object.fromEntries(
      Object.entries(bundle('1.0.0', { packageName: name })).map(([path, text]) => [
        path,
        text.replaceAll('acme-widget', name),
      ]),
    );
    const digest = registry.putImage(`${name}:v1`, [{ files }]);
    const all = packageDocuments({ name, channels: { stable: ['1.0.0'] } });
    return all.map((one) =>
      one['schema'] === 'olm.bundle' ? { ...one, image: `${registry.host}/${name}@${digest}` } : one,
    );
  });
  const lines = documents
    .flat()
    .map((document) => JSON.stringify(document))
    .join('\n');
  const grown = join(folder, 'grown.jsonl');
  await writeGrownCatalog(grown);
  const put = (name: string, content: string | Uint8Array): string =>
    `${registry.host}/${name}@${registry.putImage(`${name}:v1`, [{ files: { 'configs/catalog.json': content } }], { [label]: '/configs' })}`;
  return [put('small', lines), put('grown', await readFile(grown))];
}

async function memoryOf(pids: readonly number[]): Promise<Pick<Figures, 'residentBytes' | 'anonymousBytes'>> {
  const states = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8')));
  const sum = (field: string): number =>
    states.reduce((all, text) => all + Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024, 0);
  return { residentBytes: sum('VmRSS'), anonymousBytes: sum('RssAnon') };
}

async function ask(kube: KubeClient, index: number): Promise<void> {
  const name = nameOf(index);
  const asked = JSON.stringify(extension({ name, packageName: name })).replaceAll('$ns', 'tides');
  await kube.create(JSON.parse(asked) as never, user);
}

async function isInstalled(kube: KubeClient, index: number, waiting = patience): Promise<void> {
  await eventually(async () => {
    const { status } = await kube.get({ ...extensionKind, name: nameOf(index) });
    if (textAt(objectAt(status as JsonObject, 'install', 'bundle') ?? {}, 'version') === '1.0.0') return;
    throw new Error(`${nameOf(index)}: ${JSON.stringify(status)}`);
  }, waiting);
}

async function prepare(kube: KubeClient, images: readonly string[]): Promise<void> {
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tides' } }, user);
  await kube.apply(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'installer', namespace: 'tides' } },
    user,
  );
  await kube.apply(
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'installer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'installer', namespace: 'tides' }],
    },
    user,
  );
  for (const [index, ref] of images.entries()) {
    const name = `catalog-${index}`;
    const spec = { source: { type: 'Image', image: { ref } } };
    await kube.apply({ ...catalogKind, metadata: { name }, spec }, user);
    await eventually(async () => {
      const { status } = await kube.get({ ...catalogKind, name });
      if (textAt(objectAt(status as JsonObject, 'resolvedSource', 'image') ?? {}, 'ref') !== ref) throw new Error(name);
    }, patience);
  }
}

async function measure({ kube, pids }: Subject, images: readonly string[]): Promise<Figures> {
  await prepare(kube, images);
  const installSeconds: number[] = [];
  for (let index = 0; index < timed; index += 1) {
    const startMs = performance.now();
    await ask(kube, index);
    await isInstalled(kube, index, timedPatience);
    installSeconds.push((performance.now() - startMs) / 1000);
  }
  const startMs = performance.now();
  for (let index = timed; index < count; index += 1) await ask(kube, index);
  for (let index = timed; index < count; index += 1) await isInstalled(kube, index);
  const allSeconds = (performance.now() - startMs) / 1000;
  const memory = await memoryOf(pids);
  await setTimeout(restMs);
  const { residentBytes: restBytes } = await memoryOf(pids);
  return { installSeconds, allSeconds, ...memory, restBytes };
}

async function openServer(stack: AsyncDisposableStack, folder: string, crds: readonly string[]) {
  const kubeconfigPath = join(folder, 'kubeconfig');
  const server = stack.use(await startApiServer({ crds, clock: systemClock, kubeconfigPath }));
  const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfigPath }), clock: systemClock });
  stack.defer(() => kube.close());
  return { kubeconfigPath, server, kube };
}

async function startOurs(folder: string): Promise<Subject> {
  await using stack = new AsyncDisposableStack();
  const { kubeconfigPath, kube } = await openServer(stack, folder, []);
  const program = 'bench/platform-child.ts';
  const compiled = stack.use(await compileFiles([program]));
  const path = compiled.pathOf(program);
  const args = ['--cluster', kubeconfigPath, '--data-dir', join(folder, 'data'), '--no-olm'];
  // As the image sets it.
  const child = stack.use(startChild(path, args, { MALLOC_ARENA_MAX: '1' }));
  await child.next();
  const owned = stack.move();
  return { name: 'longshore', kube, pids: [child.pid], [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function startTheirs(binaries: GoPrograms, folder: string, registryHost: string): Promise<Subject> {
  await using stack = new AsyncDisposableStack();
  const { kubeconfigPath, kube, server } = await openServer(stack, folder, binaries.crds);
  await server.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olmv1-system' } });
  const { pids } = stack.use(await startPrograms(binaries, { folder, kubeconfigPath, registryHost }));
  const owned = stack.move();
  return { name: 'operator-controller', kube, pids, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

interface Row {
  readonly what: string;
  readonly goal?: string;
  readonly figure: (figures: Figures) => number;
  readonly show: (value: number) => string;
}

const seconds = (value: number): string => `${value.toFixed(2)} s`;
const rows: readonly Row[] = [
  {
    what: `ClusterExtension applied to Installed, median of ${timed}`,
    goal: 'at most a fifth of operator-controller',
    figure: ({ installSeconds }) => median(installSeconds),
    show: seconds,
  },
  { what: `${count - timed} at once, until all are installed`, figure: ({ allSeconds }) => allSeconds, show: seconds },
  {
    what: `resident memory, ${count} extensions and catalogs of ${count} and 333 packages`,
    goal: 'at most half of operator-controller and catalogd',
    figure: ({ residentBytes }) => residentBytes,
    show: mebibytes,
  },
  { what: 'anonymous memory of it', figure: ({ anonymousBytes }) => anonymousBytes, show: mebibytes },
  { what: 'resident memory after a minute at rest', figure: ({ restBytes }) => restBytes, show: mebibytes },
];

function compared({ what, goal, figure, show }: Row, ours: Figures, theirs: Figures | undefined): Measurement {
  const shared = { what, ...(goal === undefined ? {} : { goal }) };
  const own = figure(ours);
  if (theirs === undefined) return { ...shared, value: show(own) };
  const other = figure(theirs);
  return { ...shared, value: `${show(own)}, ${(own / other).toFixed(2)} of ${show(other)}`, ratio: other / own };
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** ClusterExtensions beside operator-controller and catalogd, in turn, each on an embedded API server of its own. */
export async function measureClusterExtensions(): Promise<Measurement[]> {
  await using registry = await startRegistry();
  const images = await inFolder((folder) => fill(registry, folder));
  const run = (start: (folder: string) => Promise<Subject>): Promise<Figures> =>
    inFolder(async (folder) => {
      await using subject = await start(folder);
      return await measure(subject, images);
    });
  const ours = await run(startOurs);
  const binaries = await findOperatorController({ mayBuild: false, report: () => undefined });
  const theirs =
    'missing' in binaries ? undefined : await run((folder) => startTheirs(binaries, folder, registry.host));
  const absent =
    'missing' in binaries ? [{ what: 'operator-controller', value: `not measured: ${binaries.missing}` }] : [];
  return [...rows.map((row) => compared(row, ours, theirs)), ...absent];
}
