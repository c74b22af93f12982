import { type ClusterCatalog, catalogFinalizer, parseClusterCatalog } from '../../api/index.ts';
import { WaitingError } from '../../base/index.ts';
import { type ReconcileContext, runSteps, type Step } from '../../controller/index.ts';
import {
  type Condition,
  hasFinalizer,
  type KubeObject,
  preconditionOf,
  refOf,
  removeFinalizer,
  writeStatus,
} from '../../kube/index.ts';
import type { AttemptState } from './attempts.ts';
import { type CatalogRecord, traitsOf } from './catalog-store.ts';
import { type CatalogContext, fieldManager } from './context.ts';
import { lookAtImage, restoreContent, restoreOrLook } from './obtain.ts';
import { type Plan, planOf } from './plan.ts';
import { type Findings, statusOf } from './status.ts';

/** Longer waits are had in pieces. */
const longestWaitMs = 24 * 60 * 60_000;

interface CatalogRun {
  readonly context: CatalogContext;
  object: KubeObject;
}

function catalogOf({ object }: CatalogRun): ClusterCatalog {
  return parseClusterCatalog(object);
}

/** What is stored for this very object. */
function storedFor({ context }: CatalogRun, { metadata }: ClusterCatalog): CatalogRecord | undefined {
  const stored = context.store.find(metadata.name);
  return stored?.uid === metadata.uid ? stored : undefined;
}

/** Gives up what is under way, and removes what is stored. */
async function discard(context: CatalogContext, name: string): Promise<void> {
  await context.attempts.cancel(name);
  context.looks.delete(name);
  context.faulty.delete(name);
  await context.store.remove(name);
}

const removeDeleted: Step<CatalogRun> = async ({ context, object }, { signal }) => {
  if (object.metadata.deletionTimestamp === undefined) return undefined;
  await discard(context, object.metadata.name ?? '');
  if (!context.isLeading() || !hasFinalizer(object, catalogFinalizer)) return 'stop';
  await removeFinalizer(context.kube, object, { finalizer: catalogFinalizer, fieldManager, signal });
  return 'stop';
};

const ensureFinalizer: Step<CatalogRun> = async (run, { signal }) => {
  const { context, object } = run;
  if (!context.isLeading() || hasFinalizer(object, catalogFinalizer)) return undefined;
  const metadata = {
    finalizers: [...(object.metadata.finalizers ?? []), catalogFinalizer],
    ...preconditionOf(object),
  };
  run.object = await context.kube.patch(refOf(object), { metadata }, { fieldManager, signal });
  context.catalogs.wrote(run.object);
  return undefined;
};

/** Reasons of conditions that somebody should look at. */
const alarming: ReadonlySet<string> = new Set(['Retrying', 'Blocked', 'InvalidPackages']);

function tellOfChanges(run: CatalogRun, before: readonly Condition[]): void {
  const { context, object } = run;
  for (const { type, reason, message } of catalogOf(run).status?.conditions ?? []) {
    const old = before.find((one) => one.type === type);
    if (old?.reason === reason && old.message === message) continue;
    context.events.record(object, { type: alarming.has(reason) ? 'Warning' : 'Normal', reason, message });
  }
}

async function report(run: CatalogRun, findings: Findings, signal: AbortSignal): Promise<void> {
  const { context, object } = run;
  if (!context.isLeading()) return;
  const catalog = catalogOf(run);
  const base = `${context.baseUrl}/catalogs/${catalog.metadata.name}`;
  const next = statusOf(catalog, findings, { base, nowMs: context.clock.now() });
  const { kube, catalogs: cache } = context;
  const before = (catalog.status?.conditions ?? []) as readonly Condition[];
  run.object = await writeStatus({ kube, cache, fieldManager, signal }, object, next);
  tellOfChanges(run, before);
}

const heedAvailability: Step<CatalogRun> = async (run, { signal }) => {
  const catalog = catalogOf(run);
  if (catalog.spec.availabilityMode !== 'Unavailable') return undefined;
  await discard(run.context, catalog.metadata.name);
  await report(run, { stored: undefined, state: { kind: 'done' }, isUnavailable: true }, signal);
  return 'stop';
};

/** What the plan takes, and a key that tells whether work under way is still wanted. */
function workFor(
  run: CatalogRun,
  plan: Plan,
): { key: string; work: (signal: AbortSignal) => Promise<void> } | undefined {
  const { context } = run;
  const catalog = catalogOf(run);
  const { uid, generation } = catalog.metadata;
  if (plan.kind === 'look') {
    return { key: `look ${uid} ${generation}`, work: (signal) => lookAtImage(context, catalog, signal) };
  }
  if (plan.kind !== 'restore') return undefined;
  const { ref } = plan;
  const restore = context.isLeading() ? restoreOrLook : restoreContent;
  const key = `${context.isLeading() ? 'restore' : 'follow'} ${uid} ${generation} ${ref}`;
  return { key, work: (signal) => restore(context, catalog, { ref, signal }) };
}

/** Starts what is to be done, and tells how it stands. */
function advance(run: CatalogRun, plan: Plan): AttemptState | { readonly kind: 'done' } {
  const { attempts } = run.context;
  const name = run.object.metadata.name ?? '';
  const wanted = workFor(run, plan);
  if (wanted === undefined) return { kind: 'done' };
  const state = attempts.stateOf(name, wanted.key);
  if (state.kind !== 'due') return state;
  attempts.start(name, wanted.key, wanted.work);
  return { kind: 'running' };
}

function waitUntil(reason: string, untilMs: number, { clock }: CatalogContext): never {
  const afterMs = Math.min(longestWaitMs, Math.max(0, untilMs - clock.now()));
  throw new WaitingError(reason, 'the image is looked at again later', { afterMs });
}

const keepContent: Step<CatalogRun> = async (run, { signal }) => {
  const { context } = run;
  const catalog = catalogOf(run);
  const { name } = catalog.metadata;
  const stored = storedFor(run, catalog);
  if (stored === undefined && context.store.find(name) !== undefined) await context.store.remove(name);
  context.store.describe(name, traitsOf(catalog));
  const look = context.looks.get(name);
  const plan = planOf({ catalog, stored, look, isLeading: context.isLeading(), nowMs: context.clock.now() });
  const state = advance(run, plan);
  await report(run, { stored, state, isUnavailable: false }, signal);
  if (state.kind === 'failed' && state.nextTryMs !== undefined) waitUntil('Retrying', state.nextTryMs, context);
  if (plan.kind === 'keep' && plan.dueMs !== undefined) waitUntil('Polling', plan.dueMs, context);
  return undefined;
};

const steps: readonly Step<CatalogRun>[] = [removeDeleted, ensureFinalizer, heedAvailability, keepContent];

/** Brings the content of one ClusterCatalog, and where this process leads its status, to where they should be. */
export async function reconcileCatalog(context: CatalogContext, name: string, run: ReconcileContext): Promise<void> {
  const object = context.catalogs.get(name);
  if (object === undefined) await discard(context, name);
  else await runSteps(steps, { context, object }, run);
}
