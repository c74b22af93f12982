import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseBundleDeployment } from '../../src/api/index.ts';
import { errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { isAlreadyExists, isKubeError, isNotFound, type KubeObject, NoKindMatch } from '../../src/kube/index.ts';
import { SeededRandom } from '../conformance/random.ts';
import { eventually, type Registry, startRegistry } from '../support/index.ts';
import { application, type Files } from './contents.ts';
import { type DataFolder, openDataFolder, type PlatformProcess } from './platform-process.ts';
import { bundleDeployment, conditionOf, statusOf } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const partCount = 8;
/** A second kill follows this often, while the platform starts again. */
const secondKillChance = 0.3;
const longestStartMs = 2000;
const settleTimeoutMs = 90_000;

/** What a run of kills found; `problems` is empty when all is well. */
export interface KillRoundsReport {
  readonly kills: number;
  readonly problems: readonly string[];
}

const kinds = [
  ['v1', 'Namespace'],
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'ServiceAccount'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  [apiVersion, 'Bundle'],
  [apiVersion, 'BundleDeployment'],
] as const;

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const nameOf = (round: number): string => `round-${round}`;

function definition(name: string): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.${name}.example.com}
spec:
  group: ${name}.example.com
  scope: Namespaced
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;
}

/** The small application, and beside it parts that change, parts that go, a definition and an object of it. */
function filesOf(name: string, version: 1 | 2): Files {
  const names = Array.from(
    { length: partCount },
    (_, index) => `${version === 1 && index < 3 ? 'gone' : 'part'}-${index}`,
  );
  const parts = names.map((part): [string, string] => [
    `manifests/20-${part}.yaml`,
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${part}, namespace: ${name}}\ndata: {version: "${version}"}\n`,
  ]);
  const thing = `apiVersion: ${name}.example.com/v1\nkind: Thing\nmetadata: {name: one, namespace: ${name}}\nspec: {version: ${version}}\n`;
  return {
    ...application(name, version),
    ...Object.fromEntries(parts),
    'manifests/30-definition.yaml': definition(name),
    'manifests/31-thing.yaml': thing,
  };
}

/** Without what differs between two objects that are the same otherwise. */
function withoutChance(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutChance(item) ?? null);
  if (!isJsonObject(value)) return value;
  const chance = new Set([
    'uid',
    'resourceVersion',
    'creationTimestamp',
    'managedFields',
    'lastTransitionTime',
    'time',
    // Times and short digests of images, which differ by round; test/e2e/run.test.ts and history.test.ts show them.
    'history',
    'activeVersion',
    'activeSource',
  ]);
  const members = Object.entries(value).filter(([key]) => !chance.has(key));
  return Object.fromEntries(
    members.map(([key, member]): [string, JsonValue | undefined] => [key, withoutChance(member)]),
  );
}

/** Rounds of an installation, a pivot and a removal at the same time, each on a deployment of its own, in a platform that is killed meanwhile.
 *  At the end of a round the whole cluster must be as after a round without a kill. */
class KillRounds implements AsyncDisposable {
  readonly #folder: DataFolder;
  readonly #registry: Registry;
  readonly #random: SeededRandom;
  #platform: PlatformProcess;
  #round = 0;
  /** Of a round that nothing disturbs. */
  #usualMs = 0;

  private constructor(parts: {
    readonly folder: DataFolder;
    readonly registry: Registry;
    readonly platform: PlatformProcess;
    readonly seed: number;
  }) {
    this.#folder = parts.folder;
    this.#registry = parts.registry;
    this.#platform = parts.platform;
    this.#random = new SeededRandom(parts.seed);
  }

  static async open(seed: number): Promise<KillRounds> {
    const folder = await openDataFolder();
    return new KillRounds({ folder, registry: await startRegistry(), platform: await folder.start(), seed });
  }

  /** A round without a kill; the cluster afterwards, a line an object. */
  async undisturbed(): Promise<readonly string[]> {
    this.#round += 1;
    const startedMs = performance.now();
    await this.#ask();
    await eventually(() => this.#assertSettled(), { timeoutMs: settleTimeoutMs });
    this.#usualMs = performance.now() - startedMs;
    return await this.#lines();
  }

  /** A round with a kill, or more when the platform is killed while it starts again.
   *  @throws Error when the cluster does not come to be as `expected` */
  async disturbed(expected: readonly string[]): Promise<{ readonly kills: number }> {
    this.#round += 1;
    const asking = this.#ask().catch((thrown: unknown) => {
      if (!isKubeError(thrown)) throw thrown;
    });
    await pause(this.#random.next() * this.#usualMs);
    const kills = await this.#kill();
    await asking;
    // What the kill cut off is asked for again.
    await this.#ask();
    await eventually(
      async () => {
        await this.#assertSettled();
        const problems = differences(expected, await this.#lines());
        if (problems.length > 0) throw new Error(`round ${this.#round}:\n${problems.join('\n')}`);
      },
      { timeoutMs: settleTimeoutMs, intervalMs: 100 },
    );
    return { kills };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
    await this.#registry[Symbol.asyncDispose]();
  }

  async #kill(): Promise<number> {
    this.#platform.kill();
    await this.#platform.ended;
    let kills = 1;
    for (; this.#random.happens(secondKillChance); kills += 1) {
      await this.#folder.startAndKill(this.#random.next() * longestStartMs);
    }
    this.#platform = await this.#folder.start();
    return kills;
  }

  #source(name: string, version: 1 | 2): JsonObject {
    this.#registry.putImage(`${name}:v${version}`, [{ files: filesOf(name, version) }]);
    return { type: 'image', image: { ref: `${this.#registry.host}/${name}:v${version}` } };
  }

  /** Installs a deployment, changes the one of the round before, and deletes the one before that; idempotent. */
  async #ask(): Promise<void> {
    const { kube } = this.#platform;
    const [coming, changing, going] = [0, 1, 2].map((age) => nameOf(this.#round - age)) as [string, string, string];
    const kind = 'BundleDeployment';
    const asks = [
      kube.create(bundleDeployment(coming, this.#source(coming, 1)), { fieldManager: 'test' }),
      kube.patch(
        { apiVersion, kind, name: changing },
        { spec: { template: { spec: { source: this.#source(changing, 2) } } } },
        { fieldManager: 'test' },
      ),
      kube.delete({ apiVersion, kind, name: going }),
    ];
    await Promise.all(asks.map(unlessDone));
  }

  async #list(version: string, kind: string): Promise<readonly KubeObject[]> {
    try {
      return (await this.#platform.kube.list({ apiVersion: version, kind })).items;
    } catch (thrown) {
      if (thrown instanceof NoKindMatch || isNotFound(thrown)) return [];
      throw thrown;
    }
  }

  /** The deployments of the round are there and have nothing left to do. */
  async #assertSettled(): Promise<void> {
    const [deployments, bundles] = await Promise.all([
      this.#list(apiVersion, 'BundleDeployment'),
      this.#list(apiVersion, 'Bundle'),
    ]);
    const expected = [this.#round - 1, this.#round].filter((round) => round > 0).map(nameOf);
    const names = deployments.map(({ metadata }) => metadata.name ?? '');
    if (names.toSorted(byText).join() !== expected.toSorted(byText).join())
      throw new Error(`there are ${names.join(', ')}`);
    for (const object of deployments) {
      const { bundles: recorded = [] } = parseBundleDeployment(object).status?.record ?? {};
      const isDone =
        statusOf(object)['observedGeneration'] === object.metadata.generation &&
        recorded.length === 1 &&
        ['Installed', 'Healthy'].every((type) => conditionOf(object, type)?.status === 'True');
      if (!isDone) throw new Error(`${object.metadata.name}: ${JSON.stringify(statusOf(object))}`);
    }
    const active = deployments.map((object) => String(statusOf(object)['activeBundle'])).toSorted(byText);
    const there = bundles.map(({ metadata }) => metadata.name ?? '').toSorted(byText);
    if (active.join() !== there.join()) throw new Error(`active are ${active.join()}, there are ${there.join()}`);
  }

  /** Everything in the cluster but Events, and the files of the store, with names and hashes that are the same in each round. */
  async #lines(): Promise<readonly string[]> {
    const things = [0, 1, 2].map((age) => [`${nameOf(this.#round - age)}.example.com/v1`, 'Thing'] as const);
    const lists = await Promise.all([...kinds, ...things].map(([version, kind]) => this.#list(version, kind)));
    const objects = lists.flat().map((object) => JSON.stringify(withoutChance(object as JsonObject)));
    const { storeDir } = this.#folder;
    const stored = await Promise.all(
      ['.', 'records', 'blobs/sha256', 'temporary'].map(async (dir) =>
        (await readdir(join(storeDir, dir))).map((file) => `stored: ${dir}/${file}`),
      ),
    );
    return [...objects, ...stored.flat()].map((line) => this.#sameInEachRound(line)).toSorted();
  }

  #sameInEachRound(line: string): string {
    return (
      line
        .replaceAll(/round-(\d+)/g, (_, round: string) => `AGE${this.#round - Number(round)}`)
        .replaceAll(/(AGE\d)-[0-9a-z]{6,}/g, '$1-HASH')
        .replaceAll(/\b[0-9a-f]{64}\b/g, 'DIGEST')
        .replaceAll(/("core\.rukpak\.io\/bundle-template-hash":)"[^"]*"/g, '$1"HASH"')
        // The content server makes itself an authority at each start, and takes another port where its own is in use.
        .replaceAll(/("ca\.crt":)"[^"]*"/g, '$1"AUTHORITY"')
        .replaceAll(/("contentURL":"https:\/\/127\.0\.0\.1:)\d+/g, '$1PORT')
        .replaceAll(/("url":)"aHR0cHM6Ly8[^"]*"/g, '$1"ADDRESS"')
        .replaceAll(/applyset-[\w-]+/g, 'applyset-ID')
    );
  }
}

/** A creation or a deletion that had been done before. */
async function unlessDone(ask: Promise<unknown>): Promise<void> {
  try {
    await ask;
  } catch (thrown) {
    if (!isAlreadyExists(thrown) && !isNotFound(thrown)) throw thrown;
  }
}

function differences(expected: readonly string[], found: readonly string[]): readonly string[] {
  const left = [...found];
  const missing = expected.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [...missing.map((line) => `missing: ${line}`), ...left.map((line) => `too much: ${line}`)];
}

/** Kills the platform `count` times or a little more, in rounds; reports what the first failed round showed. */
export async function killInRounds(
  options: { readonly count: number; readonly seed: number },
  report: (line: string) => void = () => undefined,
): Promise<KillRoundsReport> {
  await using rounds = await KillRounds.open(options.seed);
  let expected: readonly string[] = [];
  // In the first ones there is less to change and to remove.
  for (let round = 0; round < 3; round += 1) expected = await rounds.undisturbed();
  let kills = 0;
  while (kills < options.count) {
    try {
      kills += (await rounds.disturbed(expected)).kills;
      report(`${kills} kills`);
    } catch (thrown) {
      return { kills, problems: [errorMessage(thrown)] };
    }
  }
  return { kills, problems: [] };
}
