import { bundleResource, deleteCrdsAnnotation, orphanAnnotation, type RemovingReason } from '../src/api/index.ts';
import { emptyInventory, PermissionsMissing } from '../src/apply/index.ts';
import { errorMessage, TerminalError, TransientError, WaitingError } from '../src/base/index.ts';
import type { ReconcileContext } from '../src/controller/index.ts';
import {
  type Condition,
  hasFinalizer,
  isNotFound,
  type KubeObject,
  type ObjectEvent,
  refOf,
  removeFinalizer,
} from '../src/kube/index.ts';
import { hadHelmRelease, releaseShelfOf } from './deployment/helm-releases.ts';
import type { DeploymentRun } from './deployment/run.ts';
import { inventoryOf, isControlledBy, readRecord, writeRecord } from './deployment-record.ts';
import { fieldManager } from './field-manager.ts';
import { removeHelmReleases } from './helm-release-record.ts';
import { actingOwnerOf, installedObjectsFinalizer, isAsked, namespaceTerms, ownerOf } from './installed-record.ts';
import { controlledBundles, deleteBundle } from './owned-bundles.ts';
import { deleteHookObjects, runRemovalHooks } from './removal-hooks.ts';

const bundleRecheckMs = 30_000;

/** One pass of the removal of one deployment. */
interface Removal {
  readonly run: DeploymentRun;
  readonly signal: AbortSignal;
}

function report({ run }: Removal, change: Pick<Condition, 'type' | 'reason' | 'message'>): void {
  run.status.set(run, [{ ...change, status: 'True' }]);
  run.status.setFields(run, { observedGeneration: run.object.metadata.generation ?? 0 });
}

