import { type Machine, machineAnnotations, machineResource, parseMachine } from '../../api/index.ts';
import { type Clock, formatTimestamp, isJsonObject, type JsonObject } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  type Step,
} from '../../controller/index.ts';
import {
  type CacheIndex,
  indexCache,
  isNotFound,
  type KindCache,
  type KubeClient,
  type KubeObject,
  namespacedName,
  preconditionOf,
  refOf,
} from '../../kube/index.ts';
import { isTrue } from '../conditions.ts';
import { internalAddresses, nodeNameOf, providerIdOf } from '../nodes.ts';

interface LinkContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly nodes: KindCache;
  readonly machines: KindCache;
  /** Machines by `id` and the id of their instance, by `address` and its internal addresses, by `node` and the Node that they have. */
  readonly machinesBy: CacheIndex;
  readonly nodesBy: CacheIndex;
}

interface LinkRun extends ReconcileRun {
  readonly context: LinkContext;
}

const fieldManager = 'longshore-node-link';
const nodeTarget = { apiVersion: 'v1', kind: 'Node' } as const;

/** The id in the spec, which users may change, unless the provider has reported another one. */
function claimedId({ spec, status }: Machine): string {
  const { providerID = '' } = spec ?? {};
  return (status?.providerID ?? providerID) === providerID ? providerID : '';
}

/** The id and the addresses count once the provider has reported the instance: a machine that a user gives the id of another one neither gets its Node,
 *  which would be drained and deleted with it, nor keeps it from the machine that it belongs to. */
function claimsOf(machine: Machine): readonly string[] {
  if (!isTrue(machine, 'InstanceExists')) return [];
  const addresses = (machine.status?.addresses ?? []).filter(({ type }) => type === 'InternalIP');
  const id = claimedId(machine);
  return [...(id === '' ? [] : [`id ${id}`]), ...addresses.map(({ address }) => `address ${address}`)];
}

function keysOfMachine(object: KubeObject): readonly string[] {
  return [...claimsOf(parseMachine(object)), ...(nodeNameOf(object) === '' ? [] : [`node ${nodeNameOf(object)}`])];
}

function keysOfNode(node: KubeObject): readonly string[] {
  const id = providerIdOf(node);
  return [...(id === '' ? [] : [`id ${id}`]), ...internalAddresses(node).map((address) => `address ${address}`)];
}

/** Whether another machine has this very Node. */
function isOfAnother({ machinesBy }: LinkContext, machine: KubeObject | undefined, { metadata }: KubeObject): boolean {
  const owners = machinesBy.get(`node ${metadata.name ?? ''}`).filter((one) => one !== machine);
  return owners.some((one) => parseMachine(one).status?.nodeRef?.uid === metadata.uid);
}

/** The machine of the Node: by the id of the instance, else by an internal address; undefined unless there is exactly one. A node reports its addresses
 *  itself: one that is the Node of a machine becomes that of no other by them, which would give it the labels of that one. */
function machineOf(context: LinkContext, node: KubeObject): KubeObject | undefined {
  const id = providerIdOf(node);
  const byId = id === '' ? [] : context.machinesBy.get(`id ${id}`);
  const byAddress = internalAddresses(node).flatMap((address) => context.machinesBy.get(`address ${address}`));
  const found = byId.length > 0 ? byId : byAddress;
  const [machine] = found;
  if (new Set(found).size !== 1) return undefined;
  return byId.length === 0 && isOfAnother(context, machine, node) ? undefined : machine;
}

/** A machine keeps the Node that it has while that one exists: a Node that claims its id later does not take its place. */
function hasOther(context: LinkContext, machine: Machine, node: KubeObject): boolean {
  const { name = '', uid } = machine.status?.nodeRef ?? {};
  if (name === '' || name === node.metadata.name) return false;
  const present = context.nodes.get(name);
  return present !== undefined && (uid === undefined || present.metadata.uid === uid);
}

function taintsOf({ spec }: KubeObject): readonly JsonObject[] {
  const { taints } = isJsonObject(spec) ? spec : ({} as JsonObject);
  return Array.isArray(taints) ? taints.filter(isJsonObject) : [];
}

