import { type Machine, machineResource, parseMachine } from '../../../src/api/index.ts';
import { openKube } from '../../client/index.ts';
import { type OptionValues, printDocument } from '../../command/index.ts';
import { ageOf, formatTable } from '../../output/index.ts';
import type { machineOptions } from '../options.ts';
import { holderOf } from '../steps.ts';

const columns = ['NAME', 'PHASE', 'NODE', 'AGE', 'HELD BY'];

function rowOf(machine: Machine): readonly string[] {
  const { metadata, status } = machine;
  return [
    metadata.name,
    status?.phase ?? '',
    status?.nodeRef?.name ?? '',
    ageOf(metadata.creationTimestamp ?? '', Date.now()),
    holderOf(machine),
  ];
}

/** `longshore machine list` */
export async function machineList(values: OptionValues<typeof machineOptions>): Promise<number> {
  using kube = await openKube(values);
  const { namespace } = values;
  const { items } = await kube.list({ ...machineResource, namespace });
  printDocument(values, items, () =>
    items.length === 0 ? '' : formatTable(columns, items.map(parseMachine).map(rowOf)),
  );
  if (items.length === 0 && values.output === 'text') {
    process.stderr.write(`no machines in namespace ${namespace}\n`);
  }
  return 0;
}
