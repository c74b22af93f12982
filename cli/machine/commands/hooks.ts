import { type Machine, machineAnnotations, machineResource, parseMachine } from '../../../src/api/index.ts';
import { printable, TerminalError } from '../../../src/base/index.ts';
import { type KubeClient, type KubeObject, preconditionOf } from '../../../src/kube/index.ts';
import { openKube } from '../../client/index.ts';
import { type OptionValues, printDocument } from '../../command/index.ts';
import { confirm, formatTable } from '../../output/index.ts';
import type { hooksOptions } from '../options.ts';

const columns = ['MACHINE', 'STAGE', 'HOOK', 'OWNER', 'STATE'];

interface HookRow {
  readonly machine: string;
  readonly stage: 'preDrain' | 'preTerminate';
  readonly hook: string;
  readonly owner: string;
  readonly state: string;
}

function stateOf({ metadata, status }: Machine, stage: HookRow['stage']): string {
  if (metadata.deletionTimestamp === undefined) return '';
  const drained = status?.conditions?.find(({ type, status: state }) => type === 'Drained' && state === 'True');
  if (stage === 'preDrain') return `holds the drain since ${metadata.deletionTimestamp}`;
  return drained === undefined ? 'waits for the drain' : `holds the end since ${drained.lastTransitionTime}`;
}

function rowsOf(machine: Machine): readonly HookRow[] {
  return (['preDrain', 'preTerminate'] as const).flatMap((stage) =>
    (machine.spec?.lifecycleHooks?.[stage] ?? []).map(({ name, owner }) => ({
      machine: machine.metadata.name,
      stage,
      hook: name,
      owner,
      state: stateOf(machine, stage),
    })),
  );
}

/** The hook is removed by the controller, which records an Event.
 *  @throws TerminalError HookNotFound, NotDeleting */
async function remove(kube: KubeClient, object: KubeObject, values: OptionValues<typeof hooksOptions>): Promise<void> {
  const machine = parseMachine(object);
  const { remove: hook = '', namespace } = values;
  const { name, deletionTimestamp } = machine.metadata;
  const found = rowsOf(machine).find((row) => row.hook === hook);
  if (found === undefined) throw new TerminalError('HookNotFound', `machine ${name} has no hook ${hook}`);
  if (deletionTimestamp === undefined) {
    const text = `machine ${name} is not being deleted: ${found.owner} would add the hook ${hook} again. Uninstall that program instead`;
    throw new TerminalError('NotDeleting', text);
  }
  if (!values.yes) {
    const about = `The hook ${hook} of ${found.owner} has not done its work: what it protects may be lost.\n`;
    const unasked = `machine hooks would remove ${hook}, and there is no terminal to ask on: confirm with --yes. Nothing was changed`;
    await confirm({ about, text: 'Remove it?', unasked });
  }
  const metadata = { ...preconditionOf(object), annotations: { [machineAnnotations.forceHookRemoval]: hook } };
  await kube.patch({ ...machineResource, namespace, name }, { metadata }, { fieldManager: 'longshore' });
  process.stdout.write(printable(`hook ${hook} of ${found.owner} is removed from machine ${name}\n`));
}

/** `longshore machine hooks [NAME]` */
export async function machineHooks(
  values: OptionValues<typeof hooksOptions>,
  [name]: readonly [string?],
): Promise<number> {
  using kube = await openKube(values);
  const { namespace } = values;
  if (name === undefined) {
    if (values.remove !== undefined)
      throw new TerminalError('InvalidOption', '--remove: expected the NAME of a machine');
    const rows = (await kube.list({ ...machineResource, namespace })).items.map(parseMachine).flatMap(rowsOf);
    print(values, rows);
    return 0;
  }
  const object = await kube.get({ ...machineResource, namespace, name });
  if (values.remove === undefined) print(values, rowsOf(parseMachine(object)));
  else await remove(kube, object, values);
  return 0;
}

function print(values: OptionValues<typeof hooksOptions>, rows: readonly HookRow[]): void {
  const cells = rows.map(({ machine, stage, hook, owner, state }) => [machine, stage, hook, owner, state]);
  printDocument(values, rows, () => (rows.length === 0 ? 'no hooks\n' : formatTable(columns, cells)));
}
