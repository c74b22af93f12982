import { type Machine, machineLabels } from '../../api/index.ts';
import { type Clock, formatTimestamp, isJsonObject, type JsonObject } from '../../base/index.ts';
import {
  findObject,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
} from '../../kube/index.ts';
import {
  type Actuator,
  type ActuatorCall,
  ActuatorError,
  type ActuatorReason,
  type Instance,
  RequeueAfter,
} from '../actuator.ts';

/** What `spec.providerSpec.value` of a simulated machine may have. */
interface SimulatedSpec {
  /** How long an instance takes until its Node joins. Default 0. */
  readonly startSeconds: number;
  /** How long it takes to terminate. Default 0. */
  readonly terminateSeconds: number;
  /** Creation fails with this reason. */
  readonly failCreate: ActuatorReason | undefined;
  /** Termination fails with this reason. */
  readonly failDelete: ActuatorReason | undefined;
  /** Simulated instances that the namespace has room for. Default: any number. */
  readonly capacity: number;
  /** After this time the instance does not exist, as one that someone deletes at the provider. Default: never. */
  readonly vanishAfterSeconds: number;
}

export interface SimulatedProviderOptions {
  readonly kube: KubeClient;
  readonly clock: Clock;
}

const fieldManager = 'longshore-simulated-provider';
/** On the ConfigMaps of instances. */
const instanceLabel = 'machines.longshore.dev/simulated-instance';
/** Nodes that have it run pods on the embedded API server. */
const simulateAnnotation = { 'apiserver.longshore.dev/simulate': 'node' };
const maxSeconds = 86_400;
const reasons: readonly string[] = [
  'InvalidConfiguration',
  'InsufficientResources',
  'CreateError',
  'DeleteError',
  'JoinClusterTimeoutError',
] satisfies ActuatorReason[];

function secondsOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(value, maxSeconds) : 0;
}

function reasonOf(value: unknown): ActuatorReason | undefined {
  return typeof value === 'string' && reasons.includes(value) ? (value as ActuatorReason) : undefined;
}

function specOf({ spec }: Machine): SimulatedSpec {
  const value = spec?.providerSpec?.value ?? {};
  const { startSeconds, terminateSeconds, failCreate, failDelete, capacity, vanishAfterSeconds } = value;
  return {
    startSeconds: secondsOf(startSeconds),
    terminateSeconds: secondsOf(terminateSeconds),
    failCreate: reasonOf(failCreate),
    failDelete: reasonOf(failDelete),
    capacity: typeof capacity === 'number' && capacity >= 0 ? capacity : Number.POSITIVE_INFINITY,
    vanishAfterSeconds: secondsOf(vanishAfterSeconds),
  };
}

/** The name of a machine becomes the label `kubernetes.io/hostname` of its Node. */
const longestHostName = 63;

/** The ConfigMap that stands for the instance: by the uid of the machine, so that a new machine of the name has an instance of its own. */
function instanceOf({ metadata }: Machine): ObjectRef {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: metadata.namespace ?? '',
    name: `instance-${metadata.uid ?? ''}`,
  };
}

const nodeRefOf = ({ metadata }: Machine): ObjectRef => ({ apiVersion: 'v1', kind: 'Node', name: metadata.name });
const providerIdOf = ({ metadata }: Machine): string =>
  `simulated:///${metadata.namespace ?? ''}/${metadata.uid ?? ''}`;

/** What the machine of an instance has from its creation on. */
function identityOf(machine: Machine): Pick<Instance, 'providerID' | 'labels'> {
  return { providerID: providerIdOf(machine), labels: { [machineLabels.instanceType]: 'simulated' } };
}

