import {
  type MachineConfigPool,
  machineConfigPoolResource,
  nodeUpdateAnnotations,
  parseMachineConfigPool,
} from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, NoKindMatch } from '../../src/kube/index.ts';
import { isUpdated, poolNode, poolOfNode, zoneInWork } from '../../src/machines/index.ts';

/** A node of a pool, as people see it. */
export interface ShownNode {
  readonly name: string;
  readonly zone: string;
  /** `Updated`, `Waiting`, `Draining`, `Updating`, `Rebooting`, `Degraded` or `Not ready`. */
  readonly phase: string;
  /** The configuration that it has. */
  readonly config: string;
  /** What it waits for, or what is wrong. */
  readonly message: string;
}

/** A pool with its nodes. */
export interface ShownPool {
  readonly object: KubeObject;
  readonly pool: MachineConfigPool;
  readonly target: string;
  /** The zone that is being updated, where zones go one after the other; else empty. */
  readonly zone: string;
  readonly nodes: readonly ShownNode[];
}

function phaseOf(node: KubeObject, target: string): Pick<ShownNode, 'phase' | 'message'> {
  const facts = poolNode(node);
  const note = (key: string): string => node.metadata.annotations?.[key] ?? '';
  const { desiredDrain, lastAppliedDrain, drainBlocked, postConfigAction } = nodeUpdateAnnotations;
  if (facts.isDegraded) return { phase: 'Degraded', message: facts.reason };
  if (isUpdated(facts, target)) {
    const { unreadiness } = facts;
    return unreadiness === undefined ? { phase: 'Updated', message: '' } : { phase: 'Not ready', message: unreadiness };
  }
  if (facts.current === '') return { phase: 'New', message: 'no agent has reported yet' };
  if (facts.desired !== target) return { phase: 'Waiting', message: facts.unreadiness ?? '' };
  const isDraining = note(desiredDrain).startsWith('drain-') && note(desiredDrain) !== note(lastAppliedDrain);
  if (isDraining) return { phase: 'Draining', message: note(drainBlocked) };
  return { phase: note(postConfigAction) === 'Rebooting' ? 'Rebooting' : 'Updating', message: '' };
}

function shownNode(node: KubeObject, target: string): ShownNode {
  const { name, zone = '', current } = poolNode(node);
  return { name, zone, config: current, ...phaseOf(node, target) };
}

function shownPool(object: KubeObject, pools: readonly MachineConfigPool[], nodes: readonly KubeObject[]): ShownPool {
  const pool = parseMachineConfigPool(object);
  const target = pool.spec.configuration?.name ?? '';
  const own = nodes.filter((node) => poolOfNode(node, pools)?.metadata.name === pool.metadata.name);
  const shown = own.map((node) => shownNode(node, target)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const { zoneByZone = false, order } = pool.spec.rollout ?? {};
  const isOpen = shown.some(({ phase }) => phase !== 'Updated');
  const facts = { nodes: own.map((node) => poolNode(node)), target, zoneByZone, order };
  return { object, pool, target, zone: zoneByZone && isOpen ? (zoneInWork(facts) ?? '') : '', nodes: shown };
}

/** All pools of the cluster. A cluster without the kind has none. */
export async function readPools(kube: KubeClient): Promise<readonly ShownPool[]> {
  try {
    const { items } = await kube.list(machineConfigPoolResource);
    const { items: nodes } = await kube.list({ apiVersion: 'v1', kind: 'Node' });
    const pools = items.map(parseMachineConfigPool);
    return items.map((object) => shownPool(object, pools, nodes));
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return [];
    throw thrown;
  }
}

/** One pool.
 *  @throws TerminalError PoolNotFound */
export async function readPool(kube: KubeClient, name: string): Promise<ShownPool> {
  const pools = await readPools(kube);
  const found = pools.find(({ pool }) => pool.metadata.name === name);
  if (found !== undefined) return found;
  const others = pools.map(({ pool }) => pool.metadata.name).join(', ');
  const hint = others === '' ? 'the cluster has no pools' : `pools of the cluster: ${others}`;
  throw new TerminalError('PoolNotFound', `no MachineConfigPool "${name}"; ${hint}`);
}

/** Changes `spec.paused` of a pool.
 *  @throws TerminalError PoolNotFound */
export async function setPaused(kube: KubeClient, name: string, paused: boolean): Promise<KubeObject> {
  try {
    const ref = { ...machineConfigPoolResource, name };
    return await kube.patch(ref, { spec: { paused } }, { fieldManager: 'longshore-cli' });
  } catch (thrown) {
    if (!isNotFound(thrown) && !(thrown instanceof NoKindMatch)) throw thrown;
    const { object } = await readPool(kube, name);
    return object;
  }
}

/** A condition of a pool. */
export function conditionOf({ pool }: ShownPool, type: string): { readonly status: string; readonly message: string } {
  const found = pool.status?.conditions?.find((one) => one.type === type);
  return { status: found?.status ?? 'Unknown', message: found?.message ?? '' };
}

/** `3 of 5 nodes updated`, and how many do what. */
export function progressText({ nodes }: ShownPool): string {
  const count = (phase: string): number => nodes.filter((node) => node.phase === phase).length;
  const others = ['Draining', 'Updating', 'Rebooting', 'Waiting', 'Not ready', 'Degraded', 'New'];
  const parts = others.filter((phase) => count(phase) > 0).map((phase) => `${count(phase)} ${phase.toLowerCase()}`);
  return [`${count('Updated')} of ${nodes.length} nodes updated`, ...parts].join(', ');
}
