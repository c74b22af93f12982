import {
  type MachineConfigPool,
  machineConfigPoolResource,
  machineConfigResource,
  nodeUpdateAnnotations,
  parseMachineConfigPool,
  poolNames,
} from '../../../src/api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';
import { type KubeClient, type KubeObject, NoKindMatch } from '../../../src/kube/index.ts';
import { poolOfNode } from '../../../src/machines/index.ts';
import type { ClusterVersionView } from '../cluster-version.ts';
import { tabbed } from '../tabbed.ts';
import type { Insight } from './insight.ts';

const keys = nodeUpdateAnnotations;

/** What the pools of a cluster consist of; all empty where there is no such kind. */
interface PoolObjects {
  readonly pools: readonly MachineConfigPool[];
  readonly configs: readonly KubeObject[];
  readonly nodes: readonly KubeObject[];
}

/** Reads the MachineConfigPools of a cluster, and the nodes. */
export async function readPools(kube: KubeClient): Promise<PoolObjects> {
  try {
    const { items: pools } = await kube.list(machineConfigPoolResource);
    const [configs, nodes] = await Promise.all([
      // Their content may be large; the version is an annotation.
      kube.list({ ...machineConfigResource, isMetadataOnly: true }),
      kube.list({ apiVersion: 'v1', kind: 'Node' }),
    ]);
    return { pools: pools.map(parseMachineConfigPool), configs: configs.items, nodes: nodes.items };
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return { pools: [], configs: [], nodes: [] };
    throw thrown;
  }
}

/** In the order in which nodes are listed. */
const assessments = ['Degraded', 'Unavailable', 'Progressing', 'Excluded', 'Outdated', 'Completed'] as const;
const phases = ['Draining', 'Updating', 'Rebooting', 'Paused', 'Pending', 'Updated'] as const;
type Assessment = (typeof assessments)[number];
type Phase = (typeof phases)[number];

interface PoolNode {
  readonly name: string;
  readonly assessment: Assessment;
  readonly phase: Phase;
  readonly version: string;
  readonly estimate: string;
  readonly message: string;
  readonly isUnavailable: boolean;
}

interface Pool {
  readonly name: string;
  readonly assessment: 'Completed' | 'Pending' | 'Degraded' | 'Excluded' | 'Progressing' | 'Empty';
  readonly updated: number;
  readonly nodes: readonly PoolNode[];
}

/** All pools, and what is wrong with them. */
export interface Pools {
  readonly pools: readonly Pool[];
  /** Nodes of a pool other than that of the control plane are not updated. */
  readonly isOutdated: boolean;
  readonly insights: readonly Insight[];
}

const byPhase: Readonly<Record<Phase, readonly [Assessment, string]>> = {
  Draining: ['Progressing', '+10m'],
  Updating: ['Progressing', '+5m'],
  Rebooting: ['Progressing', '+5m'],
  Paused: ['Excluded', '-'],
  Pending: ['Outdated', '?'],
  Updated: ['Completed', '-'],
};

interface NodeFacts {
  readonly node: KubeObject;
  readonly pool: MachineConfigPool;
  readonly versions: ReadonlyMap<string, string>;
  readonly target: string;
}

function annotation({ metadata }: KubeObject, name: string): string {
  return metadata.annotations?.[name] ?? '';
}

function updatingPhase(node: KubeObject): Phase {
  const [desired, applied] = [annotation(node, keys.desiredDrain), annotation(node, keys.lastAppliedDrain)];
  const state = annotation(node, keys.state);
  const isDraining = desired !== '' && applied !== '' && desired !== applied && desired.startsWith('drain-');
  if (isDraining || (desired !== '' && applied !== '' && state === 'Done')) return 'Draining';
  if (state === 'Rebooting' || annotation(node, keys.postConfigAction) === 'Rebooting') return 'Rebooting';
  // Done is of the old configuration: the agent has not begun.
  return 'Updating';
}

