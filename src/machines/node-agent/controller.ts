import { machineConfigPoolResource, nodeUpdateAnnotations } from '../../api/index.ts';
import { type ControllerDefinition, defineController, type Manager, type Watch } from '../../controller/index.ts';
import type { KindCache, KubeObject } from '../../kube/index.ts';
import { poolOfNode, readPools } from '../machine-config-pool/membership.ts';
import { advanceAgent } from './agent.ts';
import { type AgentContext, type AgentRun, annotationOf } from './context.ts';
import type { NodeHost } from './host.ts';

const keys = nodeUpdateAnnotations;

export interface NodeAgentOptions {
  /** The one node that this agent works on; by default all that have a host. */
  readonly nodeName?: string;
  /** The host of a Node; undefined where another agent works. */
  readonly hostOf: (node: KubeObject) => NodeHost | undefined;
}

/** The configuration that all nodes of the pool have; of a pool that never completed an update, or replaces machines, its target. */
function firstConfigOf(node: KubeObject, pools: KindCache): string | undefined {
  const pool = poolOfNode(node, readPools({ pools }));
  if (pool === undefined) return undefined;
  const { configuration: target, rollout } = pool.spec;
  // A machine that replaces another one must not be replaced in turn.
  const reached = rollout?.action === 'MachineReplace' ? undefined : pool.status?.configuration?.name;
  return (reached ?? target?.name) || undefined;
}

function watchesOf({ nodes }: AgentContext): readonly Watch[] {
  const waiting = () =>
    nodes.values().flatMap((node) => {
      const isNew = annotationOf(node, keys.currentConfig) === '';
      return isNew ? [{ namespace: '', name: node.metadata.name ?? '' }] : [];
    });
  return [{ target: machineConfigPoolResource, requestsFor: waiting }];
}

const nodeTarget = { apiVersion: 'v1', kind: 'Node' } as const;

/** Brings nodes to the configuration that their pools want. Runs on each node, and for simulated nodes beside the controllers. */
export const nodeAgentController: ControllerDefinition<AgentContext, AgentRun> = defineController({
  name: 'node-agent',
  for: nodeTarget,
  watches: watchesOf,
  begin: (context, object) => {
    const host = context.hostOf(object);
    return host === undefined ? undefined : { context, object, host };
  },
  steps: [
    async (run, { signal }) => {
      await advanceAgent(run, signal);
      return undefined;
    },
  ],
  forget: ({ waits, reboots }, { name }) => {
    waits.delete(name);
    reboots.delete(name);
  },
  permissions: {
    cluster: [
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: ['machineconfiguration.openshift.io'], resources: ['machineconfigs'], verbs: ['get'] },
      {
        apiGroups: ['machineconfiguration.openshift.io'],
        resources: ['machineconfigpools'],
        verbs: ['get', 'list', 'watch'],
      },
    ],
  },
  isOptional: true,
});

/** Adds the agent of one node, or of all nodes that have a host here. */
export function addNodeAgent(manager: Manager, { nodeName, hostOf }: NodeAgentOptions): void {
  const { kube, clock } = manager;
  const target = nodeName === undefined ? nodeTarget : { ...nodeTarget, fieldSelector: `metadata.name=${nodeName}` };
  const pools = manager.cache(machineConfigPoolResource);
  const context: AgentContext = {
    kube,
    clock,
    nodes: manager.cache(target),
    events: manager.eventRecorder('machineconfigdaemon'),
    hostOf,
    firstConfigOf: (node) => firstConfigOf(node, pools),
    waits: new Map(),
    reboots: new Map(),
  };
  manager.add({ ...nodeAgentController, for: target }, { context, workers: 10 });
}
