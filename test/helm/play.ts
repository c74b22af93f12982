import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, mapLimit, parseYaml, parseYamlDocuments } from '../../src/base/index.ts';
import { createChartRenderer } from '../../src/chart-renderer/index.ts';
import { formatOf } from '../../src/formats/index.ts';
import { isNotFound, type KubeObject, NoKindMatch, type ObjectRef } from '../../src/kube/index.ts';
import { runProgram, writeFolder } from '../e2e/program.ts';
import { bundleDeployment, conditionOf, statusOf, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';
import type { RealChart } from './chart-cache.ts';
import { comparable, type Difference, differencesOf, type Installed } from './compared-objects.ts';

/** What became of a chart with Helm and with Longshore, on the same server. */
export interface Played {
  readonly chart: string;
  readonly objects: number;
  readonly hooks: number;
  /** How far it got: what Helm cannot install either goes no further. */
  readonly steps: readonly string[];
  /** By step. */
  readonly differences: Readonly<Record<string, readonly Difference[]>>;
  /** Of Longshore where Helm succeeded, or of both. */
  readonly problems: readonly string[];
}

const helmClass = 'core-rukpak-io-helm';
const asTest = { fieldManager: 'test' };
const atATime = 8;
const patientMs = 5 * 60_000;
const release = 'oracle';

interface Scene {
  readonly world: World;
  readonly helmPath: string;
  readonly chart: RealChart;
  readonly folder: string;
  readonly namespace: string;
}

async function helm({ world, helmPath, namespace }: Scene, ...args: readonly string[]) {
  const place = ['--namespace', namespace, '--kubeconfig', world.platform.kubeconfigPath];
  return await runProgram(helmPath, [...args, ...place], { timeoutMs: patientMs });
}

async function liveObject({ world }: Scene, ref: ObjectRef): Promise<KubeObject | undefined> {
  try {
    return await world.kube.get(ref);
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

async function locate({ world, namespace }: Scene, objects: readonly JsonObject[]): Promise<readonly ObjectRef[]> {
  const refs = await mapLimit(objects as unknown as readonly KubeObject[], atATime, async (object) => {
    try {
      const { isNamespaced } = await world.kube.resolve(object.apiVersion, object.kind);
      const place = isNamespaced ? { namespace: object.metadata.namespace ?? namespace } : {};
      return [{ apiVersion: object.apiVersion, kind: object.kind, name: object.metadata.name ?? '', ...place }];
    } catch (thrown) {
      if (thrown instanceof NoKindMatch) return [];
      throw thrown;
    }
  });
  return refs.flat();
}

async function installed(scene: Scene, refs: readonly ObjectRef[]): Promise<Installed> {
  const found = await mapLimit(refs, atATime, async (ref) => {
    const object = await liveObject(scene, ref);
    const key = `${ref.apiVersion} ${ref.kind} ${ref.namespace ?? ''}/${ref.name}`;
    return object === undefined ? [] : [[key, comparable(object)] as const];
  });
  return new Map(found.flat());
}

function documentsOf(what: string, text: string): readonly JsonObject[] {
  return parseYamlDocuments(what, text).flatMap((document): JsonObject[] => {
    if (!isJsonObject(document)) return [];
    return Array.isArray(document['items']) ? document['items'].filter(isJsonObject) : [document];
  });
}

/** A change of values that most charts have. */
function changedValues({ files }: RealChart): JsonObject | undefined {
  const values = parseYaml('values.yaml', files['values.yaml'] ?? '');
  if (!isJsonObject(values)) return undefined;
  for (const name of ['podAnnotations', 'commonAnnotations', 'podLabels']) {
    if (isJsonObject(values[name])) return { [name]: { 'example.com/changed': 'true' } };
  }
  for (const name of ['replicaCount', 'replicas']) if (typeof values[name] === 'number') return { [name]: 2 };
  return undefined;
}

/** What the chart itself makes of its default values, hooks included. */
async function rendered(
  scene: Scene,
): Promise<{ readonly objects: readonly JsonObject[]; readonly hooks: readonly JsonObject[] }> {
  const reader = formatOf(helmClass).begin('');
  for (const [name, text] of Object.entries(scene.chart.files)) {
    reader.add('', { kind: 'file', name, content: Buffer.from(text) });
  }
  const charts = createChartRenderer({
    program: scene.helmPath,
    searchPath: process.env['PATH'] ?? '',
    temporaryDir: scene.folder,
  });
  const terms = {
    config: {},
    cluster: { certificateProviders: [], kubeVersion: 'v1.33.1', apiVersions: [] },
    release: { name: release, namespace: scene.namespace, isUpgrade: false, valuesFrom: [] },
  };
  const { objects, hooks = [] } = await reader
    .finish(new Set())
    .render(terms, { charts, signal: AbortSignal.timeout(patientMs) });
  return { objects, hooks: hooks.map(({ object }) => object) };
}

interface HelmSide {
  readonly steps: readonly { readonly name: string; readonly objects: Installed }[];
  readonly refs: readonly ObjectRef[];
  readonly failure?: string;
}

async function definitionsOf({ chart }: Scene): Promise<readonly JsonObject[]> {
  const texts = Object.entries(chart.files).filter(([path]) => /(^|^charts\/[^/]+\/)crds\/[^/]+\.ya?ml$/.test(path));
  return texts.flatMap(([path, text]) => documentsOf(path, text));
}

async function removeAll(scene: Scene, refs: readonly ObjectRef[]): Promise<void> {
  await mapLimit(refs, atATime, async (ref) => {
    if ((await liveObject(scene, ref)) === undefined) return;
    await scene.world.kube.delete(ref, { propagationPolicy: 'Background' }).catch(() => undefined);
  });
  await eventually(
    async () => {
      const left = await installed(scene, refs);
      if (left.size > 0) throw new Error(`still there: ${[...left.keys()].join(', ')}`);
    },
    { timeoutMs: patientMs },
  );
}

/** Installs, upgrades, rolls back and uninstalls by Helm. */
async function playHelm(scene: Scene, refs: readonly ObjectRef[], values: JsonObject | undefined): Promise<HelmSide> {
  const chart = join(scene.folder, 'chart');
  const steps: { name: string; objects: Installed }[] = [];
  const fail = (printed: { stderr: string }): HelmSide => ({ steps, refs, failure: printed.stderr.trim().slice(-600) });
  const made = await helm(scene, 'install', release, chart, '--timeout', '2m');
  if (made.code !== 0) return fail(made);
  const manifest = await helm(scene, 'get', 'manifest', release);
  const all = [...refs, ...(await locate(scene, documentsOf('manifest', manifest.stdout)))];
  const distinct = [...new Map(all.map((ref) => [JSON.stringify(ref), ref])).values()];
  steps.push({ name: 'install', objects: await installed(scene, distinct) });
  if (values !== undefined) {
    const upgraded = await helm(scene, 'upgrade', release, chart, '--set-json', settings(values), '--timeout', '2m');
    if (upgraded.code !== 0) return fail(upgraded);
    steps.push({ name: 'upgrade', objects: await installed(scene, distinct) });
    const back = await helm(scene, 'rollback', release, '1', '--timeout', '2m');
    if (back.code !== 0) return fail(back);
    steps.push({ name: 'roll back', objects: await installed(scene, distinct) });
  }
  return { steps, refs: distinct };
}

function settings(values: JsonObject): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',');
}

const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: release };

