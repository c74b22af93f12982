import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { mapLimit, parseYaml } from '../src/base/index.ts';
import type { KubeObject } from '../src/kube/index.ts';
import { type ControlPlaneBinaries, findControlPlane, startControlPlane } from '../test/control-plane/index.ts';
import type { GoPrograms } from '../test/support/go-programs.ts';
import { eventually, fileEntries, startWebServer, tarFile, type WebServer } from '../test/support/index.ts';
import { compileFiles } from './compiled.ts';
import {
  type BenchCluster,
  configMapDocuments,
  contentObject,
  measureOn,
  mebibytes,
  platformProgram,
  secondsOf,
  whenAllDone,
} from './platform.ts';
import { cpuSecondsOf, peakMebibytesOf } from './process-usage.ts';
import { findRukpak, rukpakNamespace, rukpakVersion, startRukpak } from './rukpak-program.ts';
import type { Measurement } from './table.ts';

const count = 300;
const objectCount = 5;
const work = `${count} BundleDeployments of ${objectCount} objects, source http`;
const user = { fieldManager: 'bench' };
const theirs = `RukPak ${rukpakVersion}`;

interface Figures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMebibytes: number;
}

/** Starts a process that installs on the cluster, which is ready when this returns. */
type Start = (cluster: BenchCluster) => Promise<AsyncDisposable & { readonly pid: number }>;

function archiveOf(index: number): Buffer {
  const objects = Array.from({ length: objectCount }, (_, at) => ({
    name: `bench-${index}-${at}`,
    value: String(index),
  }));
  return gzipSync(tarFile(fileEntries({ 'manifests/all.yaml': configMapDocuments(objects) })));
}

/** `/7.tgz` is the content of the deployment with that number. */
async function startContents(): Promise<WebServer> {
  const archives = new Map(Array.from({ length: count }, (_, index) => [`/${index}.tgz`, archiveOf(index)]));
  return await startWebServer(({ url = '' }, response) => {
    const archive = archives.get(url);
    response.writeHead(archive === undefined ? 404 : 200, { 'content-type': 'application/gzip' }).end(archive);
  });
}

/** Processor time of a process until now, once it has used none for two seconds. */
async function cpuSecondsAtRest(pid: number): Promise<number> {
  for (let before = cpuSecondsOf(pid); ; ) {
    await pause(2000);
    const after = cpuSecondsOf(pid);
    if (after - before < 0.1) return before;
    before = after;
  }
}

async function measure(cluster: BenchCluster, contents: WebServer, start: Start): Promise<Figures> {
  const { kube } = cluster;
  await using program = await start(cluster);
  const { pid } = program;
  const before = await cpuSecondsAtRest(pid);
  const seconds = await secondsOf(async () => {
    await mapLimit(
      Array.from({ length: count }, (_, index) => `${contents.url}/${index}.tgz`),
      16,
      (url, index) =>
        kube.create(contentObject('BundleDeployment', `bench-${index}`, { type: 'http', http: { url } }), user),
    );
    await whenAllDone(kube, 'BundleDeployment', count);
  });
  return { seconds, cpuSeconds: (await cpuSecondsAtRest(pid)) - before, peakMebibytes: peakMebibytesOf(pid) };
}

function startOurs(cluster: BenchCluster): ReturnType<Start> {
  // As the image sets it; RukPak has no part that OLM has.
  return cluster.startPlatform(['--no-olm'], { MALLOC_ARENA_MAX: '1' });
}

async function startTheirs(rukpak: GoPrograms, { kube, folder, kubeconfigPath }: BenchCluster): ReturnType<Start> {
  for (const path of rukpak.crds) {
    await kube.apply(parseYaml(path, await readFile(path, 'utf8')) as unknown as KubeObject, user);
  }
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: rukpakNamespace } }, user);
  for (const kind of ['Bundle', 'BundleDeployment']) {
    await eventually(() => kube.list({ apiVersion: 'core.rukpak.io/v1alpha1', kind }));
  }
  return await startRukpak(rukpak, { folder, kubeconfigPath });
}

/** Each on a control plane of its own, one after the other. */
async function measureBoth(
  plane: ControlPlaneBinaries,
  rukpak: GoPrograms,
): Promise<readonly [ours: Figures, theirs: Figures]> {
  await using compiled = await compileFiles([platformProgram]);
  await using contents = await startContents();
  const program = compiled.pathOf(platformProgram);
  const on = async (start: Start): Promise<Figures> => {
    await using running = await startControlPlane(plane);
    return await measureOn(program, running.kubeconfig, (cluster) => measure(cluster, contents, start));
  };
  return [await on(startOurs), await on((cluster) => startTheirs(rukpak, cluster))];
}

/** Many BundleDeployments on a real kube-apiserver: the platform with its admission webhook, beside RukPak without one. */
export async function measureBesideRukpak(): Promise<Measurement[]> {
  const plane = await findControlPlane({ mayBuild: false, report: () => undefined });
  if ('missing' in plane) return [{ what: work, value: `not measured: ${plane.missing}` }];
  const rukpak = await findRukpak();
  if ('missing' in rukpak) return [{ what: work, value: `not measured: ${theirs}: ${rukpak.missing}` }];
  const [own, other] = await measureBoth(plane, rukpak);
  const faster = other.seconds / own.seconds;
  const each = ({ cpuSeconds }: Figures): string => `${((cpuSeconds * 1000) / count).toFixed(1)} ms`;
  const seconds = ({ seconds: taken }: Figures): string => `${taken.toFixed(1)} s`;
  const memory = ({ peakMebibytes }: Figures): string => mebibytes(peakMebibytes * 2 ** 20);
  return [
    { what: `${work}: created to all Installed`, value: seconds(own) },
    { what: theirs, value: `${seconds(other)}, ${faster.toFixed(1)} times ours`, goal: 'at least 15', ratio: faster },
    {
      what: `${work}: processor time of each`,
      value: each(own),
      goal: 'at most 15 ms',
      ratio: other.cpuSeconds / own.cpuSeconds,
    },
    { what: theirs, value: each(other) },
    {
      what: `${work}: peak memory`,
      value: memory(own),
      goal: 'at most 160 MiB',
      ratio: other.peakMebibytes / own.peakMebibytes,
    },
    { what: theirs, value: memory(other) },
  ];
}