function textAt(object: KubeObject, key: string): string {
  const { data } = object;
  const value = isJsonObject(data) ? data[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Instances that exist only as ConfigMaps, and Nodes that report to be ready. For `longshore up`: machines of it can be slow, fail and run out. */
export class SimulatedProvider implements Actuator {
  readonly #kube: KubeClient;
  readonly #clock: Clock;
  /** Ends when the last creation has ended: where there is room for one more, two do not take it. */
  #creating: Promise<unknown> = Promise.resolve();

  constructor({ kube, clock }: SimulatedProviderOptions) {
    this.#kube = kube;
    this.#clock = clock;
  }

  async #find(ref: ObjectRef, { signal }: ActuatorCall): Promise<KubeObject | undefined> {
    return await findObject(this.#kube, ref, { signal });
  }

  async #create(object: KubeObject, { signal }: ActuatorCall): Promise<void> {
    try {
      await this.#kube.create(object, { fieldManager, signal });
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown;
    }
  }

  async create(machine: Machine, call: ActuatorCall): Promise<Instance> {
    const { failCreate } = specOf(machine);
    const { length } = machine.metadata.name;
    if (length > longestHostName) {
      const text = `metadata.name: expected at most ${longestHostName} characters, which a host name may have, found ${length}`;
      throw new ActuatorError('InvalidConfiguration', text);
    }
    if (failCreate !== undefined)
      throw new ActuatorError(failCreate, `spec.providerSpec.value.failCreate: ${failCreate}`);
    const creating = this.#creating.then(() => this.#createInstance(machine, call));
    this.#creating = creating.catch(() => undefined);
    await creating;
    return { ...identityOf(machine), state: 'starting' };
  }

  async #createInstance(machine: Machine, call: ActuatorCall): Promise<void> {
    const { apiVersion, kind, namespace = '', name } = instanceOf(machine);
    const { capacity } = specOf(machine);
    if (Number.isFinite(capacity)) {
      const target = { apiVersion, kind, namespace, labelSelector: instanceLabel };
      const { items } = await this.#kube.list(target, { signal: call.signal });
      const isThere = items.some(({ metadata }) => metadata.name === name);
      if (!isThere && items.length >= capacity) {
        const text = `the simulated provider has room for ${capacity} instances in namespace ${namespace}, and has ${items.length}`;
        throw new ActuatorError('InsufficientResources', text);
      }
    }
    const data = { machine: machine.metadata.name, createdAt: formatTimestamp(this.#clock.now()) };
    const metadata = { namespace, name, labels: { [instanceLabel]: '' } };
    await this.#create({ apiVersion, kind, metadata, data }, call);
  }

  async update(machine: Machine, call: ActuatorCall): Promise<Instance> {
    const instance = await this.#find(instanceOf(machine), call);
    if (instance === undefined) return {};
    const dueMs = Date.parse(textAt(instance, 'createdAt')) + specOf(machine).startSeconds * 1000;
    const leftMs = dueMs - this.#clock.now();
    if (leftMs > 0) throw new RequeueAfter(leftMs);
    if (textAt(instance, 'joinedAt') === '') await this.#join(machine, call);
    // With its identity: the process that created it may have ended before the machine had it.
    const addresses = [{ type: 'Hostname', address: machine.metadata.name }];
    return { ...identityOf(machine), state: 'running', addresses };
  }

  /** The Node joins once: one that an administrator deletes does not come back. */
  async #join(machine: Machine, call: ActuatorCall): Promise<void> {
    const { name } = machine.metadata;
    const role = machine.metadata.labels?.[machineLabels.role] ?? 'worker';
    const labels = {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      [`node-role.kubernetes.io/${role}`]: '',
    };
    const metadata = { name, labels, annotations: simulateAnnotation };
    const spec = { providerID: providerIdOf(machine) };
    await this.#create({ apiVersion: 'v1', kind: 'Node', metadata, spec }, call);
    const joined = await this.#find(nodeRefOf(machine), call);
    const isOurs = isJsonObject(joined?.['spec']) && joined['spec']['providerID'] === spec.providerID;
    if (!isOurs) throw new ActuatorError('JoinClusterTimeoutError', `another Node has the name ${name}`);
    const now = formatTimestamp(this.#clock.now());
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    const capacity = { cpu: '8', memory: '32Gi', pods: '1000', 'ephemeral-storage': '100Gi' };
    const status: JsonObject = {
      capacity,
      allocatable: capacity,
      addresses: [{ type: 'Hostname', address: name }],
      conditions: [
        { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'the simulated kubelet is ready', ...times },
      ],
    };
    const options = { fieldManager, subresource: 'status', signal: call.signal } as const;
    await this.#kube.patch(nodeRefOf(machine), { status }, options);
    await this.#note(machine, { joinedAt: now }, call);
  }

  async #note(machine: Machine, data: Record<string, string>, { signal }: ActuatorCall): Promise<KubeObject> {
    return await this.#kube.patch(instanceOf(machine), { data }, { fieldManager, signal });
  }

  async delete(machine: Machine, call: ActuatorCall): Promise<void> {
    const found = await this.#find(instanceOf(machine), call);
    if (found === undefined) return;
    const { failDelete } = specOf(machine);
    if (failDelete !== undefined)
      throw new ActuatorError(failDelete, `spec.providerSpec.value.failDelete: ${failDelete}`);
    const isLeaving = textAt(found, 'terminatingSince') !== '';
    const terminatingSince = formatTimestamp(this.#clock.now());
    const instance = isLeaving ? found : await this.#note(machine, { terminatingSince }, call);
    const dueMs = Date.parse(textAt(instance, 'terminatingSince')) + specOf(machine).terminateSeconds * 1000;
    const leftMs = dueMs - this.#clock.now();
    if (leftMs > 0) throw new RequeueAfter(leftMs);
    await this.#remove(machine, instance, call);
  }

  async exists(machine: Machine, call: ActuatorCall): Promise<boolean> {
    const found = await this.#find(instanceOf(machine), call);
    const { vanishAfterSeconds } = specOf(machine);
    if (found === undefined || vanishAfterSeconds === 0) return found !== undefined;
    if (Date.parse(textAt(found, 'createdAt')) + vanishAfterSeconds * 1000 > this.#clock.now()) return true;
    await this.#remove(machine, found, call);
    return false;
  }

  async #remove(machine: Machine, { metadata }: KubeObject, { signal }: ActuatorCall): Promise<void> {
    try {
      await this.#kube.delete(instanceOf(machine), { uid: metadata.uid, signal });
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
}
