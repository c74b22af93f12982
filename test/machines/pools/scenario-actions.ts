import type { JsonObject } from '../../../src/base/index.ts';
import {
  configObject,
  filesConfig,
  type PoolNodeOptions,
  poolNodeObject,
  poolObject,
} from '../../support/pool-cluster.ts';
import type { PoolAction, PoolScenario } from './scenario.ts';

/** Of the labels and annotations of pools. */
export const prefix = 'machineconfiguration.openshift.io/';
const json = (object: unknown): JsonObject => object as JsonObject;

/** The spec of a MachineConfig with a file of this text. */
export const file = (text: string): JsonObject => ({ config: filesConfig({ '/etc/a': text }) });
/** Creates a MachineConfig. */
export const config = (name: string, role: string, spec: JsonObject): PoolAction => ({
  create: json(configObject(name, role, spec)),
});
/** Creates a pool. */
export const pool = (name: string, spec: JsonObject = {}): PoolAction => ({ create: json(poolObject(name, spec)) });
/** Creates a node that has the first configuration. */
export const node = (name: string, options: PoolNodeOptions = {}): PoolAction => ({
  create: json(poolNodeObject(name, { current: '<1>', ...options })),
});
/** Creates nodes, `w1` and so on. */
export const nodes = (count: number, options: (index: number) => PoolNodeOptions = () => ({})): readonly PoolAction[] =>
  Array.from({ length: count }, (_, index) => node(`w${index + 1}`, options(index + 1)));
/** Changes a MachineConfig. */
export const change = (text: string, name = '00-worker'): PoolAction => ({
  patch: { kind: 'MachineConfig', name },
  merge: { spec: file(text) },
});
/** Annotates a node, as its agent does. */
export const annotate = (name: string, annotations: Readonly<Record<string, string | null>>): PoolAction => ({
  patch: { kind: 'Node', name },
  merge: {
    metadata: {
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [prefix + key, value])),
    },
  },
});
/** A node has reached a configuration. */
export const finish = (name: string, target: string): PoolAction =>
  annotate(name, { currentConfig: target, state: 'Done' });
/** Changes the spec of a pool. */
export const spec = (name: string, merge: JsonObject): PoolAction => ({
  patch: { kind: 'MachineConfigPool', name },
  merge: { spec: merge },
});
/** Changes whether a node is ready. */
export const ready = (name: string, status: string): PoolAction => ({
  patch: { kind: 'Node', name },
  merge: { status: { conditions: [{ type: 'Ready', status }] } },
  subresource: 'status',
});
/** Waits until nothing changes, and records. */
export const rest = (label: string): PoolAction => ({ rest: label });
/** A pool of workers whose first configuration is rendered. */
export const begin = (poolSpec: JsonObject = {}): readonly PoolAction[] => [
  config('00-worker', 'worker', file('one')),
  pool('worker', poolSpec),
  rest('rendered'),
];

/** A scenario with the rows of the checklist that it plays. */
export function scenario(
  [id, title]: readonly [id: string, title: string],
  rows: readonly string[],
  actions: readonly PoolAction[],
): PoolScenario {
  return { id, title, rows, actions };
}
