import { setTimeout as pause } from 'node:timers/promises';
import type { OperatorStatusCondition } from '../../src/api/index.ts';
import { type JsonObject, objectAt, printable, printableLine, TerminalError, valueAt } from '../../src/base/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { createProgress } from '../output/index.ts';
import { type ClusterVersionView, conditionOf, readClusterVersion } from './cluster-version.ts';
import type { RequestedUpdate } from './target.ts';

const pollMs = 500;

interface WaitOptions {
  /** The object before the request. */
  readonly before: ClusterVersionView;
  readonly timeoutMs: number;
}

function isTarget({ version, image }: RequestedUpdate, view: ClusterVersionView): boolean {
  const { desired } = view;
  return image === undefined ? desired.version === version : desired.image === image;
}

function isCompleted(update: RequestedUpdate, view: ClusterVersionView): boolean {
  const [latest] = view.history;
  const isLatest = update.image === undefined ? latest?.version === update.version : latest?.image === update.image;
  return isTarget(update, view) && isLatest && latest?.state === 'Completed';
}

/** Whether the engine has reported since the request. */
function isObserved({ object }: ClusterVersionView): boolean {
  const status = objectAt(object as unknown as JsonObject, 'status');
  return Number(valueAt(status, 'observedGeneration') ?? 0) >= Number(object.metadata.generation ?? 0);
}

const bad = { Invalid: 'True', ReleaseAccepted: 'False' } as const;

/** Why the engine does not take the release. What was reported before the request counts only once it is reported again. */
function rejectionOf(view: ClusterVersionView, { before }: WaitOptions): string | undefined {
  for (const type of ['Invalid', 'ReleaseAccepted'] as const) {
    const condition = conditionOf(view, type);
    const old = conditionOf(before, type);
    if (condition?.status !== bad[type]) continue;
    const isNew = old?.status !== condition.status || old.message !== condition.message || isObserved(view);
    if (isNew) return `${type}=${condition.status}: ${statement(condition)}`;
  }
  return undefined;
}

function statement({ reason = '', message = '' }: OperatorStatusCondition): string {
  return `${reason}: ${message}`;
}

function timeoutError(view: ClusterVersionView, timeoutMs: number): TerminalError {
  const failing = conditionOf(view, 'Failing');
  const progressing = conditionOf(view, 'Progressing')?.message ?? '';
  const isFailing = failing?.status === 'True';
  const why = isFailing ? `Failing=True: ${statement(failing)}` : progressing;
  const text = `not updated after ${Math.round(timeoutMs / 1000)} s: ${why}\n"longshore upgrade status" shows what is waited for; the cluster continues`;
  return new TerminalError(isFailing ? 'UpgradeFailed' : 'UpgradeTimeout', text);
}

function messageOf(view: ClusterVersionView): string {
  return conditionOf(view, 'Progressing')?.message ?? '';
}

/** Waits until a requested release is completed, and shows what the engine reports meanwhile.
 *  @throws TerminalError UpgradeRejected, UpgradeFailed, UpgradeTimeout */
export async function whenCompleted(kube: KubeClient, update: RequestedUpdate, options: WaitOptions): Promise<void> {
  using line = createProgress(process.stderr, { isQuiet: false });
  const startMs = performance.now();
  let shown = '';
  for (;;) {
    const view = await readClusterVersion(kube);
    if (isCompleted(update, view)) {
      line.clear();
      process.stdout.write(`Cluster version is ${printable(view.desired.version)}\n`);
      return;
    }
    const rejection = isTarget(update, view) ? undefined : rejectionOf(view, options);
    if (rejection !== undefined) throw new TerminalError('UpgradeRejected', rejection);
    if (performance.now() - startMs > options.timeoutMs) throw timeoutError(view, options.timeoutMs);
    if (messageOf(view) !== shown) line.finish(printableLine(messageOf(view)));
    shown = messageOf(view);
    await pause(pollMs);
  }
}
