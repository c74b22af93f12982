import { type ClusterExtension, parseClusterExtension } from '../../api/index.ts';
import { changedConditions, type ReconcileRun, StatusWriter } from '../../controller/index.ts';
import { type KubeObject, type ObjectEvent } from '../../kube/index.ts';
import type { ExtensionChoice, InstalledChoice } from '../../operators/index.ts';
import type { Needed } from '../platform-operator/plan.ts';
import type { Deprecations } from './answer.ts';
import { type ExtensionContext, fieldManager } from './context.ts';

/** What is to be installed. */
export interface Desired {
  readonly main: ExtensionChoice;
  readonly needed: readonly Needed[];
  /** Undefined: no catalog could be asked. */
  readonly deprecations: Deprecations | undefined;
}

/** One reconcile of one ClusterExtension. */
export interface ExtensionRun extends ReconcileRun {
  readonly context: ExtensionContext;
  readonly status: StatusWriter;
  /** The BundleDeployment of the package. */
  deployment: KubeObject | undefined;
  /** What that has installed. */
  installed: InstalledChoice | undefined;
  /** Something is installed, and its Bundle, which shows what, does not exist: the status keeps what it shows. */
  isForgotten: boolean;
  desired: Desired | undefined;
}

/** The ClusterExtension, typed. */
export function extensionOf({ object }: Pick<ExtensionRun, 'object'>): ClusterExtension {
  return parseClusterExtension(object);
}

const warningReasons: ReadonlySet<string> = new Set([
  'Retrying',
  'Blocked',
  'InvalidConfiguration',
  'ProgressDeadlineExceeded',
  'Deprecated',
]);

/** Events of the conditions that have changed; those of what only waits are left out. */
function eventsOf(before: KubeObject, after: KubeObject): readonly ObjectEvent[] {
  return changedConditions(before, after).flatMap(({ type, status, reason, message }): ObjectEvent[] => {
    if (type !== 'Deprecated' && type.endsWith('Deprecated')) return [];
    if (warningReasons.has(reason)) return [{ type: 'Warning', reason, message }];
    return type === 'Installed' && status === 'True' ? [{ type: 'Normal', reason: 'Installed', message }] : [];
  });
}

/** The reconcile of `object`. */
export function beginExtension(context: ExtensionContext, object: KubeObject): ExtensionRun {
  const { kube, clock, extensions: cache, events } = context;
  const status = new StatusWriter(object, { kube, clock, cache, events, eventsOf, fieldManager });
  return {
    context,
    object,
    status,
    deployment: undefined,
    installed: undefined,
    isForgotten: false,
    desired: undefined,
  };
}
