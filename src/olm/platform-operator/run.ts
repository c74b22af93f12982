import { type PlatformOperator, parsePlatformOperator } from '../../api/index.ts';
import { changedConditions, type ReconcileRun, StatusWriter } from '../../controller/index.ts';
import { type KubeObject, type ObjectEvent } from '../../kube/index.ts';
import { formatResolved, type Resolved, resolvedOf } from './choice.ts';
import { fieldManager, type PlatformContext } from './context.ts';

/** One reconcile of one PlatformOperator. */
export interface PlatformRun extends ReconcileRun {
  readonly context: PlatformContext;
  readonly status: StatusWriter;
  /** What it is to have. */
  resolved: Resolved | undefined;
  /** It was chosen in this very reconcile. */
  isChosenNow: boolean;
}

/** The PlatformOperator, typed. */
export function operatorOf({ object }: PlatformRun): PlatformOperator {
  return parsePlatformOperator(object);
}

/** Sets in the status what the PlatformOperator is to have. */
export function setResolved(run: PlatformRun): void {
  const { resolved } = run;
  if (resolved === undefined) return;
  run.status.setFields(run, {
    activeBundleDeployment: { name: resolved.main.bundleDeployment },
    resolved: formatResolved(resolved),
  });
}

const warningReasons: ReadonlySet<string> = new Set(['UpdateBlocked', 'SourceFailed', 'InstallFailed']);

/** Events of the conditions that have changed; a condition that only waits is none. */
function eventsOf(before: KubeObject, after: KubeObject): readonly ObjectEvent[] {
  return changedConditions(before, after).flatMap(({ type, status, reason, message }): ObjectEvent[] => {
    const isWarning = warningReasons.has(reason) || (type === 'Deprecated' && status === 'True');
    if (isWarning) return [{ type: 'Warning', reason, message }];
    const isNotable = reason === 'UpdateAvailable' || (type === 'Installed' && status === 'True');
    return isNotable ? [{ type: 'Normal', reason, message }] : [];
  });
}

/** The reconcile of `object`. */
export function beginOperator(context: PlatformContext, object: KubeObject): PlatformRun {
  const { kube, clock, operators: cache, events } = context;
  const status = new StatusWriter(object, { kube, clock, cache, events, eventsOf, fieldManager, isApplied: true });
  const run: PlatformRun = { context, object, status, resolved: undefined, isChosenNow: false };
  const operator = operatorOf(run);
  run.resolved = resolvedOf(operator.spec.package.name, operator.status);
  return run;
}
