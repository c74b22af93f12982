import { type BundleDeployment, group, parseBundleDeployment, shardLabel } from '../../src/api/index.ts';
import { isJsonEqual, type JsonObject, WaitingError } from '../../src/base/index.ts';
import { type ReconcileContext, type ReconcileRun, StatusWriter } from '../../src/controller/index.ts';
import { conditionsOf, isConflict, type KubeObject, type ObjectEvent, refOf } from '../../src/kube/index.ts';
import type { ReferredValues } from '../chart-values.ts';
import type { ProvisionerContext } from '../context.ts';
import {
  type DeploymentRecord,
  formatRecord,
  freshRecord,
  type RecordedBundle,
  readRecord,
  writeRecord,
} from '../deployment-record.ts';
import { fieldManager } from '../field-manager.ts';
import { withRecordedNamespace } from '../installed-record.ts';
import { bundlesOf } from '../owned-bundles.ts';
import type { BundleWaits } from './bundle-waits.ts';
import type { ChartTurns } from './chart-turns.ts';
import { type ConditionChange, withMissing } from './conditions.ts';
import type { DriftPace } from './drift-pace.ts';
import { type Standing, transitionEvents } from './events.ts';
import type { InstallGate } from './install-gate.ts';
import type { Outcome } from './outcome.ts';

/** What a reconcile asks of those who wait. */
export interface DeploymentHooks {
  /** Knows of failed installations. */
  readonly gate: InstallGate;
  /** Counts corrections of drift. */
  readonly drift: DriftPace;
  /** Knows since when Bundles are waited for. */
  readonly waits: BundleWaits;
  /** Limits how many charts are rendered at the same time. */
  readonly charts: ChartTurns;
  /** The stored content of the Bundle was lost. */
  readonly onContentLost: (bundleName: string) => void;
}

/** What the controller of BundleDeployments works with. */
export interface DeploymentContext extends ProvisionerContext {
  readonly hooks: DeploymentHooks;
}

/** One reconcile of one BundleDeployment. */
export interface DeploymentRun extends ReconcileRun {
  readonly context: DeploymentContext;
  readonly hooks: DeploymentHooks;
  readonly status: StatusWriter<DeploymentRun>;
  /** The Bundle of the template, once it is found or made. */
  bundle?: KubeObject;
  /** What `valuesFrom` refers to; absent until it is read, and where it refers to nothing. */
  values?: ReferredValues | undefined;
  /** What became of the version of the template. */
  outcome?: Outcome | undefined;
  /** What this reconcile did not delete, and why. */
  readonly kept: string[];
}

/** A part of the way to an installed version; an outcome is the end of the way. */
export type Stage = (run: DeploymentRun, bundle: KubeObject, context: ReconcileContext) => Promise<Outcome | undefined>;

function ownAnnotations({ metadata }: KubeObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(`${group}/`)));
}

/** The deployment to continue with after a write. The write also shows what users have changed since the deployment was read: the content of one spec
 *  must never be installed with the account or the settings of another, so a changed request ends the reconcile.
 *  @throws WaitingError RequestChanged */
function asWritten({ object }: Pick<DeploymentRun, 'object'>, written: KubeObject): KubeObject {
  const isSameSpec =
    written.metadata.uid === object.metadata.uid && written.metadata.generation === object.metadata.generation;
  const isSameShard = written.metadata.labels?.[shardLabel] === object.metadata.labels?.[shardLabel];
  if (!isSameSpec || !isSameShard || !isJsonEqual(ownAnnotations(written), ownAnnotations(object))) {
    const message = 'the BundleDeployment changed during the reconcile';
    throw new WaitingError('RequestChanged', message, { afterMs: 0 });
  }
  // Of the same generation; that of `restoreActive`, and one with a recorded namespace, differ from what the server has.
  return { ...written, spec: object['spec'] as JsonObject };
}

/** Continues the reconcile with the answer to a write of the deployment.
 *  @throws WaitingError RequestChanged */
