import { type BundleDeployment, group, parseBundleDeployment } from '../../src/api/index.ts';
import { isJsonEqual, type JsonObject, WaitingError } from '../../src/base/index.ts';
import { isConflict, type KubeObject, refOf, writeStatus } from '../../src/kube/index.ts';
import type { ProvisionerContext } from '../context.ts';
import {
  type DeploymentRecord,
  freshRecord,
  type RecordedBundle,
  readRecord,
  writeRecord,
} from '../deployment-record.ts';
import { fieldManager } from '../field-manager.ts';
import { bundlesOf } from '../owned-bundles.ts';
import type { BundleWaits } from './bundle-waits.ts';
import { type ConditionChange, nextConditions } from './conditions.ts';
import type { DriftPace } from './drift-pace.ts';
import type { InstallGate } from './install-gate.ts';
import { newsOf, type Standing } from './news.ts';

/** What a reconcile asks of those who wait. */
export interface DeploymentHooks {
  /** Knows of failed installations. */
  readonly gate: InstallGate;
  /** Knows how often drift was put right. */
  readonly drift: DriftPace;
  /** Knows since when Bundles are waited for. */
  readonly waits: BundleWaits;
  /** The stored content of the Bundle is gone. */
  readonly onContentLost: (bundleName: string) => void;
}

/** One reconcile of one BundleDeployment. */
export interface DeploymentRun {
  readonly context: ProvisionerContext;
  readonly hooks: DeploymentHooks;
  /** As it was read, or as our last write of it left it. */
  object: KubeObject;
  /** The Bundle of the template, once it is found or made. */
  bundle?: KubeObject;
  /** What this reconcile did not delete, and why. */
  readonly kept: string[];
  /** When to look again though nothing happens, in milliseconds from now. */
  againAfterMs?: number;
}

/** Asks for another look; of several the first one counts, and one that is overdue is taken at once. */
export function lookAgain(run: DeploymentRun, afterMs: number): void {
  run.againAfterMs = Math.min(run.againAfterMs ?? Number.POSITIVE_INFINITY, Math.max(0, afterMs));
}

function ownAnnotations({ metadata }: KubeObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(`${group}/`)));
}

/** Continues the reconcile with the deployment as a write has left it. The write also shows what users have changed since the deployment was read: the
 *  content of one spec must never be installed with the account or the settings of another, so a changed request ends the reconcile.
 *  @throws WaitingError RequestChanged */
export function continueWith(run: DeploymentRun, written: KubeObject): void {
  const { object } = run;
  const isSameSpec =
    written.metadata.uid === object.metadata.uid && written.metadata.generation === object.metadata.generation;
  if (!isSameSpec || !isJsonEqual(ownAnnotations(written), ownAnnotations(object))) {
    const message = 'the BundleDeployment changed during the reconcile';
    throw new WaitingError('RequestChanged', message, { afterMs: 0 });
  }
  // Of the same generation; the spec of `restoreActive` differs from what the server has.
  run.object = { ...written, spec: object['spec'] as JsonObject };
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

/** The Bundles that were created for the deployment. */
export function ownedBundles({ context, object }: DeploymentRun): readonly KubeObject[] {
  return bundlesOf(context, object);
}

/** Name of the Bundle that was installed last with success; empty before the first. */
export function activeOf(run: DeploymentRun): string {
  return standingOf(run).activeBundle;
}

/** What the deployment's status says as it is. */
export function standingOf(run: DeploymentRun): Standing {
  const { conditions = [], activeBundle = '' } = deploymentOf(run).status ?? {};
  return { conditions, activeBundle };
}

/** Writes what is new of the conditions, and the active Bundle, into the status, and tells people what has turned. */
export async function report(
  run: DeploymentRun,
  changes: readonly ConditionChange[],
  options: { readonly signal: AbortSignal; readonly activeBundle?: string; readonly installed?: JsonObject },
): Promise<void> {
  const { context, object } = run;
  const { signal, installed = {}, ...rest } = options;
  const before = standingOf(run);
  const observedGeneration = object.metadata.generation ?? 0;
  const conditions = nextConditions(before.conditions, changes, {
    generation: observedGeneration,
    nowMs: context.clock.now(),
  });
  const next = { observedGeneration, conditions: conditions as unknown as JsonObject[], ...rest, ...installed };
  const target = { kube: context.kube, cache: context.deployments, fieldManager, signal };
  const written = await writeStatus(target, object, next);
  for (const news of newsOf(before, { ...before, ...rest, conditions })) context.events.record(written, news);
  continueWith(run, written);
}