/** Both lists may have tens of thousands. */
function missingTaints({ spec }: Machine, present: readonly JsonObject[]): readonly JsonObject[] {
  const known = new Set(present.map(({ key, effect }) => JSON.stringify([key, effect])));
  const taints = (spec?.taints ?? []) as unknown as readonly JsonObject[];
  return taints.filter(({ key, effect }) => !known.has(JSON.stringify([key, effect])));
}

/** What the machine adds to its Node; undefined if the Node has it. Taints are compared by key and effect, and none is removed. */
function nodePatch(machine: Machine, node: KubeObject): JsonObject | undefined {
  const { namespace = '', name } = machine.metadata;
  const given = machine.spec?.metadata ?? {};
  const desired = { ...given.annotations, [machineAnnotations.machineOfNode]: `${namespace}/${name}` };
  const missing = (
    all: Readonly<Record<string, string>> = {},
    has: Readonly<Record<string, string>> = {},
  ): JsonObject => Object.fromEntries(Object.entries(all).filter(([key, value]) => has[key] !== value));
  const labels = missing(given.labels, node.metadata.labels);
  const annotations = missing(desired, node.metadata.annotations);
  const present = taintsOf(node);
  const added = missingTaints(machine, present);
  if (added.length === 0 && Object.keys(labels).length === 0 && Object.keys(annotations).length === 0) return undefined;
  const taints = [...present, ...added];
  const metadata = { ...preconditionOf(node), labels, annotations };
  return { metadata, ...(added.length === 0 ? {} : { spec: { taints } }) };
}

async function setNodeRef(
  context: LinkContext,
  { machine, node }: { readonly machine: KubeObject; readonly node: KubeObject },
  signal: AbortSignal,
): Promise<void> {
  const nodeRef = { kind: 'Node', name: node.metadata.name ?? '', uid: node.metadata.uid ?? '' };
  const status = { nodeRef, lastUpdated: formatTimestamp(context.clock.now()) };
  const options = { fieldManager, subresource: 'status', signal } as const;
  try {
    const written = await context.kube.patch(refOf(machine), { metadata: preconditionOf(machine), status }, options);
    context.machines.wrote(written);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

const link: Step<LinkRun> = async (run, { signal }) => {
  const { context, object: node } = run;
  const found = machineOf(context, node);
  if (found === undefined || node.metadata.deletionTimestamp !== undefined) return;
  const machine = parseMachine(found);
  if (hasOther(context, machine, node)) return;
  const { name, uid } = machine.status?.nodeRef ?? {};
  if (name !== node.metadata.name || uid !== node.metadata.uid)
    await setNodeRef(context, { machine: found, node }, signal);
  const patch = nodePatch(machine, node);
  if (patch === undefined) return;
  context.nodes.wrote(await context.kube.patch(refOf(node), patch, { fieldManager, signal }));
};

/** Links machines and Nodes, and copies labels, annotations and taints of a machine to its Node.
 *  @see docs/spec/machine-lifecycle.md#21-fields */
export const nodeLinkController: ControllerDefinition<LinkContext, LinkRun> = defineController({
  name: 'nodelink',
  for: nodeTarget,
  watches: ({ nodesBy }) => [
    {
      target: machineResource,
      requestsFor: ({ after }) =>
        after === undefined ? [] : keysOfMachine(after).flatMap((key) => nodesBy.get(key).map(namespacedName)),
    },
  ],
  begin: (context, object) => ({ context, object }),
  steps: [link],
  permissions: {
    cluster: [
      { apiGroups: ['machine.openshift.io'], resources: ['machines'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['machine.openshift.io'], resources: ['machines/status'], verbs: ['patch'] },
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'patch'] },
    ],
  },
});

/** Adds the controller that links machines and Nodes. */
export function addNodeLink(manager: Manager): void {
  const { kube, clock } = manager;
  const [nodes, machines] = [manager.cache(nodeTarget), manager.cache(machineResource)];
  const context: LinkContext = {
    kube,
    clock,
    nodes,
    machines,
    machinesBy: indexCache(machines, keysOfMachine),
    nodesBy: indexCache(nodes, keysOfNode),
  };
  manager.add(nodeLinkController, { context, workers: 2 });
}
