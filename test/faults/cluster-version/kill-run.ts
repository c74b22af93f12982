import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, startApiServer } from '../../../apiserver/index.ts';
import { readClusterVersionCrds, readCrds } from '../../../cli/client/crds.ts';
import { errorMessage, type JsonObject, objectAt, systemClock } from '../../../src/base/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../../src/kube/index.ts';
import { renew } from '../../e2e/own-processes.ts';
import { type ApiProxy, eventually, type Fate, startApiProxy } from '../../support/index.ts';
import { releaseAnnotation, releaseObjects } from '../../support/real-release.ts';
import {
  clusterVersion,
  createClusterVersion,
  patchSpec,
  releaseImage,
  runOperators,
} from '../../support/release-cluster.ts';
import { untilAt } from '../../support/small-release.ts';
import { backwardSteps } from './backward-steps.ts';
import { type EngineProcess, spawnEngine } from './engine-process.ts';

const user = { fieldManager: 'test' };
const patience = { timeoutMs: 600_000 };

/** At which write an engine is killed: before it reaches the API server, or when it is done and its answer is not received. */
export interface Strike {
  readonly at: number;
  readonly is: 'cut' | 'lost';
}

/** Releases that a cluster has one after the other. Their objects have their version as the annotation `releaseAnnotation`. */
export interface KillableReleases {
  /** Folders by version, in their order. */
  readonly folders: Readonly<Record<string, string>>;
  /** Makes a cluster ready for them. */
  readonly prepare?: (kube: KubeClient) => Promise<void>;
}

/** What became of a version. */
interface ReachedVersion {
  readonly version: string;
  /** Of all engines, until the cluster had it. */
  readonly writes: number;
  /** The write at which an engine was killed. */
  readonly struck: string | undefined;
  /** History, hash and all objects of the release. */
  readonly end: readonly string[];
}

/** What came of an installation and updates. */
export interface KillReport {
  readonly reached: readonly ReachedVersion[];
  /** Writes that undid what an earlier one had reached. */
  readonly stepsBack: readonly string[];
  /** When a version was not reached. */
  readonly failure?: string;
}

/** Addresses of Services are given at random. */
function withoutAddresses(object: JsonObject): JsonObject {
  const { clusterIP: _one, clusterIPs: _all, ...spec } = objectAt(object, 'spec') ?? {};
  return object['spec'] === undefined ? object : { ...object, spec };
}

/** Without what differs between two objects that are the same otherwise. */
function lineOf({ kind, metadata, ...rest }: KubeObject): string {
  const { name, namespace = '', annotations, labels, ownerReferences = [] } = metadata;
  const owners = ownerReferences.map((owner) => `${owner.kind} ${owner.name}`);
  const { status: _status, ...content } = withoutAddresses(rest as JsonObject);
  return `${kind} ${namespace}/${name} ${JSON.stringify({ annotations, labels, owners, content })}`;
}

/** A cluster where an engine runs behind a proxy that kills it. */
class KillableCluster implements AsyncDisposable {
  readonly #server: ApiServer;
  readonly kube: KubeClient;
  readonly #folder: string;
  readonly #releases: KillableReleases;
  readonly #stack: AsyncDisposableStack;
  readonly stepsBack: string[] = [];
  #struck: string | undefined;
  #proxy: ApiProxy | undefined;
  #engine: EngineProcess | undefined;
  #strike: Strike | undefined;
  #writes = 0;

  private constructor(parts: {
    readonly server: ApiServer;
    readonly kube: KubeClient;
    readonly folder: string;
    readonly releases: KillableReleases;
    readonly stack: AsyncDisposableStack;
  }) {
    this.#server = parts.server;
    this.kube = parts.kube;
    this.#folder = parts.folder;
    this.#releases = parts.releases;
    this.#stack = parts.stack;
  }

