import { setTimeout as pause } from 'node:timers/promises';
import { type LifecycleHook, type Machine, machineResource, parseMachine } from '../../../src/api/index.ts';
import { printableLine, TransientError } from '../../../src/base/index.ts';
import { findSame, type KubeClient, type KubeObject } from '../../../src/kube/index.ts';
import { openKube } from '../../client/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { confirm } from '../../output/index.ts';
import type { deleteOptions } from '../options.ts';
import { holderOf } from '../steps.ts';

const pollMs = 500;

function hooksOf({ spec }: Machine): readonly LifecycleHook[] {
  const { preDrain = [], preTerminate = [] } = spec?.lifecycleHooks ?? {};
  return [...preDrain, ...preTerminate];
}

function aboutOf(object: KubeObject): string {
  const machine = parseMachine(object);
  const { status } = machine;
  const hooks = hooksOf(machine).map(({ name, owner }) => `  waits for ${name} of ${owner}\n`);
  const node = status?.nodeRef?.name;
  const drained = node === undefined ? '' : `  drains the node ${node}\n`;
  return `The deletion of machine ${object.metadata.name ?? ''}:\n${drained}${hooks.join('')}  ends its instance\n`;
}

/** Prints what holds the deletion, whenever that changes.
 *  @throws TransientError DeadlineExceeded */
async function follow(kube: KubeClient, object: KubeObject, timeoutMs: number): Promise<void> {
  const { namespace = '', name = '', uid } = object.metadata;
  const endMs = Date.now() + timeoutMs;
  let shown = '';
  for (;;) {
    const found = await findSame(kube, { ...machineResource, namespace, name }, { uid });
    if (found === undefined) break;
    const holder = holderOf(parseMachine(found));
    if (holder !== shown && holder !== '') process.stderr.write(`${printableLine(holder)}\n`);
    shown = holder;
    if (Date.now() > endMs) {
      const text = `machine ${name} is not deleted after ${timeoutMs / 1000} s: ${holder}; it is being deleted all the same, see "longshore machine describe ${name}"`;
      throw new TransientError('DeadlineExceeded', text);
    }
    await pause(pollMs);
  }
}

/** `longshore machine delete NAME`: 0 when its deletion was requested, with `--wait` when it is deleted. */
export async function machineDelete(
  values: OptionValues<typeof deleteOptions>,
  [name]: readonly [string],
): Promise<number> {
  using kube = await openKube(values);
  const ref = { ...machineResource, namespace: values.namespace, name };
  const object = await kube.get(ref);
  if (!values.yes) {
    const unasked = `machine delete would delete ${name}, and there is no terminal to ask on: confirm with --yes. Nothing was changed`;
    await confirm({ about: aboutOf(object), text: 'Delete it?', unasked });
  }
  await kube.delete(ref, { uid: object.metadata.uid });
  if (values.wait) await follow(kube, object, values.timeout);
  process.stdout.write(`machine ${name} ${values.wait ? 'deleted' : 'is being deleted'}\n`);
  return 0;
}
