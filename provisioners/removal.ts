import {
  deleteCrdsAnnotation,
  orphanAnnotation,
  parseBundleDeployment,
  type RemovingReason,
} from '../src/api/index.ts';
import { readInventory } from '../src/apply/index.ts';
import { errorMessage, type JsonObject, TerminalError, TransientError, WaitingError } from '../src/base/index.ts';
import {
  type Condition,
  type EventNews,
  hasFinalizer,
  type KubeObject,
  removeFinalizer,
  setCondition,
} from '../src/kube/index.ts';
import { fieldManager, type ProvisionerContext, writeStatus } from './context.ts';
import { installedObjectsFinalizer, isAsked, ownerOf } from './installed-record.ts';
import { bundlesOf, deleteBundle } from './owned-bundles.ts';

const bundleRecheckMs = 30_000;

/** One pass of the removal of one deployment. */
interface Removal {
  readonly context: ProvisionerContext;
  object: KubeObject;
  readonly signal: AbortSignal;
}

async function report(removal: Removal, change: Pick<Condition, 'type' | 'reason' | 'message'>): Promise<void> {
  const { context, object, signal } = removal;
  const { status, metadata } = parseBundleDeployment(object);
  const observedGeneration = metadata.generation ?? 0;
  const condition = { ...change, status: 'True', observedGeneration } as const;
  const conditions = setCondition(status?.conditions ?? [], condition, context.clock.now());
  const next = { observedGeneration, conditions: conditions as unknown as JsonObject[] };
  removal.object = await writeStatus({ kube: context.kube, cache: context.deployments, signal }, object, next);
}

/** `kubectl delete --cascade=orphan` asks for the same as the annotation. */
function isOrphaning(object: KubeObject): boolean {
  return isAsked(object, orphanAnnotation) || hasFinalizer(object, 'orphan');
}

async function removeObjects(removal: Removal): Promise<void> {
  const { context, object, signal } = removal;
  const kept: string[] = [];
  const request = {
    owner: ownerOf(object),
    inventory: readInventory(object.metadata) ?? { kinds: [], namespaces: [] },
    isOrphaned: isOrphaning(object),
    mayDeleteCrds: isAsked(object, deleteCrdsAnnotation),
    onKept: (why: string) => void kept.push(why),
    signal,
  };
  try {
    await context.engine.uninstall(request);
  } finally {
    if (kept.length > 0 && !signal.aborted) {
      const reason = 'CrdInUse';
      for (const message of kept) context.events.record(object, { type: 'Warning', reason, message });
      await report(removal, { type: 'ObjectsKept', reason, message: kept.join('\n') });
    }
  }
}

async function removeBundles({ context, object, signal }: Removal): Promise<void> {
  const bundles = bundlesOf(context, object);
  for (const bundle of bundles) await deleteBundle(context, bundle, signal);
  if (bundles.length === 0) return;
  const names = bundles.map(({ metadata }) => metadata.name).join(', ');
  throw new WaitingError('Removing', `waiting for the removal of ${names}`, { afterMs: bundleRecheckMs });
}

/** A removal that does not go on says why on the deployment. */
async function reportStandstill(removal: Removal, thrown: unknown): Promise<void> {
  if (removal.signal.aborted) return;
  const isFailure = thrown instanceof TransientError || thrown instanceof TerminalError;
  if (!isFailure && !(thrown instanceof WaitingError)) return;
  const reason: RemovingReason = isFailure ? 'RemovalFailed' : 'Removing';
  const message = errorMessage(thrown);
  removal.context.events.record(removal.object, { type: isFailure ? 'Warning' : 'Normal', reason, message });
  await report(removal, { type: 'Removing', reason, message });
}

function farewell(object: KubeObject): EventNews {
  const [reason, message] = isOrphaning(object)
    ? ['Orphaned', 'Everything that was installed has been left where it is, as nobody’s']
    : ['Removed', 'Everything that was installed has been removed'];
  return { type: 'Normal', reason, message };
}

/** Takes a deployment apart that is to go: what was installed goes in reverse order, or is let go, then the Bundles, then
 *  itself. Its status and Events say what it waits for and what is kept.
 *  @throws WaitingError while something still exists */
export async function removeDeployment(
  context: ProvisionerContext,
  object: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  if (!hasFinalizer(object, installedObjectsFinalizer)) return;
  const removal: Removal = { context, object, signal };
  try {
    await removeObjects(removal);
    await removeBundles(removal);
  } catch (thrown) {
    await reportStandstill(removal, thrown);
    throw thrown;
  }
  context.events.record(object, farewell(object));
  await removeFinalizer(context.kube, removal.object, { finalizer: installedObjectsFinalizer, fieldManager, signal });
}
