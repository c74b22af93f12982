import {
  type MachineConfigPool,
  machineConfigPoolResource,
  nodeUpdateAnnotations,
  poolNames,
  rolloutGates,
} from '../../../src/api/index.ts';
import { TerminalError } from '../../../src/base/index.ts';
import { preconditionOf } from '../../../src/kube/index.ts';
import { withSkippedGate } from '../../../src/machines/index.ts';
import { openKube } from '../../client/index.ts';
import { type OptionValues, printDocument } from '../../command/index.ts';
import type { poolOptions } from '../options.ts';
import { readPool } from '../read.ts';

function gatesOf({ spec, metadata }: MachineConfigPool): readonly string[] {
  const { canary, maintenanceWindows = [], gates = {} } = spec.rollout ?? {};
  const present: readonly (readonly [gate: string, isPresent: boolean])[] = [
    [rolloutGates.canary, canary !== undefined],
    [rolloutGates.window, maintenanceWindows.length > 0],
    [rolloutGates.daemonSets, gates.daemonSetsReady === true],
    [rolloutGates.budgets, gates.disruptionBudgets === true],
    [rolloutGates.etcd, metadata.name === poolNames.master],
  ];
  const named = present.filter(([, isPresent]) => isPresent).map(([gate]) => gate);
  return [...named, ...(gates.checks ?? []).map(({ name }) => name)];
}

/** `longshore pool skip NAME GATE` */
export async function poolSkip(
  values: OptionValues<typeof poolOptions>,
  [name, gate]: readonly [string, string],
): Promise<number> {
  using kube = await openKube(values);
  const { pool, object, target } = await readPool(kube, name);
  const gates = gatesOf(pool);
  if (!gates.includes(gate)) {
    const hint = gates.length === 0 ? 'it has none that can be skipped' : `it has ${gates.join(', ')}`;
    throw new TerminalError('NoSuchGate', `pool ${name} has no gate "${gate}"; ${hint}`);
  }
  if (target === '')
    throw new TerminalError('NoTarget', `pool ${name} has no configuration yet: there is nothing to skip`);
  const annotations = { [nodeUpdateAnnotations.skipGates]: withSkippedGate(pool, gate) };
  // The annotation is as it was read, or the command is to be run again.
  const metadata = { ...preconditionOf(object), annotations };
  const ref = { ...machineConfigPoolResource, name };
  const written = await kube.patch(ref, { metadata }, { fieldManager: 'longshore-cli' });
  printDocument(values, written, () => `pool ${name} goes on to ${target} without ${gate}\n`);
  return 0;
}