export function continueWith(run: DeploymentRun, written: KubeObject): void {
  run.status.rebase(run, asWritten(run, written));
}

/** The deployment, typed. */
export function deploymentOf(run: DeploymentRun): BundleDeployment {
  return parseBundleDeployment(run.object);
}

/** What belongs to the deployment. */
export function recordOf({ object }: DeploymentRun): DeploymentRecord {
  return readRecord(object) ?? freshRecord;
}

/** The entries of Bundles that still exist. */
export function existingEntries(run: DeploymentRun, entries: readonly RecordedBundle[]): readonly RecordedBundle[] {
  return entries.filter(({ name, uid }) => run.context.bundles.get(name)?.metadata.uid === uid);
}

const maxRecordTries = 5;

/** Records what belongs to the deployment from now on, also when a user has changed the deployment meanwhile: what was created, or is in place, must not
 *  be forgotten. Bundles that no longer exist are left out.
 *  @throws WaitingError RequestChanged, once it is recorded */
export async function saveRecord(
  run: DeploymentRun,
  change: (before: DeploymentRecord) => Partial<DeploymentRecord>,
  signal: AbortSignal,
): Promise<void> {
  const { context, object } = run;
  let live = object;
  for (let left = maxRecordTries; ; left -= 1) {
    const before = readRecord(live) ?? freshRecord;
    const next = { ...before, ...change(before) };
    const record = { ...next, bundles: existingEntries(run, next.bundles) };
    try {
      continueWith(run, await writeRecord(context, live, { record, signal }));
      return;
    } catch (thrown) {
      if (!isConflict(thrown) || left <= 1) throw thrown;
    }
    live = await context.kube.get(refOf(object), { signal });
    if (live.metadata.uid !== object.metadata.uid) continueWith(run, live);
  }
}

/** Sets what belongs to the deployment, to be written with the status: for what may be lost, because the next reconcile finds it again. */
export function setRecord(run: DeploymentRun, change: (before: DeploymentRecord) => Partial<DeploymentRecord>): void {
  const before = recordOf(run);
  const next = { ...before, ...change(before) };
  const record = { ...next, bundles: existingEntries(run, next.bundles) };
  run.status.setFields(run, { record: formatRecord(run.object, record) });
}

/** The Bundles that were created for the deployment. */
export function ownedBundles({ context, object }: DeploymentRun): readonly KubeObject[] {
  return bundlesOf(context, object);
}

/** Name of the Bundle that was installed last with success; empty before the first. */
export function activeOf(run: DeploymentRun): string {
  return standingOf(run).activeBundle;
}

function standingIn(object: KubeObject): Standing {
  const { activeBundle = '' } = parseBundleDeployment(object).status ?? {};
  return { conditions: conditionsOf(object), activeBundle };
}

/** The status, with what this reconcile has set. */
export function standingOf({ object }: DeploymentRun): Standing {
  return standingIn(object);
}

/** Sets conditions, and other members of the status. They are written at the end of the reconcile, or by `run.status.flush`. */
export function setStatus(run: DeploymentRun, changes: readonly ConditionChange[], fields: JsonObject = {}): void {
  run.status.set(run, withMissing(conditionsOf(run.object), changes));
  run.status.setFields(run, { observedGeneration: run.object.metadata.generation ?? 0, ...fields });
}

function eventsOf(before: KubeObject, after: KubeObject): readonly ObjectEvent[] {
  return transitionEvents(standingIn(before), standingIn(after));
}

/** The reconcile of a deployment.
 *  @throws WaitingError HandOver */
export function beginDeployment(context: DeploymentContext, found: KubeObject): DeploymentRun {
  const { kube, clock, deployments: cache, events, hooks, handOvers, systemNamespace } = context;
  const ending = handOvers.begin(found.metadata.name ?? '');
  const object = withRecordedNamespace(found, systemNamespace);
  const options = { kube, clock, cache, events, eventsOf, fieldManager, continueWith: asWritten };
  return { context, hooks, object, status: new StatusWriter(object, options), ending, kept: [] };
}
