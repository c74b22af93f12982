import { setTimeout as pause } from 'node:timers/promises';
import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  systemClock,
  textAt,
} from '../../src/base/index.ts';
import {
  createKubeClient,
  isKubeError,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
  NoKindMatch,
} from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { canonicalObject, keyOf } from './canonical.ts';
import { extensionTarget } from './objects.ts';
import type { Action, Catalog, Implementation, Recording, Rest, Scenario, Snapshot, Target } from './scenario.ts';

const user = { fieldManager: 'user' };
const catalogKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' };
const { apiVersion, kind } = extensionTarget();
const extensionKind = { apiVersion, kind };
/** What ours leaves where an extension was deleted with the policy Orphan. */
const deploymentKind = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' };
const configsLabel = 'operators.operatorframework.io.index.configs.v1';
const rbac = 'rbac.authorization.k8s.io/v1';
/** What bundles of scenarios hold, and what is rendered of them. */
const installedKinds: readonly (readonly [string, string])[] = [
  ['v1', 'ConfigMap'],
  ['v1', 'Service'],
  ['v1', 'ServiceAccount'],
  ['apps/v1', 'Deployment'],
  [rbac, 'Role'],
  [rbac, 'RoleBinding'],
  [rbac, 'ClusterRole'],
  [rbac, 'ClusterRoleBinding'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
];
const pollMs = 250;
/** What is not as expected, and does not change, by then is recorded as it is. */
const settleLimitMs = 12_000;

/** Whether a rest shows what it is to show. */
export type Expectation = (snapshot: Snapshot) => boolean;

/** A running implementation and a client of an administrator. */
export interface Stage extends AsyncDisposable {
  readonly implementation: Implementation;
  readonly kube: KubeClient;
}

export async function openStage(implementation: Implementation): Promise<Stage> {
  const access = await loadClusterAccess({ path: implementation.kubeconfigPath });
  const kube = createKubeClient({ access, clock: systemClock });
  return { implementation, kube, [Symbol.asyncDispose]: async () => await Promise.resolve(kube.close()) };
}

/** Those that every namespace has are left out. */
async function installedObjects(kube: KubeClient): Promise<readonly KubeObject[]> {
  const lists = await Promise.all(
    installedKinds.map(([version, name]) => kube.list({ apiVersion: version, kind: name })),
  );
  return lists
    .flatMap(({ items }, index) =>
      items.map((item) => ({
        ...item,
        apiVersion: installedKinds[index]?.[0] ?? '',
        kind: installedKinds[index]?.[1] ?? '',
      })),
    )
    .filter(({ metadata: { name } }) => name !== 'kube-root-ca.crt' && name !== 'default');
}

class Run {
  readonly #stage: Stage;
  readonly #scenario: Scenario;
  readonly #isExpected: Expectation;
  readonly #namespace: string;
  readonly #known: ReadonlySet<string>;
  readonly #answers: Record<string, JsonValue> = {};
  readonly #names = new Map<string, string>();
  readonly snapshots: Snapshot[] = [];

  constructor(
    stage: Stage,
    scenario: Scenario,
    more: { isExpected: Expectation; known: ReadonlySet<string>; namespace: string },
  ) {
    this.#stage = stage;
    this.#scenario = scenario;
    this.#isExpected = more.isExpected;
    this.#known = more.known;
    this.#namespace = more.namespace;
  }

  #fill<T extends JsonValue>(value: T): T {
    return JSON.parse(JSON.stringify(value).replaceAll('$ns', this.#namespace)) as T;
  }

  /** Without what differs from run to run. */
  readonly #text = (text: string): string => {
    let shown = text
      .replaceAll(this.#namespace, '$ns')
      .replaceAll(this.#stage.implementation.registry.host, '$registry');
    for (const [digest, name] of this.#names) shown = shown.replaceAll(digest, name);
    return shown;
  };

  #image(name: string, files: Readonly<Record<string, string>>, labels?: Record<string, string>): string {
    const { registry } = this.#stage.implementation;
    const tag = `${this.#scenario.id}/${name}`.toLowerCase().replaceAll('+', '-');
    const digest = registry.putImage(`${tag}:latest`, [{ files: this.#fill(files) }], labels);
    this.#names.set(digest, `sha256:${name}`);
    return `${registry.host}/${tag}@${digest}`;
  }

  #documents({ documents }: Catalog): string {
    const { bundles = {} } = this.#scenario;
    const filled = documents.map((document) => {
      if (document['schema'] !== 'olm.bundle') return document;
      const key = textAt(document, 'image');
      const files = bundles[key];
      // Images that no registry has are named as they are.
      return {
        ...document,
        image:
          files === undefined ? `${this.#stage.implementation.registry.host}/${key}:missing` : this.#image(key, files),
      };
    });
    return filled.map((document) => JSON.stringify(document)).join('\n');
  }

  async #publish(name: string, catalog: Catalog): Promise<void> {
    const { kube } = this.#stage;
    const labels = catalog.isUnlabelled === true ? {} : { [configsLabel]: '/configs' };
    const ref = this.#image(`catalog-${name}`, { 'configs/catalog.json': this.#documents(catalog) }, labels);
    const spec = { priority: catalog.priority ?? 0, source: { type: 'Image', image: { ref } } };
    const metadata = { name, labels: { 'olm.operatorframework.io/metadata.name': name, ...catalog.labels } };
    await kube.apply({ ...catalogKind, metadata, spec }, { ...user, force: true });
    if (catalog.isUnlabelled === true) return;
    await eventually(
      async () => {
        const { status } = await kube.get({ ...catalogKind, name });
        const shown = textAt(objectAt(status as JsonObject, 'resolvedSource', 'image') ?? {}, 'ref');
        if (shown !== ref) throw new Error(`catalog ${name} is not served: ${JSON.stringify(status)}`);
      },
      { timeoutMs: 60_000 },
    );
  }

  async #delete(target: Target, isOrphaning = false): Promise<void> {
    const propagation = isOrphaning ? ({ propagationPolicy: 'Orphan' } as const) : {};
    await this.#stage.kube.delete(this.#fill({ ...target } as unknown as JsonObject) as unknown as Target, propagation);
  }

  async #try(name: string, object: JsonObject): Promise<void> {
    try {
      await this.#stage.kube.create(this.#fill(object) as unknown as KubeObject, user);
      this.#answers[name] = 'accepted';
    } catch (thrown) {
      if (!isKubeError(thrown)) throw thrown;
      this.#answers[name] = this.#text(thrown.message.replace(/^.*?(ClusterExtension\S* "[^"]*" is invalid)/s, '$1'));
    }
  }

  async act(action: Action): Promise<void> {
    const { kube, implementation } = this.#stage;
    if ('rest' in action) return await this.#rest(action);
    if ('try' in action) return await this.#try(action.try, action.apply);
    if ('publish' in action) return await this.#publish(action.publish, action.catalog);
    if ('withdraw' in action) return await this.#delete({ ...catalogKind, name: action.withdraw });
    if ('delete' in action) return await this.#delete(action.delete, action.isOrphaning);
    if ('restart' in action) return await implementation.restart();
    if ('patch' in action) {
      await kube.patch(
        this.#fill(action.patch as unknown as JsonObject) as unknown as Target,
        this.#fill(action.merge),
        user,
      );
      return;
    }
    await kube.apply(this.#fill(action.apply) as unknown as KubeObject, { ...user, force: true });
  }

  async #extensions(): Promise<readonly KubeObject[]> {
    const { items } = await this.#stage.kube.list(extensionKind);
    return items.map((item) => ({ ...item, ...extensionKind }));
  }

  async #snapshot(label: string): Promise<Snapshot> {
    const all = [...(await this.#extensions()), ...(await installedObjects(this.#stage.kube))];
    const own = all.filter((object) => !this.#known.has(keyOf(object, String)));
    const objects = own.map((object): [string, JsonObject] => [
      keyOf(object, this.#text),
      canonicalObject(object, this.#text),
    ]);
    const hasAnswers = Object.keys(this.#answers).length > 0;
    return {
      label,
      objects: Object.fromEntries(objects.toSorted(([a], [b]) => (a < b ? -1 : 1))),
      ...(hasAnswers && { answers: { ...this.#answers } }),
    };
  }

  async #untilState({ until = [], untilGone }: Rest, limitMs: number): Promise<void> {
    for (let leftMs = limitMs; leftMs > 0; leftMs -= pollMs) {
      const extensions = await this.#extensions();
      const text = JSON.stringify(extensions.map((one) => [one['status'] ?? {}, one.metadata.generation ?? 0]));
      const isCurrent = extensions.every(isObserved);
      if (untilGone === true ? extensions.length === 0 : isCurrent && until.every((part) => text.includes(part)))
        return;
      await pause(pollMs);
    }
  }

  async #rest(rest: Rest): Promise<void> {
    const { quietMs, stateLimitMs } = this.#stage.implementation;
    await this.#untilState(rest, stateLimitMs);
    let last = '';
    let quietSinceMs = Date.now();
    for (const startedMs = Date.now(); ; await pause(pollMs)) {
      const snapshot = await this.#snapshot(rest.rest);
      const text = JSON.stringify(snapshot);
      if (text !== last) quietSinceMs = Date.now();
      last = text;
      const isLate = Date.now() - startedMs > settleLimitMs;
      if (isLate || (Date.now() - quietSinceMs >= quietMs && this.#isExpected(snapshot))) {
        this.snapshots.push(snapshot);
        return;
      }
    }
  }
}

function isObserved(object: KubeObject): boolean {
  const status = isJsonObject(object['status']) ? object['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? status['conditions'].filter(isJsonObject) : [];
  return conditions.length > 0 && conditions.every((one) => one['observedGeneration'] === object.metadata.generation);
}

async function prepare({ kube }: Stage, namespace: string, { namespaces = [] }: Scenario): Promise<void> {
  for (const name of ['', ...namespaces.map((one) => `-${one}`)]) {
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${namespace}${name}` } }, user);
  }
  const metadata = { name: 'installer', namespace };
  await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, user);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const subjects = [{ kind: 'ServiceAccount', name: 'installer', namespace }];
  await kube.apply(
    { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: namespace }, roleRef, subjects },
    user,
  );
}

async function deleteAll(kube: KubeClient, refs: readonly Target[]): Promise<void> {
  for (const ref of refs) {
    try {
      await kube.delete(ref);
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
}

async function listIfServed(
  kube: KubeClient,
  target: { readonly apiVersion: string; readonly kind: string },
): Promise<{ readonly items: readonly KubeObject[] }> {
  try {
    return await kube.list(target);
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return { items: [] };
    throw thrown;
  }
}

/** The next scenario finds a cluster without extensions, catalogs and what they installed. */
async function cleanUp(
  { kube }: Stage,
  { namespaces = [] }: Scenario,
  { namespace, known }: { readonly namespace: string; readonly known: ReadonlySet<string> },
): Promise<void> {
  for (const target of [extensionKind, deploymentKind, catalogKind]) {
    const { items } = await listIfServed(kube, target);
    await deleteAll(
      kube,
      items.map(({ metadata: { name = '' } }) => ({ ...target, name })),
    );
    await eventually(
      async () => {
        const left = (await listIfServed(kube, target)).items;
        if (left.length > 0) throw new Error(`${JSON.stringify(left)} is left`);
      },
      { timeoutMs: 60_000 },
    );
  }
  const left = (await installedObjects(kube)).filter((object) => !known.has(keyOf(object, String)));
  await deleteAll(
    kube,
    left.map(({ apiVersion: version, kind: name, metadata }) => ({
      apiVersion: version,
      kind: name,
      name: metadata.name ?? '',
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    })),
  );
  const spaces = ['', ...namespaces.map((one) => `-${one}`)].map((name) => `${namespace}${name}`);
  await deleteAll(
    kube,
    spaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', name })),
  );
  await deleteAll(kube, [{ apiVersion: rbac, kind: 'ClusterRoleBinding', name: namespace }]);
}

/** Plays a scenario and records it; of those on one stage one after the other.
 *  @throws Error naming the scenario and the action that failed */
export async function playScenario(
  stage: Stage,
  scenario: Scenario,
  isExpected: Expectation = () => true,
): Promise<Recording> {
  const namespace = `case-${scenario.id.toLowerCase()}`;
  await prepare(stage, namespace, scenario);
  const known = new Set((await installedObjects(stage.kube)).map((object) => keyOf(object, String)));
  const run = new Run(stage, scenario, { isExpected, known, namespace });
  for (const action of scenario.actions) {
    try {
      await run.act(action);
    } catch (thrown) {
      const text = `${scenario.id}: ${JSON.stringify(action).slice(0, 300)}: ${errorMessage(thrown)}`;
      throw new Error(text, { cause: thrown });
    }
  }
  await cleanUp(stage, scenario, { namespace, known });
  await stage.implementation.assertAlive();
  return { title: scenario.title, snapshots: run.snapshots };
}
