import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, startApiServer } from '../../../apiserver/index.ts';
import {
  createCertificateAuthority,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  systemClock,
  textAt,
} from '../../../src/base/index.ts';
import {
  createKubeClient,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from '../../../src/kube/index.ts';
import { type ServedCatalogs, serveCatalogs } from '../../olm/catalogs.ts';
import { readOlmCrds } from '../../olm/crds.ts';
import { Observer, type Timeline } from '../../olm/observer.ts';
import { startStandInPods } from '../../olm/pods.ts';
import { slugOf } from '../../olm/scenario.ts';
import { eventually } from '../../support/index.ts';
import { type Journey, upgrade } from './journeys.ts';

const olm = 'operators.coreos.com/v1alpha1';
const user = { fieldManager: 'user' };
const operatorKind = { apiVersion: 'operators.coreos.com/v1', kind: 'Operator' };
/** How long something may take that takes `timeoutMs` at most on a slow machine: as much longer as the machine has other work. */
function patient(timeoutMs: number): { readonly timeoutMs: number; readonly intervalMs: number } {
  const [load = 0] = loadavg();
  const factor = Math.min(10, Math.max(1, load / availableParallelism()));
  return { timeoutMs: timeoutMs * factor, intervalMs: 100 };
}

/** For a whole installation, with retries after failed requests. */
const installationMs = 120_000;
const settledMs = 90_000;

/** A cluster without controllers of OLM, and a user who watches it. */
export interface Stage extends AsyncDisposable {
  readonly server: ApiServer;
  readonly kubeconfigPath: string;
  /** Is deleted with the stage. */
  readonly folder: string;
  /** Meets no faults of `server.faults`. */
  readonly kube: KubeClient;
  readonly observer: Observer;
}

/** What a journey needs of it. */
export type Route = Pick<Stage, 'kube' | 'observer'>;

/** Starts one whose APIServices and webhooks reach a stand-in for Pods. */
export async function openStage(): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-olm-faults-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const kubeconfigPath = join(folder, 'kubeconfig');
  const pods = { port: 0 };
  const resolveService = (): { host: string; port: number } => ({ host: '127.0.0.1', port: pods.port });
  const server = stack.use(await startApiServer({ crds: await readOlmCrds(), kubeconfigPath, resolveService }));
  const authority = await createCertificateAuthority({ commonName: 'pods', nowMs: Date.now(), lifetimeDays: 1 });
  pods.port = stack.use(await startStandInPods(server.client, authority)).port;
  await server.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
  const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfigPath }), clock: systemClock });
  stack.defer(() => kube.close());
  const observer = stack.use(new Observer());
  await observer.start(kube);
  const owned = stack.move();
  return { server, kubeconfigPath, folder, kube, observer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** How often a step of a plan was tried does not matter, nor what it has found: `Created` by the process that was killed is `Present`. */
function withoutTries(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutTries);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]): [string, JsonValue] => {
    return [key, key === 'status' && member === 'Created' ? 'Present' : withoutTries(member ?? null)];
  });
  return Object.fromEntries(members);
}

/** Names of components end with hashes of the namespace. */
function withSortedComponents(status: JsonObject): JsonObject {
  const refs = objectsAt(objectAt(status, 'components'), 'refs');
  const sorted = refs.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { ...status, components: { ...objectAt(status, 'components'), refs: sorted } };
}

/** Without what depends on who was first: the history of a ClusterServiceVersion, and the order of rules that are aggregated. */
function withoutHistory(object: JsonObject): JsonObject {
  const { kind, status } = object;
  if (kind === 'ClusterRole') {
    const rules = objectsAt(object, 'rules').toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return { ...object, rules };
  }
  if (!isJsonObject(status)) return object;
  if (kind === 'Operator') return { ...object, status: withSortedComponents(status) };
  if (kind !== 'ClusterServiceVersion') return object;
  return { ...object, status: { ...status, conditions: objectsAt(status, 'conditions').slice(-1) } };
}

/** Hashes of what the namespace of the journey is part of. */
const apiLabel = /\bolm\.api\.[0-9a-f]{1,16}\b/g;

/** Objects by their key; of several with one key, the second ends with `#2`. */
export type Objects = ReadonlyMap<string, JsonValue>;

