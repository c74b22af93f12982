import { type PlatformOperator, parsePlatformOperator } from '../../api/index.ts';
import { isJsonEqual, type JsonObject } from '../../base/index.ts';
import { type Condition, type EventNews, isNotFound, type KubeObject } from '../../kube/index.ts';
import { formatResolved, type Resolved } from './choice.ts';
import { type ConditionChange, nextConditions } from './conditions.ts';
import { fieldManager, type PlatformContext } from './context.ts';

/** One reconcile of one PlatformOperator. */
export interface PlatformRun {
  readonly context: PlatformContext;
  /** As it was read, or as our last write of it left it. */
  object: KubeObject;
  /** What it is to have. */
  resolved: Resolved | undefined;
  /** It was chosen in this very reconcile. */
  isChosenNow: boolean;
  /** What is to be said of it. */
  readonly changes: ConditionChange[];
}

/** The PlatformOperator, typed. */
export function operatorOf({ object }: PlatformRun): PlatformOperator {
  return parsePlatformOperator(object);
}

function statusOf(run: PlatformRun): JsonObject {
  const { status, metadata } = operatorOf(run);
  const conditions = nextConditions((status?.conditions ?? []) as readonly Condition[], run.changes, {
    generation: metadata.generation ?? 0,
    nowMs: run.context.clock.now(),
  });
  const { resolved } = run;
  return {
    ...(resolved && {
      activeBundleDeployment: { name: resolved.main.bundleDeployment },
      resolved: formatResolved(resolved),
    }),
    ...(conditions.length > 0 && { conditions: conditions as unknown as JsonObject[] }),
  };
}

const warned: ReadonlySet<string> = new Set(['UpdateBlocked', 'SourceFailed', 'InstallFailed']);

/** A condition that has turned, for people; what only waits is no news. */
function newsOf(before: readonly Condition[], change: ConditionChange): EventNews | undefined {
  const { type, status, reason, message } = change;
  const was = before.find((condition) => condition.type === type);
  if (was?.reason === reason && was.message === message) return undefined;
  const isWarning = warned.has(reason) || (type === 'Deprecated' && status === 'True');
  if (isWarning) return { type: 'Warning', reason, message };
  const isNews = reason === 'UpdateAvailable' || (type === 'Installed' && status === 'True');
  return isNews ? { type: 'Normal', reason, message } : undefined;
}

/** False when the object has gone. */
async function writeStatus(run: PlatformRun, status: JsonObject, signal: AbortSignal): Promise<boolean> {
  const { context, object } = run;
  const { apiVersion, kind, metadata } = object;
  const { name = '', uid = '' } = metadata;
  const options = { fieldManager, force: true, subresource: 'status' as const, signal };
  try {
    const { object: written } = await context.kube.apply(
      { apiVersion, kind, metadata: { name, uid }, status },
      options,
    );
    context.operators.wrote(written);
    run.object = written;
    return true;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

/** Writes the status, as it is by all that was found so far, when it differs from what is there; tells people what has turned. */
export async function report(run: PlatformRun, signal: AbortSignal): Promise<void> {
  const { context, object } = run;
  const before = (operatorOf(run).status?.conditions ?? []) as readonly Condition[];
  const status = statusOf(run);
  if (isJsonEqual((object['status'] ?? {}) as JsonObject, status)) return;
  if (!(await writeStatus(run, status, signal))) return;
  for (const change of run.changes) {
    const news = newsOf(before, change);
    if (news !== undefined) context.events.record(run.object, news);
  }
}
