import { type Machine, type MachineHealthCheck, machineAnnotations } from '../../api/index.ts';
import { parseGoDuration, remember } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { nodeConditions } from '../nodes.ts';

type Spec = NonNullable<MachineHealthCheck['spec']>;

/** How a machine is. `waiting`: it becomes unhealthy at that time unless something changes. */
export type MachineHealth =
  | { readonly state: 'healthy' }
  | { readonly state: 'waiting'; readonly untilMs: number }
  | { readonly state: 'unhealthy'; readonly why: string };

/** A duration as Go writes it; 0 for one that is not valid. */
export function durationMs(text: string): number {
  return Number(parseGoDuration(text) ?? 0n) / 1e6;
}

export interface HealthFacts {
  readonly machine: Machine;
  /** The Node of the machine; undefined if it does not exist. */
  readonly node: KubeObject | undefined;
  readonly nowMs: number;
}

const earliest = (times: readonly number[]): MachineHealth =>
  times.length === 0 ? { state: 'healthy' } : { state: 'waiting', untilMs: Math.min(...times) };

function startupHealth({ machine, nowMs }: HealthFacts, { nodeStartupTimeout = '10m' }: Spec): MachineHealth {
  const timeoutMs = durationMs(nodeStartupTimeout);
  const updatedMs = Date.parse(machine.status?.lastUpdated ?? '');
  // A negative one, which OpenShift accepts, would delete every machine that starts.
  if (timeoutMs <= 0 || Number.isNaN(updatedMs)) return { state: 'healthy' };
  const untilMs = updatedMs + timeoutMs;
  if (untilMs > nowMs) return { state: 'waiting', untilMs };
  return { state: 'unhealthy', why: `it has no node ${nodeStartupTimeout} after it was last updated` };
}

type UnhealthyCondition = NonNullable<Spec['unhealthyConditions']>[number];

const keyOf = ({ type, status }: Pick<UnhealthyCondition, 'type' | 'status'>): string => `${type}\n${status}`;

/** Of each condition the shortest timeout, which decides. A list may have thousands of entries, and is compared with every machine while others wait. */
const shortestTimeouts = remember((conditions: readonly UnhealthyCondition[]) => {
  const byKey = new Map<string, { readonly timeout: string; readonly ms: number }>();
  for (const condition of conditions) {
    const { timeout = '0s' } = condition;
    // One beyond the range of Go, which a schema does not refuse, is no reason to delete machines at once.
    if (parseGoDuration(timeout) === undefined) continue;
    const ms = durationMs(timeout);
    const known = byKey.get(keyOf(condition));
    if (known === undefined || ms < known.ms) byKey.set(keyOf(condition), { timeout, ms });
  }
  return byKey;
});

function nodeHealth(node: KubeObject, nowMs: number, { unhealthyConditions = [] }: Spec): MachineHealth {
  const timeouts = shortestTimeouts(unhealthyConditions);
  const times: number[] = [];
  for (const condition of nodeConditions(node)) {
    const { type, status, sinceMs } = condition;
    const found = timeouts.get(keyOf(condition));
    if (found === undefined) continue;
    const untilMs = (Number.isNaN(sinceMs) ? nowMs : sinceMs) + found.ms;
    if (untilMs <= nowMs)
      return { state: 'unhealthy', why: `condition ${type} of its node has been ${status} for ${found.timeout}` };
    times.push(untilMs);
  }
  return earliest(times);
}

/** How the machine is by the rules of a check.
 *  @see docs/spec/machine-lifecycle.md#7-machine-sets-and-health-checks-short */
export function healthOfMachine(facts: HealthFacts, spec: Spec): MachineHealth {
  const { machine, node, nowMs } = facts;
  if (machine.status?.phase === 'Failed') return { state: 'unhealthy', why: 'it has failed' };
  if (machine.status?.nodeRef === undefined) return startupHealth(facts, spec);
  if (node === undefined)
    return { state: 'unhealthy', why: `its node ${machine.status.nodeRef.name ?? ''} does not exist` };
  return nodeHealth(node, nowMs, spec);
}

/** How many machines may be unhealthy, of `total`. A value that is not valid allows none.
 *  @see docs/spec/machine-lifecycle.md#7-machine-sets-and-health-checks-short */
export function maxUnhealthyOf(value: number | string | undefined, total: number): number {
  if (value === undefined) return total;
  const [, digits = '', percent] = /^(\d+)(%?)$/.exec(String(value)) ?? [];
  if (digits === '') return 0;
  return percent === '%' ? Math.floor((total * Number(digits)) / 100) : Number(digits);
}

/** An update of a node takes hours; the pool notes two. */
const longestUpdateMs = 24 * 3_600_000;

/** Until when health checks leave the machine alone, because its node is being updated; undefined if they do not. The node itself may write its
 *  annotations: an end that is further away than an update takes is not one, and would hide a broken node.
 *  @see docs/spec/machine-lifecycle.md#7-machine-sets-and-health-checks-short */
export function updateEndMs(machine: Machine, node: KubeObject | undefined, nowMs: number): number | undefined {
  const key = machineAnnotations.nodeUpdateInProgress;
  const [ofMachine, ofNode] = [machine, node].map((object) => Date.parse(object?.metadata.annotations?.[key] ?? ''));
  if (ofMachine !== undefined && !Number.isNaN(ofMachine)) return ofMachine;
  return ofNode !== undefined && ofNode - nowMs <= longestUpdateMs ? ofNode : undefined;
}
