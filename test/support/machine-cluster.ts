import { readFile } from 'node:fs/promises';
import { type Machine, machineLabels, machineResource, parseMachine, type Resource } from '../../src/api/index.ts';
import { type JsonObject, parseYaml } from '../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import { type Actuator, ActuatorError, type Instance } from '../../src/machines/index.ts';
import { type BareCluster, openBareCluster } from './bare-cluster.ts';
import { eventually } from './eventually.ts';
import { temporaryNamespace } from './olm-cluster.ts';
import { isRealCluster, openRealCluster } from './real-cluster.ts';

const user = { fieldManager: 'test' };

/** Machines of tests. */
export const machinePlace: Resource & { readonly namespace: string } = { ...machineResource, namespace: 'machines' };

/** Files with the definitions of machines and pools. */
export const machineDefinitions: readonly string[] = [
  'drain.platform_drainrules',
  'machine.openshift.io_machines',
  'machine.openshift.io_machinesets',
  'machine.openshift.io_machinehealthchecks',
  'machineconfiguration.openshift.io_machineconfigs',
  'machineconfiguration.openshift.io_machineconfigpools',
].map((name) => `crds/machines/${name}.yaml`);

/** A bare cluster with the kinds of machines and pools; with LONGSHORE_TEST_CLUSTER=kube, a real control plane. */
export async function openMachineCluster(): Promise<BareCluster> {
  const cluster = isRealCluster() ? await openRealCluster() : await openBareCluster();
  for (const file of machineDefinitions) {
    await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
  }
  // A controller does not start where one of its kinds is not served.
  const machines = 'machine.openshift.io/v1beta1';
  const pools = 'machineconfiguration.openshift.io/v1';
  for (const [apiVersion, kind] of [
    ['drain.platform/v1alpha1', 'DrainRule'],
    [machines, 'Machine'],
    [machines, 'MachineSet'],
    [machines, 'MachineHealthCheck'],
    [pools, 'MachineConfig'],
    [pools, 'MachineConfigPool'],
  ] as const) {
    await eventually(() => cluster.kube.list({ apiVersion, kind }));
  }
  return cluster;
}

/** A provider in memory that notes what it is asked for, with the state of the cluster at that time. */
export class MemoryProvider implements Actuator {
  readonly instances: Map<string, Instance> = new Map();
  readonly calls: string[] = [];
  /** Thrown by the next call of an operation, once each. */
  readonly failures: { create: Error[]; delete: Error[]; exists: Error[] } = {
    create: [],
    delete: [],
    exists: [],
  };
  /** Whether a deletion takes until `finishDeletions`. */
  isSlow: boolean = false;
  readonly #leaving = new Set<string>();

  #note(operation: 'create' | 'delete' | 'exists', { metadata }: Machine): void {
    if (operation !== 'exists') this.calls.push(`${operation} ${metadata.name}`);
    const failure = this.failures[operation].shift();
    if (failure !== undefined) throw failure;
  }

  async create(machine: Machine): Promise<Instance> {
    await Promise.resolve();
    this.#note('create', machine);
    const instance = { providerID: `memory:///${machine.metadata.name}`, state: 'running' };
    this.instances.set(machine.metadata.name, instance);
    return instance;
  }

  update(machine: Machine): Promise<Instance> {
    return Promise.resolve(this.instances.get(machine.metadata.name) ?? {});
  }

  async delete(machine: Machine): Promise<void> {
    await Promise.resolve();
    this.#note('delete', machine);
    if (this.isSlow) this.#leaving.add(machine.metadata.name);
    else this.instances.delete(machine.metadata.name);
  }

  async exists(machine: Machine): Promise<boolean> {
    await Promise.resolve();
    this.#note('exists', machine);
    return this.instances.has(machine.metadata.name);
  }

  finishDeletions(): void {
    for (const name of this.#leaving) this.instances.delete(name);
  }
}

/** What a provider refuses for good. */
export const invalidConfiguration = (): ActuatorError => new ActuatorError('InvalidConfiguration', 'no such image');

export interface MachineOptions {
  readonly spec?: JsonObject;
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
}

/** A machine in the namespace `machines`. */
export function machineObject(name: string, { spec = {}, annotations = {}, labels }: MachineOptions = {}): KubeObject {
  return {
    apiVersion: machineResource.apiVersion,
    kind: machineResource.kind,
    metadata: { namespace: 'machines', name, annotations, labels: labels ?? { [machineLabels.cluster]: 'test' } },
    spec: { providerSpec: { value: {} }, ...spec },
  };
}

