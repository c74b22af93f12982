import { type ClusterOperator, clusterOperatorResource } from '../../../src/api/index.ts';
import { printable, TerminalError } from '../../../src/base/index.ts';
import type { KubeClient } from '../../../src/kube/index.ts';
import { listServed, openKube } from '../../client/index.ts';
import { type documentOption, type kubeconfigOption, type OptionValues, printDocument } from '../../command/index.ts';
import { type ClusterVersionView, conditionOf, readClusterVersion } from '../cluster-version.ts';
import type { statusOptions } from '../options.ts';
import { assessControlPlane, type ControlPlane, controlPlaneText } from '../status/control-plane.ts';
import { healthText } from '../status/insight.ts';
import { assessPools, type Pools, poolsText, readPools } from '../status/pools.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof statusOptions & typeof documentOption>;

async function readOperators(kube: KubeClient): Promise<readonly ClusterOperator[]> {
  const { apiVersion, kind } = clusterOperatorResource;
  return (await listServed(kube, { apiVersion, kind })) as unknown as readonly ClusterOperator[];
}

interface Status {
  readonly view: ClusterVersionView;
  readonly plane: ControlPlane;
  readonly pools: Pools;
  readonly nowMs: number;
}

function statusText({ view, plane, pools, nowMs }: Status, details: Values['details']): string {
  const isDetailed = (section: Values['details']): boolean => details === 'all' || details === section;
  const isUpdating = conditionOf(view, 'Progressing')?.status === 'True';
  if (!isUpdating && !pools.isOutdated) return 'The cluster is not updating.\n';
  const [latest] = view.history;
  const startedMs = Date.parse(latest?.startedTime ?? '') || nowMs;
  return [
    controlPlaneText(plane, view, { isDetailed: isDetailed('operators'), nowMs }),
    poolsText(pools, isDetailed('nodes')),
    '\n',
    healthText([...pools.insights, ...plane.insights], { isDetailed: isDetailed('health'), nowMs, startedMs }),
  ].join('');
}

function documentOf({ view, plane, pools }: Status): Readonly<Record<string, unknown>> {
  const { insights, updating, ...controlPlane } = plane;
  const { insights: ofPools, ...nodePools } = pools;
  return {
    isUpdating: conditionOf(view, 'Progressing')?.status === 'True',
    controlPlane: { ...controlPlane, updating: updating.map(({ name, condition }) => ({ name, ...condition })) },
    progress: view.progress ?? null,
    nodePools: nodePools.pools,
    insights: [...ofPools, ...insights],
  };
}

/** `longshore upgrade status` */
export async function status(values: Values): Promise<number> {
  using kube = await openKube(values);
  const view = await readClusterVersion(kube);
  if (conditionOf(view, 'Progressing') === undefined) {
    const text = 'no current Progressing info, see `kubectl describe clusterversion` for more details.';
    throw new TerminalError('NoProgress', text);
  }
  const nowMs = Date.now();
  const plane = assessControlPlane(view, await readOperators(kube), nowMs);
  const pools = assessPools(await readPools(kube), view);
  const all = { view, plane, pools, nowMs };
  printDocument(values, documentOf(all), () => printable(statusText(all, values.details)));
  return 0;
}