function phaseOf({ node, pool, versions, target }: NodeFacts): Phase {
  const [current, desired] = [annotation(node, keys.currentConfig), annotation(node, keys.desiredConfig)];
  if (versions.get(current) === target) return 'Updated';
  if (current !== desired && versions.get(desired) === target) return updatingPhase(node);
  return pool.spec.paused === true ? 'Paused' : 'Pending';
}

/** Why a node takes no work. */
function unavailability(node: KubeObject): string | undefined {
  const raw = node as unknown as JsonObject;
  const ready = objectsAt(objectAt(raw, 'status'), 'conditions').find((one) => textAt(one, 'type') === 'Ready');
  if (textAt(ready, 'status') !== 'True') return 'Not ready';
  return objectAt(raw, 'spec')?.['unschedulable'] === true ? 'Marked unschedulable' : undefined;
}

function assessNode(facts: NodeFacts): PoolNode {
  const { node, versions } = facts;
  const phase = phaseOf(facts);
  const [assessment, estimate] = byPhase[phase];
  const { name = '' } = node.metadata;
  const version = versions.get(annotation(node, keys.currentConfig)) ?? '';
  const problem = unavailability(node);
  const base = { name, phase, version, isUnavailable: problem !== undefined };
  const state = annotation(node, keys.state);
  const unknown = phase === 'Updated' ? '-' : '?';
  if (state === 'Degraded' || state === 'Unreconcilable') {
    return { ...base, assessment: 'Degraded', estimate: unknown, message: annotation(node, keys.reason) };
  }
  if (problem !== undefined && assessment !== 'Progressing') {
    return { ...base, assessment: 'Unavailable', estimate: unknown, message: problem };
  }
  return { ...base, assessment, estimate, message: '' };
}

function assessmentOf(nodes: readonly PoolNode[]): Pool['assessment'] {
  if (nodes.length === 0) return 'Empty';
  if (nodes.every(({ phase }) => phase === 'Updated')) return 'Completed';
  if (nodes.every(({ phase }) => phase === 'Pending')) return 'Pending';
  if (nodes.some(({ assessment }) => assessment === 'Degraded')) return 'Degraded';
  return nodes.some(({ phase }) => phase === 'Paused') ? 'Excluded' : 'Progressing';
}

function order(a: PoolNode, b: PoolNode): number {
  const byAssessment = assessments.indexOf(a.assessment) - assessments.indexOf(b.assessment);
  return byAssessment || phases.indexOf(a.phase) - phases.indexOf(b.phase) || (a.name < b.name ? -1 : 1);
}

function nodeInsights({ nodes }: Pool): Insight[] {
  return nodes.flatMap((node): Insight[] => {
    const { name, assessment, message } = node;
    const base = {
      sinceMs: undefined,
      description: message,
      object: `nodes: ${name}`,
      next: `kubectl describe node ${name}`,
    };
    if (assessment === 'Degraded') {
      return [{ ...base, level: 'Error', impact: 'Update Stalled', summary: `Node ${name} is degraded` }];
    }
    if (assessment !== 'Unavailable') return [];
    return [{ ...base, level: 'Warning', impact: 'Update Speed', summary: `Node ${name} is unavailable` }];
  });
}

function pausedInsights({ name, nodes }: Pool): Insight[] {
  if (!nodes.some(({ phase }) => phase === 'Paused')) return [];
  return [
    {
      sinceMs: undefined,
      level: 'Warning',
      impact: 'Update Stalled',
      summary: `Outdated nodes in a paused pool '${name}' will not be updated`,
      description:
        'Pool is paused, which stops all changes to the nodes in the pool, including updates. The nodes will not be updated until the pool is unpaused by the administrator.',
      object: `machineconfigpools.machineconfiguration.openshift.io: ${name}`,
      next: `kubectl describe machineconfigpool ${name}`,
    },
  ];
}

const controlPlane = poolNames.master;