/** The machine now. */
export async function readMachine(kube: KubeClient, name: string): Promise<Machine> {
  return parseMachine(await kube.get({ ...machineResource, namespace: 'machines', name }));
}

/** Creates a Node that is ready, and makes it that of the machine. */
export async function joinNode(
  kube: KubeClient,
  machine: string,
  labels: Record<string, string> = {},
): Promise<string> {
  const name = `node-${machine}`;
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { providerID: `memory:///${machine}` },
  };
  const { metadata } = await kube.create(node, user);
  await setReady(kube, name, 'True');
  const nodeRef = { kind: 'Node', name, uid: metadata.uid ?? '' };
  const ref = { ...machineResource, namespace: 'machines', name: machine };
  await kube.patch(ref, { status: { nodeRef } }, { ...user, subresource: 'status' });
  return name;
}

/** Sets the condition Ready of a Node. */
export async function setReady(kube: KubeClient, node: string, status: 'True' | 'False' | 'Unknown'): Promise<void> {
  const now = '2030-01-01T00:00:00Z';
  const conditions = [
    { type: 'Ready', status, reason: 'Test', message: '', lastHeartbeatTime: now, lastTransitionTime: now },
  ];
  await kube.patch(
    { apiVersion: 'v1', kind: 'Node', name: node },
    { status: { conditions } },
    { ...user, subresource: 'status' },
  );
}

/** Creates a running pod on the node. */
export async function runPod(
  kube: KubeClient,
  nodeName: string,
  { priorityClassName, ...pod }: { name: string; labels?: Record<string, string>; priorityClassName?: string },
): Promise<void> {
  const metadata = { namespace: 'machines', ...pod };
  const priority = priorityClassName === undefined ? {} : { priorityClassName };
  const spec = { ...priority, nodeName, containers: [{ name: 'main', image: 'example.org/web' }] };
  const { apiVersion, kind } = await kube.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec }, user);
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  const ref = { apiVersion, kind, namespace: 'machines', name: pod.name };
  await kube.patch(ref, { status }, { ...user, subresource: 'status' });
}

/** Confirms the end of a pod that is being deleted, as its kubelet would. */
export async function stopPod(kube: KubeClient, name: string): Promise<void> {
  await eventually(async () => {
    const { metadata } = await kube.get({ apiVersion: 'v1', kind: 'Pod', namespace: 'machines', name });
    if (metadata.deletionTimestamp === undefined) throw new Error(`pod ${name} is not being deleted`);
  });
  await kube.evict({ namespace: 'machines', name }, { gracePeriodSeconds: 0 });
}

/** Deletes machines, which have a finalizer, pods, which have no kubelet, budgets, and nodes, which have no namespace. */
export async function clearMachines(kube: KubeClient): Promise<void> {
  const budgets = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: 'machines' };
  for (const { metadata } of (await kube.list(budgets)).items)
    await kube.delete({ ...budgets, name: metadata.name ?? '' });
  for (const { metadata } of (await kube.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'machines' })).items) {
    await kube.evict({ namespace: 'machines', name: metadata.name ?? '' }, { gracePeriodSeconds: 0 });
  }
  for (const { metadata } of (await kube.list(machinePlace)).items) {
    const ref = { ...machinePlace, name: metadata.name ?? '' };
    await kube.patch(ref, { metadata: { finalizers: null } }, user).catch(() => undefined);
    await kube.delete(ref).catch(() => undefined);
  }
  // Controllers delete the Nodes of machines as well.
  for (const { metadata } of (await kube.list({ apiVersion: 'v1', kind: 'Node' })).items) {
    await kube.delete({ apiVersion: 'v1', kind: 'Node', name: metadata.name ?? '' }).catch((thrown: unknown) => {
      if (!isNotFound(thrown)) throw thrown;
    });
  }
}

/** The namespace of machines for one test: disposing it deletes what is in it, and all Nodes. */
export async function openMachineNamespace(kube: KubeClient): Promise<AsyncDisposableStack> {
  const stack = new AsyncDisposableStack();
  stack.use(await temporaryNamespace(kube, 'machines'));
  stack.defer(() => clearMachines(kube));
  return stack;
}
