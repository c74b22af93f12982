import { readdir } from 'node:fs/promises';
import type { ClusterClient } from '../../../apiserver/index.ts';
import { isJsonEqual, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import type { DesiredState, Shape } from './actions.ts';
import { groupOf, keptName, objectsOf } from './bundles.ts';
import { type Expectation, isGood } from './model.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface Status {
  readonly observedGeneration?: number;
  readonly activeBundle?: string;
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
}

const kinds = [
  ['v1', 'Namespace'],
  ['v1', 'ConfigMap'],
  ['apps/v1', 'Deployment'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
] as const;

const allTrue = { HasValidBundle: 'True', Installed: 'True', Healthy: 'True' };
/** What a deployment reports about a desired state that cannot be reached. */
const conditionsOf: Readonly<Partial<Record<Shape, Readonly<Record<string, string>>>>> = {
  unreadable: { HasValidBundle: 'False' },
  refused: { Installed: 'False' },
};

function identityOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

function statusOf(object: KubeObject): Status {
  return (object['status'] ?? {}) as Status;
}

/** Whether everything of `expected` is in `found`; lists of one length, member by member. */
function isWithin(expected: JsonValue | undefined, found: JsonValue | undefined): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(found) &&
      expected.length === found.length &&
      expected.every((item, index) => isWithin(item, found[index]))
    );
  }
  if (typeof expected !== 'object' || expected === null) return isJsonEqual(expected, found);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return false;
  return Object.entries(expected).every(([key, value]) => isWithin(value, found[key]));
}

/** What a cluster shows of the deployments of a run. */
export class StateChecker {
  readonly #client: Pick<ClusterClient, 'find' | 'list'>;
  readonly #storeDir: string | undefined;

  /** Without a folder, the store is not looked at. */
  constructor(client: Pick<ClusterClient, 'find' | 'list'>, storeDir?: string) {
    this.#client = client;
    this.#storeDir = storeDir;
  }

  /** What is not as expected; empty when all is well. */
  async problems(expectations: ReadonlyMap<string, Expectation>): Promise<readonly string[]> {
    const found = await Promise.all(
      [...expectations].map(async ([name, expectation]) => {
        const problems = await this.#problemsOf(name, expectation);
        return problems.map((problem) => `${name}: ${problem}`);
      }),
    );
    return [...found.flat(), ...(await this.#storeProblems())];
  }

  async #problemsOf(name: string, expectation: Expectation): Promise<readonly string[]> {
    const { desired, isMixed, installed } = expectation;
    const objects = await this.#objectsOf(name);
    const differences = installed.map((candidate) => this.#differences(name, objects, candidate));
    const closest = isMixed
      ? this.#strangers(name, objects, expectation)
      : (differences.find((list) => list.length === 0) ?? differences[0] ?? []);
    const kept = await this.#keptProblem(name, expectation);
    const status = desired === undefined ? await this.#remainders(name) : await this.#statusProblems(name, desired);
    return [...closest, ...kept, ...status];
  }

  async #labelled(kind: string, version: string, name: string): Promise<readonly KubeObject[]> {
    try {
      const labelSelector = `core.rukpak.io/owner-name=${name}`;
      return (await this.#client.list({ apiVersion: version, kind, labelSelector })) as unknown as KubeObject[];
    } catch (thrown) {
      if (thrown instanceof Error && thrown.message.includes('the server has no kind')) return [];
      throw thrown;
    }
  }

  async #objectsOf(name: string): Promise<readonly KubeObject[]> {
    const lists = [...kinds, [`${groupOf(name)}/v1`, 'Thing'] as const].map(([version, kind]) =>
      this.#labelled(kind, version, name),
    );
    const all = (await Promise.all(lists)).flat();
    // What is to be retained is checked by itself.
    return all.filter(({ metadata }) => metadata.name !== keptName(name));
  }

  /** Objects that no candidate has, in its form unless a user has changed it. */
  #strangers(name: string, objects: readonly KubeObject[], { installed, isChanged }: Expectation): readonly string[] {
    const known = installed.flatMap((desired) => (desired === undefined ? [] : objectsOf(name, desired)));
    const isKnown = (object: KubeObject): boolean =>
      known.some((one) => {
        const isSame = identityOf(one) === identityOf(object);
        return isSame && (isChanged || isWithin(one as JsonObject, object as JsonObject));
      });
    return objects.filter((object) => !isKnown(object)).map((object) => `${identityOf(object)} is of no version`);
  }

