import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, type KubeObject, type Manifest, startApiServer } from '../../../apiserver/index.ts';
import { machineLabels, machineResource, machineSetResource } from '../../../src/api/index.ts';
import { errorMessage, type JsonObject, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';
import { type ApiProxy, eventually, type Fate, startApiProxy } from '../../support/index.ts';
import { machineDefinitions } from '../../support/machine-cluster.ts';
import { type ControllersProcess, spawnControllers } from '../olm/controllers-process.ts';
import type { Strike, StrikeReport } from '../olm/kill-run.ts';

const namespace = 'machines';
const machines = 2;
const pods = 4;
const by = { fieldManager: 'test' };
const entry = join(import.meta.dirname, 'controllers-child.ts');
/** For a deletion with all pauses between tries, on a busy machine. */
const patience = { timeoutMs: 300_000, intervalMs: 100 };
const selector = (app: string): JsonObject => ({ matchLabels: { app } });
const template = (app: string, spec: JsonObject): JsonObject => ({ metadata: { labels: { app } }, spec });

function objects(): readonly JsonObject[] {
  const metadata = { namespace, name: 'web' };
  const containers = [{ name: 'main', image: 'example.org/web' }];
  const labels = { [machineLabels.cluster]: 'test', set: 'workers' };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: machineSetResource.apiVersion,
      kind: machineSetResource.kind,
      metadata: { namespace, name: 'workers' },
      spec: {
        replicas: machines,
        selector: { matchLabels: { set: 'workers' } },
        template: { metadata: { labels }, spec: { providerSpec: { value: {} } } },
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas: pods, selector: selector('web'), template: template('web', { containers }) },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: { maxUnavailable: 1, selector: selector('web') },
    },
  ];
}

/** A process of the controllers, and its own way to the API server. */
interface Replica {
  readonly proxy: ApiProxy;
  readonly kubeconfigPath: string;
  process: ControllersProcess | undefined;
}

const parts = (object: KubeObject): JsonObject => object as unknown as JsonObject;
const nodeOf = (machine: KubeObject): string => textAt(objectAt(parts(machine), 'status', 'nodeRef'), 'name');

/** A set of machines, one of which is deleted, time after time, while the processes of the controllers are killed. */
export class KilledDeletions implements AsyncDisposable {
  readonly #server: ApiServer;
  readonly #stack: AsyncDisposableStack;
  readonly #replicas: Replica[] = [];
  /** Every machine that ever was, by uid. */
  readonly #seen = new Set<string>();
  #writes = 0;
  #strike: Strike | undefined;
  #struck: string | undefined;
  #isClosed = false;

  private constructor(server: ApiServer, stack: AsyncDisposableStack) {
    this.#server = server;
    this.#stack = stack;
  }

