import { setTimeout as pause } from 'node:timers/promises';
import type { Subscription } from '../../src/api/index.ts';
import { printableLine, TerminalError } from '../../src/base/index.ts';
import {
  explainOperator,
  formatProgress,
  type InstalledOperator,
  type Progress,
} from '../../src/installations/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import type { Progress as Line } from '../output/index.ts';
import { findSubscription, operatorOf } from './objects.ts';

const pollMs = 300;
/** A failure may be over by the next reconcile, as when another operator brings what is missing. */
const failureMs = 10_000;

interface Waiting {
  readonly kube: KubeClient;
  readonly timeoutMs: number;
  readonly line: Line;
}

/** The installation of an operator, and where it is. */
export interface Reached {
  readonly operator: InstalledOperator;
  readonly progress: Progress;
}

/** After an older version its upgrade waits for approval at once. */
export function isNextPlan({ operator, progress }: Reached, planName: string): boolean {
  const isOther = operator.plan !== undefined && operator.plan.metadata.name !== planName;
  return progress.state === 'approval' && isOther && operator.csv?.status?.phase === 'Succeeded';
}

function notInstalled(name: string, what: string, progress: Progress): TerminalError {
  return new TerminalError('OperatorNotInstalled', `operator "${name}": ${what}\n${formatProgress(progress)}`);
}

/** Waits until the installation is in one of the states. A step that is done is printed as a line.
 *  @throws TerminalError OperatorNotInstalled when it failed or the time is over, with what decides and what to do */
export async function whenReached(
  { kube, timeoutMs, line }: Waiting,
  { metadata }: Subscription,
  isReached: (reached: Reached) => boolean,
): Promise<Reached> {
  const { namespace = '', name } = metadata;
  const startMs = performance.now();
  let notFailedAtMs = startMs;
  let shown = '';
  for (;;) {
    const operator = await operatorOf(kube, await findSubscription(kube, namespace, name));
    const progress = explainOperator(operator);
    const reached = { operator, progress };
    if (isReached(reached)) return reached;
    const nowMs = performance.now();
    if (progress.state !== 'failed') notFailedAtMs = nowMs;
    if (nowMs - startMs > timeoutMs)
      throw notInstalled(name, `not installed after ${Math.round(timeoutMs / 1000)} s`, progress);
    if (nowMs - notFailedAtMs > failureMs) throw notInstalled(name, 'not installed', progress);
    if (progress.object !== shown && progress.state === 'progressing') line.finish(`waiting for ${progress.object}`);
    shown = progress.object;
    line.show(printableLine(`${progress.object}: ${progress.text}`));
    await pause(pollMs);
  }
}
