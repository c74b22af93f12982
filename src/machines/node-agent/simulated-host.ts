import { machineConfigResource, parseMachineConfig } from '../../api/index.ts';
import { type Clock, formatTimestamp, isJsonObject, parseJson } from '../../base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, type ObjectRef, refOf } from '../../kube/index.ts';
import type { NodeHost, NodeJournal } from './host.ts';
import type { NodeConfig } from './node-config.ts';

/** Annotations by which tests and demos play with a simulated node. */
const simulation = {
  /** How long a reboot takes, in seconds. */
  rebootSeconds: 'simulation.longshore.dev/reboot-seconds',
  /** Why updates fail. */
  failUpdate: 'simulation.longshore.dev/fail-update',
  /** What differs from the configuration. */
  drift: 'simulation.longshore.dev/drift',
  /** What stands for the disk: written by the simulation. */
  disk: 'simulation.longshore.dev/disk',
} as const;

const fieldManager = 'longshore-simulated-node';
/** Contents of configurations that are kept. */
const maxSpecs = 20;
const maxSeconds = 86_400;

/** What is noted on the Node: names of configurations alone, whose content may be large. */
interface Disk {
  readonly current?: string;
  readonly update?: NodeJournal['update'];
  readonly boots: number;
  readonly downUntilMs?: number;
}

function readDisk({ metadata }: KubeObject): Disk {
  const text = metadata.annotations?.[simulation.disk];
  const disk = text === undefined ? undefined : parseJson(simulation.disk, text);
  return isJsonObject(disk) && typeof disk['boots'] === 'number' ? (disk as unknown as Disk) : { boots: 1 };
}

/** Nodes that exist only as Node objects, for `longshore up`. They can fail, drift and take long to come back. */
export class SimulatedHosts {
  readonly #kube: KubeClient;
  readonly #clock: Clock;
  readonly #specs = new Map<string, NodeConfig['spec']>();

  constructor({ kube, clock }: { readonly kube: KubeClient; readonly clock: Clock }) {
    this.#kube = kube;
    this.#clock = clock;
  }

  /** The host of a simulated node. */
  hostOf(node: KubeObject): NodeHost {
    return new SimulatedHost(node, { kube: this.#kube, clock: this.#clock, specOf: (name) => this.#specOf(name) });
  }

  async #specOf(name: string): Promise<NodeConfig['spec']> {
    const known = this.#specs.get(name);
    if (known !== undefined) return known;
    try {
      const { spec = {} } = parseMachineConfig(await this.#kube.get({ ...machineConfigResource, name }));
      if (this.#specs.size >= maxSpecs) this.#specs.clear();
      this.#specs.set(name, spec);
      return spec;
    } catch (thrown) {
      if (isNotFound(thrown)) return {};
      throw thrown;
    }
  }
}

interface SimulatedDeps {
  readonly kube: KubeClient;
  readonly clock: Clock;
  specOf(name: string): Promise<NodeConfig['spec']>;
}

class SimulatedHost implements NodeHost {
  readonly canChangeImages = true;
  readonly #deps: SimulatedDeps;
  readonly #ref: ObjectRef;
  readonly #node: KubeObject;
  #disk: Disk;

  constructor(node: KubeObject, deps: SimulatedDeps) {
    this.#deps = deps;
    this.#node = node;
    this.#ref = refOf(node);
    this.#disk = readDisk(node);
  }

  #setting(key: string): string {
    return this.#node.metadata.annotations?.[key] ?? '';
  }

  async #save(disk: Disk): Promise<void> {
    const { uid } = this.#node.metadata;
    const annotations = { [simulation.disk]: JSON.stringify(disk) };
    const metadata = { ...(uid === undefined ? {} : { uid }), annotations };
    await this.#deps.kube.patch(this.#ref, { metadata }, { fieldManager });
    this.#disk = disk;
  }

  async #setReady(status: 'True' | 'Unknown'): Promise<void> {
    const now = formatTimestamp(this.#deps.clock.now());
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    const message = status === 'True' ? 'the simulated kubelet is ready' : 'the simulated node is restarting';
    const reason = status === 'True' ? 'KubeletReady' : 'NodeStatusUnknown';
    const version = await this.#kubeletVersion();
    const nodeInfo = version === undefined ? {} : { nodeInfo: { kubeletVersion: version } };
    const conditions = [{ type: 'Ready', status, reason, message, ...times }];
    const options = { fieldManager, subresource: 'status' } as const;
    await this.#deps.kube.patch(this.#ref, { status: { conditions, ...nodeInfo } }, options);
  }

  async #kubeletVersion(): Promise<string | undefined> {
    const { update, current } = this.#disk;
    const name = update?.config ?? current;
    const { kubernetesVersion } = name === undefined ? {} : await this.#deps.specOf(name);
    return kubernetesVersion;
  }

  /** Completes a reboot whose time has passed. */
  async #boot(): Promise<void> {
    const { downUntilMs, ...rest } = this.#disk;
    if (downUntilMs === undefined || downUntilMs > this.#deps.clock.now()) return;
    await this.#setReady('True');
    await this.#save({ ...rest, boots: rest.boots + 1 });
  }

  async bootId(): Promise<string> {
    await this.#boot();
    return `boot-${this.#disk.boots}`;
  }

  untilBootMs(): Promise<number> {
    const { downUntilMs = 0 } = this.#disk;
    return Promise.resolve(Math.max(0, downUntilMs - this.#deps.clock.now()) + 1);
  }

  async recall(): Promise<NodeJournal> {
    await this.#boot();
    const { current, update } = this.#disk;
    return {
      ...(current === undefined ? {} : { current: { name: current, spec: await this.#deps.specOf(current) } }),
      ...(update === undefined ? {} : { update }),
    };
  }

  async remember({ current, update }: NodeJournal): Promise<void> {
    const { boots, downUntilMs } = this.#disk;
    await this.#save({
      boots,
      ...(current === undefined ? {} : { current: current.name }),
      ...(update === undefined ? {} : { update }),
      ...(downUntilMs === undefined ? {} : { downUntilMs }),
    });
  }

  drift(): Promise<string | undefined> {
    return Promise.resolve(this.#setting(simulation.drift) || undefined);
  }

  apply(): Promise<void> {
    const problem = this.#setting(simulation.failUpdate);
    return problem === '' ? Promise.resolve() : Promise.reject(new Error(problem));
  }

  perform(): Promise<void> {
    return Promise.resolve();
  }

  async reboot(): Promise<number> {
    const seconds = Math.min(Math.max(0, Number(this.#setting(simulation.rebootSeconds)) || 0), maxSeconds);
    await this.#setReady('Unknown');
    await this.#save({ ...this.#disk, downUntilMs: this.#deps.clock.now() + seconds * 1000 });
    return seconds * 1000 + 1;
  }
}
