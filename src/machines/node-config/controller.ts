import { clusterOperatorResource, type MachineConfigPool, machineConfigPoolResource } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  StatusWriter,
  type Step,
  type Watch,
} from '../../controller/index.ts';
import type { KindCache, KubeClient } from '../../kube/index.ts';
import { readPools } from '../machine-config-pool/membership.ts';
import { nodeConfigReport } from './report.ts';

/** The ClusterOperator by which an update of the cluster waits for its nodes. It belongs to the release that has it. */
const operatorName = 'node-config';

interface NodeConfigContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly operators: KindCache;
  readonly pools: KindCache;
  /** Version of the release that this program belongs to. */
  readonly version: string;
}

interface NodeConfigRun extends ReconcileRun {
  readonly context: NodeConfigContext;
  readonly status: StatusWriter;
}

const fieldManager = 'longshore-node-config';

const report: Step<NodeConfigRun> = async (run) => {
  await Promise.resolve();
  const { context } = run;
  const pools: readonly MachineConfigPool[] = readPools(context);
  const { conditions, isControlPlaneUpdated } = nodeConfigReport(pools);
  run.status.set(run, conditions);
  // An update waits for this version: the control plane has its configuration then, other pools go on after it.
  if (isControlPlaneUpdated) run.status.setFields(run, { versions: [{ name: 'operator', version: context.version }] });
  const related = pools.map(({ metadata: { name } }) => ({
    group: 'machineconfiguration.openshift.io',
    resource: 'machineconfigpools',
    name,
  }));
  run.status.setFields(run, { relatedObjects: related });
};

function watchesOf(): readonly Watch[] {
  return [{ target: machineConfigPoolResource, requestsFor: () => [{ namespace: '', name: operatorName }] }];
}

/** Reports how far the nodes of the cluster are, for the engine of cluster updates.
 *  @see docs/spec/machine-lifecycle.md#generic-node-updater */
export const nodeConfigController: ControllerDefinition<NodeConfigContext, NodeConfigRun> = defineController({
  name: 'node-config',
  for: clusterOperatorResource,
  watches: watchesOf,
  gatherMs: 500,
  begin: (context, object) => {
    if (object.metadata.name !== operatorName) return undefined;
    const { kube, clock, operators: cache } = context;
    return {
      context,
      object,
      status: new StatusWriter(object, { kube, clock, cache, fieldManager, hasGenerations: false }),
    };
  },
  steps: [report],
  permissions: {
    cluster: [
      { apiGroups: ['config.openshift.io'], resources: ['clusteroperators'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['config.openshift.io'], resources: ['clusteroperators/status'], verbs: ['patch'] },
      {
        apiGroups: ['machineconfiguration.openshift.io'],
        resources: ['machineconfigpools'],
        verbs: ['get', 'list', 'watch'],
      },
    ],
  },
  isOptional: true,
});

/** Adds the controller of the ClusterOperator `node-config`, which is reported on where a release has it. */
export function addNodeConfig(manager: Manager, { version }: { readonly version: string }): void {
  const { kube, clock } = manager;
  const [operators, pools] = [manager.cache(clusterOperatorResource), manager.cache(machineConfigPoolResource)];
  manager.add(nodeConfigController, { context: { kube, clock, operators, pools, version }, workers: 1 });
}
