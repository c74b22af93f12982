import { type ClusterOperatorConditionType, type MachineConfigPool, poolNames } from '../../api/index.ts';

interface ReportedCondition {
  readonly type: ClusterOperatorConditionType;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** What a ClusterOperator reports about the nodes of all pools. */
export interface NodeConfigReport {
  readonly conditions: readonly ReportedCondition[];
  /** The control plane has its configuration, or the cluster has no pool of it. */
  readonly isControlPlaneUpdated: boolean;
}

function isTrue({ status }: MachineConfigPool, type: string): boolean {
  return status?.conditions?.some((one) => one.type === type && one.status === 'True') === true;
}

/** Whether the pool has its target: a status from before a change does not count. */
function isUpdated(pool: MachineConfigPool): boolean {
  const target = pool.spec.configuration?.name ?? '';
  return isTrue(pool, 'Updated') && target !== '' && pool.status?.configuration?.name === target;
}

function namesOf(pools: readonly MachineConfigPool[]): string {
  return pools.map(({ metadata }) => metadata.name).join(', ');
}

/** Reports on pools: `Progressing` with the nodes that are updated, `Upgradeable` False while a pool is paused. */
export function nodeConfigReport(pools: readonly MachineConfigPool[]): NodeConfigReport {
  const sum = (key: 'machineCount' | 'updatedMachineCount'): number =>
    pools.reduce((all, { status }) => all + (status?.[key] ?? 0), 0);
  const open = pools.filter((pool) => !isUpdated(pool));
  const degraded = pools.filter((pool) => isTrue(pool, 'Degraded'));
  const paused = pools.filter(({ spec }) => spec.paused === true);
  const progress = `${sum('updatedMachineCount')} of ${sum('machineCount')} nodes updated`;
  const named = (list: readonly MachineConfigPool[], text: string): string =>
    list.length === 0 ? '' : `pools ${namesOf(list)} ${text}`;
  const condition = (
    type: ClusterOperatorConditionType,
    isSet: boolean,
    [reason, message]: readonly [string, string],
  ): ReportedCondition => ({
    type,
    status: isSet ? 'True' : 'False',
    reason,
    message,
  });
  const master = pools.find(({ metadata }) => metadata.name === poolNames.master);
  return {
    conditions: [
      condition('Available', true, ['AsExpected', progress]),
      condition(
        'Progressing',
        open.length > 0,
        open.length > 0 ? ['NodesUpdating', progress] : ['AsExpected', progress],
      ),
      condition(
        'Degraded',
        degraded.length > 0,
        degraded.length > 0 ? ['PoolsDegraded', named(degraded, 'are degraded')] : ['AsExpected', ''],
      ),
      condition(
        'Upgradeable',
        paused.length === 0,
        paused.length > 0 ? ['PoolsPaused', named(paused, 'are paused')] : ['AsExpected', ''],
      ),
    ],
    isControlPlaneUpdated: master === undefined || isUpdated(master),
  };
}