async function whenInstalled({ world }: Scene): Promise<void> {
  await eventually(
    async () => {
      const found = await world.kube.get(ref);
      const condition = conditionOf(found, 'Installed');
      const isDone =
        condition?.status === 'True' && statusOf(found)['observedGeneration'] === found.metadata.generation;
      const failure = ['Installed', 'HasValidBundle']
        .map((type) => conditionOf(found, type))
        .find((one) => one?.status === 'False');
      if (!isDone) throw new Error(failure === undefined ? 'not installed' : `${failure.reason}: ${failure.message}`);
      if (condition?.observedGeneration !== undefined && condition.observedGeneration !== found.metadata.generation)
        throw new Error('not observed');
    },
    { timeoutMs: 60_000, intervalMs: 100 },
  );
}

async function configure({ world }: Scene, values: JsonObject | null): Promise<void> {
  await world.kube.patch(ref, { spec: { config: { values } } }, asTest);
}

interface OwnSide {
  readonly steps: readonly { readonly name: string; readonly objects: Installed }[];
  readonly failure?: string;
}

async function playOurs(scene: Scene, refs: readonly ObjectRef[], values: JsonObject | undefined): Promise<OwnSide> {
  const { world, chart, namespace } = scene;
  const steps: { name: string; objects: Installed }[] = [];
  const step = async (name: string): Promise<void> => {
    await whenInstalled(scene);
    steps.push({ name, objects: await installed(scene, refs) });
  };
  try {
    const source = world.imageSource(`charts/${chart.name}:${Object.keys(chart.files).length}`, chart.files);
    const made = bundleDeployment(release, source, { provisionerClassName: helmClass, templateClassName: helmClass });
    await world.kube.create(
      { ...made, spec: { ...(made['spec'] as JsonObject), config: { installNamespace: namespace } } },
      asTest,
    );
    await step('install');
    if (values !== undefined) {
      await configure(scene, values);
      await step('upgrade');
      await configure(scene, null);
      await step('roll back');
    }
    return { steps };
  } catch (thrown) {
    return { steps, failure: String(thrown instanceof Error ? thrown.message : thrown).slice(0, 1000) };
  }
}

