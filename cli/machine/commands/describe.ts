import { type Machine, machineResource, parseMachine } from '../../../src/api/index.ts';
import { printable } from '../../../src/base/index.ts';
import { openKube } from '../../client/index.ts';
import { type OptionValues, printDocument } from '../../command/index.ts';
import type { machineOptions } from '../options.ts';
import { deletionSteps } from '../steps.ts';

const marks = { done: '✓', held: '✗', waiting: '·' } as const;

function linesOf({ metadata, spec, status }: Machine): readonly string[] {
  const { phase = 'not reconciled yet', nodeRef, errorMessage, errorReason = '' } = status ?? {};
  const facts = [
    ['Name', `${metadata.namespace ?? ''}/${metadata.name}`],
    ['Phase', phase],
    ['Node', nodeRef?.name ?? 'none'],
    ['Instance', spec?.providerID ?? 'none'],
    ['Error', errorMessage === undefined ? '' : `${errorReason} ${errorMessage}`.trim()],
  ];
  return facts.flatMap(([title = '', text = '']) => (text === '' ? [] : [`${`${title}:`.padEnd(10)}${text}`]));
}

function describe(machine: Machine): string {
  const steps = deletionSteps(machine).map(({ title, state, why }) => {
    return `  ${marks[state]} ${title}${why === undefined ? '' : `: ${why}`}`;
  });
  const { preDrain = [], preTerminate = [] } = machine.spec?.lifecycleHooks ?? {};
  const hooks = [
    ...preDrain.map(({ name, owner }) => `  preDrain      ${name} of ${owner}`),
    ...preTerminate.map(({ name, owner }) => `  preTerminate  ${name} of ${owner}`),
  ];
  const shownHooks = hooks.length === 0 ? [] : ['', 'Hooks:', ...hooks];
  const isDeleting = machine.metadata.deletionTimestamp !== undefined;
  const shownSteps = isDeleting ? ['', 'Deletion:', ...steps] : [];
  return `${[...linesOf(machine), ...shownHooks, ...shownSteps].join('\n')}\n`;
}

/** `longshore machine describe NAME` */
export async function machineDescribe(
  values: OptionValues<typeof machineOptions>,
  [name]: readonly [string],
): Promise<number> {
  using kube = await openKube(values);
  const object = await kube.get({ ...machineResource, namespace: values.namespace, name });
  const machine = parseMachine(object);
  printDocument(values, { machine: object, deletion: deletionSteps(machine) }, () => printable(describe(machine)));
  return 0;
}