/** The recorded Bundles that exist, whatever their labels are. */
async function recordedBundles({ run: { context, object }, signal }: Removal): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for (const { name, uid } of readRecord(object)?.bundles ?? []) {
    try {
      const bundle = await context.kube.get({ ...bundleResource, name }, { signal });
      if (bundle.metadata.uid === uid) found.push(bundle);
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
  return found;
}

/** The garbage collector takes the owner off all dependents, and then the finalizer `orphan` off the owner, which may be over
 *  before anybody here has seen that finalizer. Bundles without their owner are what stays of it; where none exists, objects are. */
async function isDisowned(removal: Removal): Promise<boolean> {
  const { context, object } = removal.run;
  const bundles = await recordedBundles(removal);
  if (bundles.length > 0) return !bundles.some((bundle) => isControlledBy(bundle, object.metadata.uid));
  const inventory = inventoryOf(object) ?? emptyInventory;
  return await context.engine.isDisowned(ownerOf(object), inventory, removal.signal);
}

/** `kubectl delete --cascade=orphan` asks for the same as the annotation, and is noted as such before it is forgotten. */
async function noteOrphaning(removal: Removal): Promise<void> {
  const { run, signal } = removal;
  const { context, object } = run;
  if (isAsked(object, orphanAnnotation)) return;
  if (!hasFinalizer(object, 'orphan') && !(await isDisowned(removal))) return;
  const patch = { metadata: { uid: object.metadata.uid ?? '', annotations: { [orphanAnnotation]: 'true' } } };
  const written = await context.kube.patch(refOf(object), patch, { fieldManager, signal });
  context.deployments.wrote(written);
  run.status.rebase(run, written);
}

async function removeObjects(removal: Removal): Promise<void> {
  const { run, signal } = removal;
  const { context, object } = run;
  const kept: string[] = [];
  const request = {
    owner: actingOwnerOf(object),
    inventory: inventoryOf(object) ?? emptyInventory,
    isOrphaned: isAsked(object, orphanAnnotation),
    mayDeleteCrds: isAsked(object, deleteCrdsAnnotation),
    ...namespaceTerms(context, object),
    onRetained: (why: string) => void kept.push(why),
    signal,
  };
  try {
    await context.engine.uninstall(request);
  } finally {
    if (kept.length > 0 && !signal.aborted) {
      const reason = 'CrdInUse';
      for (const message of kept) context.events.record(object, { type: 'Warning', reason, message });
      report(removal, { type: 'ObjectsKept', reason, message: kept.join('\n') });
    }
  }
}

async function removeBundles({ run: { context, object }, signal }: Removal): Promise<void> {
  const bundles = controlledBundles(context, object);
  for (const bundle of bundles) await deleteBundle(context, bundle, signal);
  if (bundles.length === 0) return;
  const names = bundles.map(({ metadata }) => metadata.name).join(', ');
  throw new WaitingError('Removing', `waiting for deletion of ${names}`, { afterMs: bundleRecheckMs });
}

/** A removal that does not proceed reports why on the deployment. */
function reportStandstill(removal: Removal, thrown: unknown): void {
  if (removal.signal.aborted) return;
  const isFailure = thrown instanceof TransientError || thrown instanceof TerminalError;
  if (!isFailure && !(thrown instanceof WaitingError)) return;
  if (thrown instanceof PermissionsMissing) {
    removal.run.context.permissions.add(removal.run.object.metadata.name ?? '', thrown.namespaces);
  }
  const reason: RemovingReason = isFailure ? 'RemovalFailed' : 'Removing';
  const message = errorMessage(thrown);
  removal.run.context.events.record(removal.run.object, { type: isFailure ? 'Warning' : 'Normal', reason, message });
  report(removal, { type: 'Removing', reason, message });
}

function farewell(object: KubeObject): ObjectEvent {
  const [reason, message] = isAsked(object, orphanAnnotation)
    ? ['Orphaned', 'Everything that was installed remains in place, without an owner']
    : ['Removed', 'Everything that was installed has been removed'];
  return { type: 'Normal', reason, message };
}

/** Whether its record shows that it may, though the finalizer was removed and only finalizers of others keep it. */
function mayHaveObjects(object: KubeObject): boolean {
  return (readRecord(object)?.installation ?? 'NotStarted') !== 'NotStarted';
}

/** Finalizers of others, such as `foregroundDeletion`, may keep a deployment for long: its objects must not be removed once more meanwhile, when they may
 *  belong to someone else. */
async function forgetObjects(removal: Removal): Promise<void> {
  const { run, signal } = removal;
  const { context, object } = run;
  const before = readRecord(object);
  const isKept = (object.metadata.finalizers ?? []).some((finalizer) => finalizer !== installedObjectsFinalizer);
  if (before === undefined || !isKept) return;
  const record = { ...before, installation: 'NotStarted', inventory: emptyInventory } as const;
  run.status.rebase(run, await writeRecord(context, object, { record, signal }));
}

/** Removes the objects, with the hooks of a chart around that; what is orphaned has none. */
async function removeHooked(removal: Removal): Promise<void> {
  const { run, signal } = removal;
  await noteOrphaning(removal);
  const isOrphaned = isAsked(run.object, orphanAnnotation);
  if (!isOrphaned) await runRemovalHooks(run, { phase: 'Before', signal });
  // Namespaces go with the objects, unless something is left in them.
  if (!isOrphaned && hadHelmRelease(run)) await removeHelmReleases(releaseShelfOf(run, signal));
  await removeObjects(removal);
  if (isOrphaned) return run.context.handOvers.assertAllExecuted(run.object);
  await runRemovalHooks(run, { phase: 'After', signal });
  await deleteHookObjects(run, signal);
}

/** Takes a deployment apart that is to go: what was installed goes in reverse order, or is let go, then the Bundles, then
 *  itself. Its status and Events show what it waits for and what is kept.
 *  @throws WaitingError while something still exists */
export async function removeDeployment(run: DeploymentRun, { signal, log }: ReconcileContext): Promise<void> {
  const { context, object } = run;
  if (!hasFinalizer(object, installedObjectsFinalizer) && !mayHaveObjects(object)) return;
  const removal: Removal = { run, signal };
  try {
    await removeHooked(removal);
    await removeBundles(removal);
  } catch (thrown) {
    reportStandstill(removal, thrown);
    throw thrown;
  }
  await forgetObjects(removal);
  const options = { finalizer: installedObjectsFinalizer, fieldManager, signal };
  const left = await removeFinalizer(context.kube, run.object, options);
  // The watch may show the finalizer for a moment longer.
  if (left?.metadata.finalizers !== undefined && left.metadata.finalizers.length > 0) context.deployments.wrote(left);
  if (left !== undefined) context.events.record(object, farewell(run.object));
  log.info({ isOrphaned: isAsked(run.object, orphanAnnotation) }, 'deployment removed');
}