/** One journey of one user, in namespaces of its own. */
export class Trip implements AsyncDisposable {
  readonly slug: string;
  readonly #stage: Route;
  readonly #journey: Journey;
  readonly #timeline: Timeline;
  readonly #catalogs: ServedCatalogs;

  private constructor(stage: Route, journey: Journey, parts: { slug: string; catalogs: ServedCatalogs }) {
    this.#stage = stage;
    this.#journey = journey;
    this.slug = parts.slug;
    this.#catalogs = parts.catalogs;
    this.#timeline = stage.observer.timeline(this.slug);
  }

  static async prepare(stage: Route, journey: Journey, id: string): Promise<Trip> {
    const slug = slugOf(`${journey.name}${id}`);
    const text = JSON.stringify(journey.catalogs).replaceAll('$id', slug);
    const catalogs = await serveCatalogs(JSON.parse(text) as Record<string, JsonObject[]>);
    const trip = new Trip(stage, journey, { slug, catalogs });
    for (const name of journey.namespaces) {
      await stage.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${slug}-${name}` } }, user);
    }
    return trip;
  }

  #filled<T>(value: T): T {
    const text = JSON.stringify(value).replaceAll('$id', this.slug);
    const address = (_all: string, name: string): string => this.#catalogs.addresses.get(name) ?? '';
    return JSON.parse(text.replace(/\$catalog\/([\w-]+)/g, address)) as T;
  }

  async request(): Promise<void> {
    for (const object of this.#journey.objects) {
      await this.#stage.kube.apply(this.#filled(object) as unknown as KubeObject, { ...user, force: true });
    }
  }

  async requestUpgrade(): Promise<void> {
    await this.#stage.kube.patch(this.#filled(upgrade.of), this.#filled(upgrade.merge), user);
  }

  async whenInstalled(): Promise<void> {
    await eventually(() => this.#assertLatest(this.#journey.installed), patient(installationMs));
  }

  async whenUpgraded(): Promise<void> {
    await eventually(() => this.#assertLatest(this.#journey.upgraded), patient(installationMs));
  }

  /** The whole journey. */
  async travel(): Promise<void> {
    await this.request();
    await this.whenInstalled();
    await this.requestUpgrade();
    await this.whenUpgraded();
  }

  /** Resolves when nothing of it changes any more. */
  async whenQuiet(): Promise<void> {
    await whenQuiet(() => JSON.stringify([...this.objects()]));
  }

  /** Waits until there is what there was after another journey, and no Event more than twice.
   *  @throws Error with what differs */
  async assertEnd(expected: Objects): Promise<void> {
    await eventually(() => {
      const problems = differencesOf(expected, this.objects());
      if (problems.length > 0) throw new Error(problems.slice(0, shownProblems).join('\n'));
    }, patient(settledMs));
    const repeated = [...(await this.events())].filter(([, count]) => count > mostEvents);
    if (repeated.length > 0) throw new Error(repeated.map(([line, count]) => `${count} times: ${line}`).join('\n'));
  }

  async #assertLatest(csv: string): Promise<void> {
    const namespace = `${this.slug}-a`;
    const { kube } = this.#stage;
    const found = await kube.get({ apiVersion: olm, kind: 'Subscription', namespace, name: 'boat' });
    const status = isJsonObject(found['status']) ? found['status'] : {};
    const { items } = await kube.list({ apiVersion: olm, kind: 'ClusterServiceVersion', namespace });
    const phases = items.map((one) => `${one.metadata.name} ${textAt(one['status'] as JsonObject, 'phase')}`);
    const ofBoat = phases.filter((text) => text.startsWith('boat'));
    const isLatest = textAt(status, 'state') === 'AtLatestKnown' && textAt(status, 'installedCSV') === csv;
    if (isLatest && ofBoat.join() === `${csv} Succeeded`) return;
    const catalogs = await kube.list({ apiVersion: olm, kind: 'CatalogSource', namespace });
    const statuses = catalogs.items.map((one) => `catalog ${JSON.stringify(one['status'])}`);
    throw new Error([...phases, JSON.stringify(status), ...statuses].join('; '));
  }

  /** Everything that there is of the journey, with what differs each time taken out. */
  objects(): Objects {
    const { objects, canonical } = this.#timeline;
    const shown = [...objects.values()].map(({ object }) => withoutTries(withoutHistory(object)) as JsonObject);
    const texts = shown.map(
      (object) => [canonical.key(object), JSON.stringify(object).replace(apiLabel, 'olm.api.<hash>')] as const,
    );
    const named = new Map<string, JsonValue>();
    for (const [key, text] of texts.toSorted(([, a], [, b]) => (a < b ? -1 : 1))) {
      let free = key;
      for (let number = 2; named.has(free); number += 1) free = `${key} #${number}`;
      named.set(free, JSON.parse(text) as JsonValue);
    }
    return named;
  }