  static async open(releases: KillableReleases): Promise<KillableCluster> {
    await using opening = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'longshore-killed-'));
    opening.defer(() => rm(folder, { recursive: true, force: true }));
    const server = opening.use(await startApiServer());
    const kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
    opening.defer(() => kube.close());
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rukpak-system' } };
    const crds = [...(await readCrds()), ...(await readClusterVersionCrds())] as unknown as KubeObject[];
    for (const object of [...crds, namespace]) await kube.apply(object, user);
    await releases.prepare?.(kube);
    await eventually(() => createClusterVersion(kube));
    await renew(join(folder, 'tls'));
    const cluster = new KillableCluster({ server, kube, folder, releases, stack: opening.move() });
    await cluster.#watch();
    return cluster;
  }

  async #watch(): Promise<void> {
    const subscription = this.#server.cluster.subscribe((event) => this.stepsBack.push(...backwardSteps(event)));
    this.#stack.use(subscription);
    this.#proxy = this.#stack.use(await startApiProxy(this.#server.kubeconfig, (write) => this.#decide(write)));
    await writeFile(join(this.#folder, 'kubeconfig'), this.#proxy.kubeconfig);
    this.#stack.defer(async () => await this.#engine?.[Symbol.asyncDispose]());
    this.#start();
  }

  #start(): void {
    const { folders } = this.#releases;
    const [first = ''] = Object.keys(folders);
    const images = Object.entries(folders).map(([version, path]) => [releaseImage(version), path]);
    this.#engine = spawnEngine({
      kubeconfigPath: join(this.#folder, 'kubeconfig'),
      folder: this.#folder,
      tlsDir: join(this.#folder, 'tls'),
      release: releaseImage(first),
      images: Object.fromEntries(images) as Record<string, string>,
    });
  }

  #decide(write: string): Fate {
    // The same process publishes its certificate.
    if (write.includes('/namespaces/rukpak-system/')) return 'pass';
    this.#writes += 1;
    const strike = this.#strike;
    if (strike === undefined || this.#writes !== strike.at) return 'pass';
    this.#struck = write;
    return { is: strike.is, struck: () => void this.#kill() };
  }

  async #kill(): Promise<void> {
    this.#proxy?.close();
    const dead = this.#engine;
    dead?.kill();
    await dead?.ended;
    this.#proxy?.open();
    this.#start();
  }

  /** Requests a version, unless it is the first one, and waits until the cluster has it, while the engine is killed. */
  async reach(version: string, strike: Strike | undefined): Promise<ReachedVersion> {
    this.#strike = strike;
    this.#struck = undefined;
    this.#writes = 0;
    const { folders } = this.#releases;
    const isUpdate = version !== Object.keys(folders)[0];
    if (isUpdate) await patchSpec(this.kube, { desiredUpdate: { image: releaseImage(version), version } });
    await eventually(async () => {
      const desired = (await clusterVersion(this.kube)).status?.desired.version;
      if (desired !== version) throw new Error(`expected that ${version} is applied, found ${desired}`);
    }, patience);
    await using _operators = await runOperators(this.kube, releaseObjects(folders[version] ?? ''));
    await untilAt(this, version, patience);
    return { version, writes: this.#writes, struck: this.#struck, end: await this.end() };
  }

  complaints(): string {
    return this.#engine?.complaints() ?? '';
  }

  /** History, hash and all objects of the release. */
  async end(): Promise<readonly string[]> {
    const { history = [], versionHash = '' } = (await clusterVersion(this.kube)).status ?? {};
    const { cluster } = this.#server;
    const objects = cluster
      .resources()
      .flatMap((resource) => cluster.list(resource) as unknown as readonly KubeObject[])
      .filter(({ metadata }) => metadata.annotations?.[releaseAnnotation] !== undefined);
    return [
      ...history.map(({ state, version, image }) => `${state} ${version} ${image}`),
      versionHash,
      ...objects.map(lineOf).toSorted(),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Installs and updates a cluster of its own by `longshore controllers`, a process that `kill -9` ends at one write of each version and that is started again. */
export async function killThrough(
  releases: KillableReleases,
  strikes: readonly (Strike | undefined)[] = [],
): Promise<KillReport> {
  await using cluster = await KillableCluster.open(releases);
  const { stepsBack } = cluster;
  const reached: ReachedVersion[] = [];
  try {
    for (const [index, version] of Object.keys(releases.folders).entries()) {
      reached.push(await cluster.reach(version, strikes[index]));
    }
    return { reached, stepsBack };
  } catch (thrown) {
    return { reached, stepsBack, failure: `${errorMessage(thrown)}\n${cluster.complaints()}` };
  }
}

/** What is wrong after kills, where `undisturbed` had none; empty when nothing is. */
export function problemsOf({ reached, stepsBack, failure }: KillReport, undisturbed: KillReport): readonly string[] {
  const differences = reached.flatMap(({ version, struck, end }, index) => {
    const expected = undisturbed.reached[index]?.end ?? [];
    const missing = expected.filter((line) => !end.includes(line)).map((line) => `missing: ${line}`);
    const more = end.filter((line) => !expected.includes(line)).map((line) => `not expected: ${line}`);
    return [...missing, ...more].map((line) => `${version}, killed at ${struck}: ${line}`);
  });
  return [...stepsBack, ...differences, ...(failure === undefined ? [] : [failure])];
}

/** A write of each version at which to kill: kills of `rounds` rounds are spread over all writes, every second one is lost instead of cut. */
export function strikesOf(undisturbed: KillReport, round: number, rounds: number): readonly Strike[] {
  const count = undisturbed.reached.length;
  return undisturbed.reached.map(({ writes }, index) => ({
    at: 1 + Math.floor((writes * (round + index / count)) / rounds),
    is: (round + index) % 2 === 0 ? 'cut' : 'lost',
  }));
}