/** Assesses the pools by the versions of the configuration that their nodes have. */
export function assessPools({ pools, configs, nodes }: PoolObjects, view: ClusterVersionView): Pools {
  const versions = new Map(
    configs.map((config) => [config.metadata.name ?? '', annotation(config, keys.releaseVersion)]),
  );
  const target = view.history[0]?.version ?? view.desired.version;
  const members = Map.groupBy(nodes, (node) => poolOfNode(node, pools)?.metadata.name);
  const assessed = pools.map((pool): Pool => {
    const { name } = pool.metadata;
    const own = (members.get(name) ?? []).map((node) => assessNode({ node, pool, versions, target })).toSorted(order);
    const updated = own.filter(({ phase }) => phase === 'Updated').length;
    return { name, assessment: assessmentOf(own), updated, nodes: own };
  });
  return {
    pools: assessed,
    isOutdated: assessed.some(({ name, updated, nodes: own }) => name !== controlPlane && updated < own.length),
    insights: assessed.flatMap((pool) => [...nodeInsights(pool), ...pausedInsights(pool)]),
  };
}

function poolRow({ name, assessment, updated, nodes }: Pool): readonly string[] {
  if (assessment === 'Empty') return [name, assessment, '', '0 Total'];
  const number = (isCounted: (node: PoolNode) => boolean): number => nodes.filter(isCounted).length;
  const texts = [
    `${number((node) => !node.isUnavailable)} Available`,
    `${number((node) => node.assessment === 'Progressing')} Progressing`,
    `${number(({ phase }) => phase === 'Draining')} Draining`,
  ];
  const more = {
    Excluded: number(({ phase }) => phase === 'Paused'),
    Degraded: number((node) => node.assessment === 'Degraded'),
  };
  for (const [word, count] of Object.entries(more)) if (count > 0) texts.push(`${count} ${word}`);
  const share = Math.round((updated / nodes.length) * 100);
  return [name, assessment, `${share}% (${updated}/${nodes.length})`, texts.join(', ')];
}

const shownNodes = 10;

function nodesTable(nodes: readonly PoolNode[], isDetailed: boolean): string {
  const isShown = ({ assessment }: PoolNode, index: number): boolean =>
    isDetailed || index < shownNodes || assessment === 'Degraded' || assessment === 'Unavailable';
  const shown = nodes.filter(isShown);
  const rows = shown.map(({ name, assessment, phase, version, estimate, message }) => {
    return [name, assessment, phase, version === '' ? '?' : version, estimate, message];
  });
  const header = ['NAME', 'ASSESSMENT', 'PHASE', 'VERSION', 'EST', 'MESSAGE'];
  const left = nodes.length - shown.length;
  const rest =
    left === 0 ? '' : `...\nOmitted additional ${left} nodes. Pass along --details=nodes to see all information.\n`;
  return `${tabbed([header, ...rows], { minWidth: 0, padding: 3 })}${rest}`;
}

/** The nodes of the control plane, and the section Worker Upgrade. */
export function poolsText({ pools }: Pools, isDetailed: boolean): string {
  const own = pools.find(({ name }) => name === controlPlane);
  const workers = pools.filter(({ name }) => name !== controlPlane);
  const [first] = own?.nodes ?? [];
  const ofControlPlane =
    own === undefined || first === undefined
      ? ''
      : own.assessment === 'Completed'
        ? `\nAll control plane nodes successfully updated to ${first.version}\n`
        : `\nControl Plane Nodes\n${nodesTable(own.nodes, isDetailed)}`;
  if (workers.every(({ nodes }) => nodes.length === 0)) return ofControlPlane;
  const header = ['WORKER POOL', 'ASSESSMENT', 'COMPLETION', 'STATUS'];
  const table = tabbed([header, ...workers.map(poolRow)], { minWidth: 0, padding: 3 });
  const each = workers.map(({ name, nodes }) =>
    nodes.length === 0 ? '' : `\nWorker Pool Nodes: ${name}\n${nodesTable(nodes, isDetailed)}`,
  );
  return `${ofControlPlane}\n= Worker Upgrade =\n\n${table}${each.join('')}`;
}
