import { type MachineConfigPool, parseMachineConfigPool, poolNames } from '../../api/index.ts';
import { isSelected, type LabelSelector, TerminalError } from '../../base/index.ts';
import type { KindCache, KubeObject } from '../../kube/index.ts';

const windows = 'windows';
const osLabel = 'kubernetes.io/os';

/** Whether a selector has no requirement: it selects nothing, not everything. */
export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

function isMember({ spec }: MachineConfigPool, labels: Readonly<Record<string, string>>): boolean {
  const selector = spec.nodeSelector as LabelSelector | undefined;
  return selector !== undefined && !isEmptySelector(selector) && isSelected(selector, labels);
}

function isCustom({ metadata: { name } }: MachineConfigPool): boolean {
  return name !== poolNames.master && name !== poolNames.worker;
}

/** All pools that can be read. */
export function readPools({ pools }: { readonly pools: KindCache }): readonly MachineConfigPool[] {
  return pools.values().flatMap((object) => {
    try {
      return [parseMachineConfigPool(object)];
    } catch {
      return [];
    }
  });
}

/** The pools of a node, that which updates it first: `master`, then a custom pool, then `worker`. None for Windows.
 *  @throws TerminalError SeveralPools, InvalidSelector
 *  @see docs/spec/machine-lifecycle.md#objects */
export function poolsOfNode(node: KubeObject, pools: readonly MachineConfigPool[]): readonly MachineConfigPool[] {
  const { name: nodeName = '', labels = {} } = node.metadata;
  if (labels[osLabel] === windows) return [];
  const own = pools.filter((pool) => isMember(pool, labels));
  const custom = own.filter(isCustom);
  if (custom.length > 1) {
    const message = `node ${nodeName} belongs to ${custom.length} custom roles, cannot proceed with this Node`;
    throw new TerminalError('SeveralPools', message);
  }
  const named = (name: string): MachineConfigPool | undefined => own.find(({ metadata }) => metadata.name === name);
  const [master, worker] = [named(poolNames.master), named(poolNames.worker)];
  if (custom.length === 0) return [master ?? worker].filter((pool) => pool !== undefined);
  return [master ?? custom[0], worker].filter((pool) => pool !== undefined);
}

/** The pool that updates the node; undefined where there is none, or several that contradict each other. */
export function poolOfNode(node: KubeObject, pools: readonly MachineConfigPool[]): MachineConfigPool | undefined {
  try {
    return poolsOfNode(node, pools)[0];
  } catch {
    return undefined;
  }
}