  /** Events about what OLM has, each as often as there is one of it. */
  async events(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const name of this.#journey.namespaces) {
      const { items } = await this.#stage.kube.list({
        apiVersion: 'v1',
        kind: 'Event',
        namespace: `${this.slug}-${name}`,
      });
      for (const item of items) {
        const about = item['involvedObject'] as JsonObject;
        const line = `${textAt(about, 'kind')} ${textAt(about, 'uid')} ${textAt(item as JsonObject, 'reason')}: ${textAt(item as JsonObject, 'message')}`;
        counts.set(line, (counts.get(line) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** Deletes everything that the user has made, and waits until nothing is left but definitions, which go last. */
  async remove(): Promise<void> {
    const { kube } = this.#stage;
    for (const name of this.#journey.namespaces) {
      await kube.delete({ apiVersion: 'v1', kind: 'Namespace', name: `${this.slug}-${name}` });
    }
    const left = (): string[] =>
      [...this.#timeline.objects.values()].map(({ object }) => this.#timeline.canonical.key(object));
    const definitions = this.#journey.definitions.map(({ kind, name }) => `${kind} ${name}`);
    await eventually(() => {
      // The ClusterRoles of an API and its own APIService go with it.
      const goesWithDefinition = /^(?:ClusterRole|Operator) |^APIService v\d\.\$id\./;
      const others = left().filter((key) => !definitions.includes(key) && !goesWithDefinition.test(key));
      if (others.length > 0) throw new Error(`left: ${others.join(', ')}`);
    }, patient(installationMs));
    for (const target of this.#journey.definitions) await kube.delete(this.#filled(target)).catch(ignoreMissing);
    await eventually(async () => {
      // They come again while a component of theirs is left.
      for (const key of left()) {
        const name = /^Operator (.+)$/.exec(key)?.[1];
        if (name !== undefined) await kube.delete(this.#filled({ ...operatorKind, name })).catch(ignoreMissing);
      }
      if (left().length > 0) throw new Error(`left: ${left().join(', ')}`);
    }, patient(installationMs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#catalogs[Symbol.asyncDispose]();
  }
}

const shownProblems = 30;
const mostEvents = 2;
const quietMs = 1_500;

/** Waits until the text stays the same for a while. */
export async function whenQuiet(text: () => string): Promise<void> {
  let before = '';
  let sinceMs = Date.now();
  await eventually(() => {
    const now = text();
    if (now !== before) sinceMs = Date.now();
    before = now;
    if (Date.now() - sinceMs < quietMs) throw new Error('still changing');
  }, patient(settledMs));
}

function ignoreMissing(thrown: unknown): void {
  if (!isNotFound(thrown)) throw thrown;
}

/** Members of a value by their path. */
function leavesOf(value: JsonValue, path = ''): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, `${path}[${index}]`));
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([key, member]) => leavesOf(member ?? null, `${path}.${key}`));
  }
  return [[path, JSON.stringify(value)]];
}

/** What differs between two sets of objects, one line a member. */
function differencesOf(expected: Objects, found: Objects): readonly string[] {
  const keys = new Set([...expected.keys(), ...found.keys()]);
  return [...keys].flatMap((key) => {
    const [before, after] = [expected, found].map((objects) => new Map(leavesOf(objects.get(key) ?? null)));
    const paths = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
    const changed = [...paths].filter((path) => before?.get(path) !== after?.get(path));
    return changed.map((path) => `${key}${path}: expected ${before?.get(path)}, found ${after?.get(path)}`);
  });
}

/** Writes a kubeconfig into the folder of the stage. */
export async function writeKubeconfig({ folder }: Stage, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}