  #differences(name: string, objects: readonly KubeObject[], desired: DesiredState | undefined): readonly string[] {
    const all = desired === undefined ? [] : objectsOf(name, desired);
    const expected = all.filter(({ metadata }) => metadata.name !== keptName(name));
    const found = new Map(objects.map((object) => [identityOf(object), object]));
    const what = desired === undefined ? 'nothing' : `version ${desired.version}`;
    const missing = expected.filter((object) => !found.has(identityOf(object)));
    const known = new Set(expected.map(identityOf));
    const others = expected.filter((object) => {
      const there = found.get(identityOf(object));
      return there !== undefined && !isWithin(object as JsonObject, there as JsonObject);
    });
    return [
      ...missing.map((object) => `${identityOf(object)} of ${what} is not there`),
      ...[...found.keys()].filter((key) => !known.has(key)).map((key) => `${key} is there, not of ${what}`),
      ...others.map((object) => `${identityOf(object)} is not that of ${what}`),
      ...objects
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .map((o) => `${identityOf(o)} is being deleted`),
    ];
  }

  async #keptProblem(name: string, { installed, kept }: Expectation): Promise<readonly string[]> {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: keptName(name) };
    const found = (await this.#client.find(ref)) as { data?: { version?: string } } | undefined;
    if (found === undefined) return kept === 'yes' ? [`${ref.name} was deleted, and was to be retained`] : [];
    if (kept === 'no') return [`${ref.name} is there, and no version had it`];
    const [desired, ...others] = installed;
    if (others.length > 0 || desired?.shape !== 'kept') return [];
    return found.data?.version === String(desired.version)
      ? []
      : [`${ref.name} is not that of version ${desired.version}`];
  }

  /** What is left of a deleted deployment. */
  async #remainders(name: string): Promise<readonly string[]> {
    const deployment = await this.#client.find({ apiVersion, kind: 'BundleDeployment', name });
    const bundles = await this.#labelled('Bundle', apiVersion, name);
    return [
      ...(deployment === undefined ? [] : ['it is still there']),
      ...bundles.map((bundle) => `${identityOf(bundle)} is still there`),
    ];
  }

  async #statusProblems(name: string, desired: DesiredState): Promise<readonly string[]> {
    const object = (await this.#client.find({ apiVersion, kind: 'BundleDeployment', name })) as KubeObject | undefined;
    if (object === undefined) return ['it is not there'];
    const status = statusOf(object);
    const expected = Object.entries(conditionsOf[desired.shape] ?? allTrue);
    const isReported = expected.every(([type, value]) =>
      status.conditions?.some((condition) => condition.type === type && condition.status === value),
    );
    if (!isReported || status.observedGeneration !== object.metadata.generation) {
      return [`generation ${object.metadata.generation}: it reports ${JSON.stringify(status)}`];
    }
    return isGood(desired) ? await this.#bundleProblems(name, status) : [];
  }

  async #bundleProblems(name: string, status: Status): Promise<readonly string[]> {
    const bundles = await this.#labelled('Bundle', apiVersion, name);
    const isSettled =
      bundles.length === 1 &&
      bundles.every((bundle) => statusOf(bundle).phase === 'Unpacked' && bundle.metadata.name === status.activeBundle);
    if (isSettled) return [];
    const list = bundles.map((bundle) => `${bundle.metadata.name} (${statusOf(bundle).phase})`);
    return [`${status.activeBundle} is active, and there are ${list.join(', ')}`];
  }

  /** The store holds what Bundles that exist need, and nothing else. */
  async #storeProblems(): Promise<readonly string[]> {
    if (this.#storeDir === undefined) return [];
    const bundles = (await this.#client.list({ apiVersion, kind: 'Bundle' })) as unknown as KubeObject[];
    const names = new Set(bundles.map(({ metadata }) => `${metadata.name}.tgz`));
    const files = (await readdir(this.#storeDir)).filter((file) => file.endsWith('.tgz'));
    const unpacked = bundles.filter((bundle) => statusOf(bundle).phase === 'Unpacked');
    return [
      ...files.filter((file) => !names.has(file)).map((file) => `${file} is stored for no Bundle`),
      ...unpacked
        .filter(({ metadata }) => !files.includes(`${metadata.name}.tgz`))
        .map(({ metadata }) => `the content of ${metadata.name} is not stored`),
    ];
  }
}