async function removeOurs({ world }: Scene): Promise<void> {
  await world.kube.delete(ref).catch(() => undefined);
  await eventually(
    async () => {
      const found = await world.kube.get(ref).catch((thrown: unknown) => {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      });
      if (found !== undefined) throw new Error(`not removed: ${JSON.stringify(statusOf(found)['conditions'])}`);
    },
    { timeoutMs: patientMs },
  );
}

/** What a removal may leave: claims of StatefulSets are of nobody, and what a chart wants to be kept stays. */
function leftovers(left: Installed): readonly string[] {
  return [...left].flatMap(([key, object]) =>
    JSON.stringify(object['metadata']).includes('resource-policy') ? [] : [key],
  );
}

/** Plays a chart with Helm, and then with Longshore. */
export async function playChart(world: World, helmPath: string, chart: RealChart): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-oracle-'));
  const namespace = `ns-${chart.name.slice(0, 40)}`;
  const scene: Scene = { world, helmPath, chart, folder, namespace };
  const problems: string[] = [];
  const result = {
    chart: chart.id,
    objects: 0,
    hooks: 0,
    steps: [] as string[],
    differences: {} as Record<string, readonly Difference[]>,
  };
  try {
    await writeFolder(join(folder, 'chart'), chart.files);
    await world.kube
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, asTest)
      .catch(() => undefined);
    const { objects, hooks } = await rendered(scene);
    const values = changedValues(chart);
    const definitions = await definitionsOf(scene);
    const refs = await locate(scene, [...objects, ...hooks]);
    const theirs = await playHelm(scene, refs, values);
    await helm(scene, 'uninstall', release);
    const definitionRefs = await locate(scene, definitions);
    await removeAll(scene, [...theirs.refs, ...refs, ...definitionRefs]);
    const ours = await playOurs(scene, theirs.refs, values);
    if (theirs.failure !== undefined) problems.push(`helm: ${theirs.failure}`);
    if (ours.failure !== undefined) problems.push(`ours: ${ours.failure}`);
    for (const { name, objects: own } of ours.steps) {
      const other = theirs.steps.find((one) => one.name === name);
      if (other === undefined) continue;
      result.steps.push(name);
      const differences = differencesOf(other.objects, own);
      if (differences.length > 0) result.differences[name] = differences;
    }
    await removeOurs(scene);
    const left = leftovers(await installed(scene, [...theirs.refs, ...refs]));
    if (left.length > 0) problems.push(`left: ${left.join(', ')}`);
    else result.steps.push('removal');
    await removeAll(scene, [...theirs.refs, ...refs, ...definitionRefs]);
    return { ...result, objects: objects.length, hooks: hooks.length, problems };
  } catch (thrown) {
    return { ...result, problems: [...problems, `play: ${String(thrown).slice(0, 600)}`] };
  } finally {
    await removeOurs(scene).catch(() => undefined);
    await world.kube.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace }).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}