  /** With several replicas, the others go on while one is dead. */
  static async open(replicas = 1): Promise<KilledDeletions> {
    const stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'longshore-machine-kills-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const server = stack.use(await startApiServer({ crds: machineDefinitions as readonly Manifest[] }));
    for (const object of objects()) await server.client.create(object as unknown as KubeObject, by);
    const killed = new KilledDeletions(server, stack);
    stack.use(server.cluster.subscribe(({ object }) => killed.#see(object as unknown as JsonObject)));
    for (let index = 0; index < replicas; index += 1) await killed.#add(join(folder, `kubeconfig-${index}`));
    await eventually(() => killed.#assertSettled(), patience);
    return killed;
  }

  /** A deletion without a kill: how many writes it takes. */
  async undisturbed(): Promise<number> {
    await this.#delete();
    return this.#writes;
  }

  async disturbed(strike: Strike): Promise<StrikeReport> {
    this.#strike = strike;
    try {
      await this.#delete();
      return { write: this.#struck, problems: [] };
    } catch (thrown) {
      const complaints = this.#replicas.map(({ process }) => process?.complaints() ?? '').join('\n');
      return { write: this.#struck, problems: [`${errorMessage(thrown)}\n${complaints}`] };
    } finally {
      this.#strike = undefined;
    }
  }

  #see(object: JsonObject): void {
    if (textAt(object, 'kind') === machineResource.kind) this.#seen.add(textAt(objectAt(object, 'metadata'), 'uid'));
  }

  async #add(kubeconfigPath: string): Promise<void> {
    const proxy = await startApiProxy(this.#server.kubeconfig, (write) => this.#decide(replica, write));
    this.#stack.use(proxy);
    await writeFile(kubeconfigPath, proxy.kubeconfig, { mode: 0o600 });
    const replica: Replica = { proxy, kubeconfigPath, process: undefined };
    this.#replicas.push(replica);
    this.#stack.defer(() => replica.process?.[Symbol.asyncDispose]());
    this.#start(replica);
    await replica.process?.ready;
  }

  /** Starts a process, and the next one when it ends: it was killed, or could not renew its lease on a busy machine. */
  #start(replica: Replica): void {
    const started = spawnControllers({ kubeconfigPath: replica.kubeconfigPath, folder: '', entry });
    replica.process = started;
    void started.ended.then(() => {
      if (this.#isClosed) return;
      replica.proxy.open();
      this.#start(replica);
    });
  }

  #decide(replica: Replica, write: string): Fate {
    this.#writes += 1;
    const strike = this.#strike;
    if (strike === undefined || this.#writes !== strike.at) return 'pass';
    this.#struck = write;
    return { is: strike.is, struck: () => this.#kill(replica) };
  }

  #kill(replica: Replica): void {
    replica.process?.kill();
    replica.proxy.close();
  }

  async #machines(): Promise<readonly KubeObject[]> {
    return await this.#server.client.list({ ...machineResource, namespace });
  }

  async #delete(): Promise<void> {
    const [leaving] = await this.#machines();
    const before = this.#seen.size;
    this.#writes = 0;
    this.#struck = undefined;
    await this.#server.client.delete({ ...machineResource, namespace, name: leaving?.metadata.name ?? '' });
    await eventually(() => this.#assertSettled(leaving?.metadata.uid), patience);
    // One machine replaced it, however often the set was asked.
    const created = this.#seen.size - before;
    if (created !== 1) throw new Error(`${created} machines were created for one that was deleted`);
  }

  /** Waits for the state that every deletion ends in: machines that run, and nothing that the one which has gone had.
   *  @throws Error with what is otherwise */
  async #assertSettled(gone?: string): Promise<void> {
    const { client } = this.#server;
    const present = await this.#machines();
    const running = present.filter((one) => textAt(objectAt(parts(one), 'status'), 'phase') === 'Running');
    const uids = present.map(({ metadata }) => metadata.uid ?? '');
    const problems: string[] = [];
    const expect = (isTrue: boolean, text: string): void => void (isTrue || problems.push(text));
    expect(gone === undefined || !uids.includes(gone), 'the machine is still there');
    expect(present.length === machines && running.length === machines, `${running.length} of ${present.length} run`);
    for (const machine of present) {
      const hooks = objectAt(parts(machine), 'spec', 'lifecycleHooks');
      const names = [...objectsAt(hooks, 'preDrain'), ...objectsAt(hooks, 'preTerminate')].map((hook) =>
        textAt(hook, 'name'),
      );
      expect(names.join() === 'MoveApps,hooks.platform/VolumeDetach', `hooks are ${names.join()}`);
    }
    const instances = (await client.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace }))
      .map(({ metadata }) => metadata.name ?? '')
      .filter((name) => name.startsWith('instance-'));
    expect(
      instances.toSorted().join() ===
        uids
          .map((uid) => `instance-${uid}`)
          .toSorted()
          .join(),
      'other instances',
    );
    const nodes = await client.list({ apiVersion: 'v1', kind: 'Node' });
    const ofMachines = nodes.filter((one) => textAt(objectAt(parts(one), 'spec'), 'providerID') !== '');
    const names = ofMachines.map(({ metadata }) => metadata.name ?? '').toSorted();
    expect(names.join() === present.map(nodeOf).toSorted().join(), `nodes are ${names.join()}`);
    const cordoned = nodes.filter((one) => objectAt(parts(one), 'spec')?.['unschedulable'] === true);
    expect(cordoned.length === 0, `${cordoned.length} nodes are cordoned`);
    const web = await client.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' });
    expect(objectAt(parts(web), 'status')?.['availableReplicas'] === pods, 'pods are missing');
    if (problems.length > 0) throw new Error(problems.join('; '));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#stack.disposeAsync();
  }
}
