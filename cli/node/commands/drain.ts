import { setTimeout as pause } from 'node:timers/promises';
import { printable, systemClock } from '../../../src/base/index.ts';
import { cordon, Drainer, describeBlocked } from '../../../src/drain/index.ts';
import type { KubeClient } from '../../../src/kube/index.ts';
import { openKube } from '../../client/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { confirm } from '../../output/index.ts';
import { type DrainView, viewDrain } from '../drain-facts.ts';
import type { drainOptions } from '../options.ts';
import { planText } from '../plan-text.ts';

const pollMs = 1_000;
const fieldManager = 'longshore';

/** What pods are left at the end; empty when none is. */
async function evict(kube: KubeClient, name: string, timeoutMs: number): Promise<string> {
  const endMs = Date.now() + timeoutMs;
  let view: DrainView = await viewDrain(kube, name);
  await cordon(kube, view.node, { actor: 'user', fieldManager });
  const drainer = new Drainer({ kube, clock: systemClock, budgetsOf: (pod) => view.budgetsOf(pod) });
  let shown = '';
  for (;;) {
    const { isDone, remaining, blocking } = await drainer.advance(view.plan, view);
    if (isDone) return '';
    const text = `${remaining} pods are left: ${describeBlocked(blocking)}`;
    if (text !== shown) process.stderr.write(`${printable(text)}\n`);
    shown = text;
    if (Date.now() > endMs) return text;
    await pause(pollMs);
    view = await viewDrain(kube, name);
  }
}

/** `longshore node drain NODE`: 1 when pods are left after the timeout. */
export async function nodeDrain(values: OptionValues<typeof drainOptions>, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  const text = planText(name, await viewDrain(kube, name));
  if (values.plan) {
    process.stdout.write(text);
    return 0;
  }
  if (!values.yes) {
    const unasked = `node drain would evict the pods of ${name}, and there is no terminal to ask on: confirm with --yes, or show them with --plan. Nothing was changed`;
    await confirm({ about: text, text: 'Evict them?', unasked });
  }
  const left = await evict(kube, name, values.timeout);
  if (left === '') process.stdout.write(`node ${name} drained\n`);
  else process.stderr.write(`node ${name} is cordoned, and not drained: ${printable(left)}\n`);
  return left === '' ? 0 : 1;
}
