import { type ClusterCatalog, catalogFinalizer, parseClusterCatalog, parseImageReference } from '../../api/index.ts';
import {
  changedConditions,
  type ReconcileRun,
  requeueAfter,
  StatusWriter,
  type Step,
  type WorkState,
} from '../../controller/index.ts';
import {
  hasFinalizer,
  type KubeObject,
  type ObjectEvent,
  preconditionOf,
  refOf,
  removeFinalizer,
} from '../../kube/index.ts';
import type { CatalogRecord } from '../catalog-content/catalog-store.ts';
import { type CatalogContext, fieldManager } from './context.ts';
import { pollImage, restoreContent, restoreOrPoll } from './obtain.ts';
import { type Plan, planOf } from './plan.ts';
import { type Findings, setStatus } from './status.ts';
import { traitsOf } from './traits.ts';

/** Longer waits are had in pieces. */
const longestWaitMs = 24 * 60 * 60_000;

/** One reconcile of one ClusterCatalog. */
export interface CatalogRun extends ReconcileRun {
  readonly context: CatalogContext;
  readonly status: StatusWriter;
}

function catalogOf({ object }: CatalogRun): ClusterCatalog {
  return parseClusterCatalog(object);
}

/** What is stored for this very object. */
function storedFor({ context }: CatalogRun, { metadata }: ClusterCatalog): CatalogRecord | undefined {
  const stored = context.store.find(metadata.name);
  return stored?.uid === metadata.uid ? stored : undefined;
}

/** Aborts what is running, and removes what is stored. */
export async function discard(context: CatalogContext, name: string): Promise<void> {
  await context.unpacks.cancel(name);
  context.polls.delete(name);
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
  const written = await context.kube.patch(refOf(object), { metadata }, { fieldManager, signal });
  context.catalogs.wrote(written);
  run.status.rebase(run, written);
  return undefined;
};

/** Reasons of conditions that a user should act on. */
const warningReasons: ReadonlySet<string> = new Set(['Retrying', 'Blocked', 'InvalidPackages']);

function eventsOf(before: KubeObject, after: KubeObject): readonly ObjectEvent[] {
  return changedConditions(before, after).map(({ reason, message }) => ({
    type: warningReasons.has(reason) ? 'Warning' : 'Normal',
    reason,
    message,
  }));
}

function report(run: CatalogRun, findings: Findings): void {
  const { context, object } = run;
  if (context.isLeading()) setStatus(run, findings, `${context.baseUrl}/catalogs/${object.metadata.name}`);
}

const checkAvailability: Step<CatalogRun> = async (run) => {
  const catalog = catalogOf(run);
  if (catalog.spec.availabilityMode !== 'Unavailable') return undefined;
  await discard(run.context, catalog.metadata.name);
  report(run, { stored: undefined, state: { kind: 'done' }, isUnavailable: true });
  return 'stop';
};

/** The work of a plan, and a key that changes when running work is obsolete. */
function workFor(
  run: CatalogRun,
  plan: Plan,
): { key: string; work: (signal: AbortSignal) => Promise<void> } | undefined {
  const { context } = run;
  const catalog = catalogOf(run);
  const { uid, generation } = catalog.metadata;
  if (plan.kind === 'poll') {
    return { key: `poll ${uid} ${generation}`, work: (signal) => pollImage(context, catalog, signal) };
  }
  if (plan.kind !== 'restore') return undefined;
  const { ref } = plan;
  const restore = context.isLeading() ? restoreOrPoll : restoreContent;
  const key = `${context.isLeading() ? 'restore' : 'follow'} ${uid} ${generation} ${ref}`;
  return { key, work: (signal) => restore(context, catalog, { ref, signal }) };
}

/** Empty where the reference is none, which the work reports. */
function registryOf(run: CatalogRun): string {
  try {
    return parseImageReference(catalogOf(run).spec.source.image?.ref ?? '').registry;
  } catch {
    return '';
  }
}

/** Starts the work of the plan unless it runs; returns its state. */
function advance(run: CatalogRun, plan: Plan): WorkState | { readonly kind: 'done' } {
  const { unpacks } = run.context;
  const name = run.object.metadata.name ?? '';
  const desired = workFor(run, plan);
  if (desired === undefined) return { kind: 'done' };
  const id = { name, input: desired.key };
  const state = unpacks.stateOf(id);
  if (state.kind !== 'due') return state;
  unpacks.start(id, desired.work, { group: registryOf(run) });
  return { kind: 'running', quietMs: 0 };
}

function requeueAt(run: CatalogRun, untilMs: number): void {
  requeueAfter(run, Math.min(longestWaitMs, untilMs - run.context.clock.now()));
}

const keepContent: Step<CatalogRun> = async (run) => {
  const { context } = run;
  const catalog = catalogOf(run);
  const { name } = catalog.metadata;
  const stored = storedFor(run, catalog);
  if (stored === undefined && context.store.find(name) !== undefined) await context.store.remove(name);
  context.store.describe(name, traitsOf(catalog));
  const poll = context.polls.get(name);
  const plan = planOf({ catalog, stored, poll, isLeading: context.isLeading(), nowMs: context.clock.now() });
  const state = advance(run, plan);
  report(run, { stored, state, isUnavailable: false });
  if (state.kind === 'failed' && state.nextTryMs !== undefined) requeueAt(run, state.nextTryMs);
  if (plan.kind === 'keep' && plan.dueMs !== undefined) requeueAt(run, plan.dueMs);
  return undefined;
};

/** Brings the content of one ClusterCatalog, and where this process leads its status, to where they should be. */
export const steps: readonly Step<CatalogRun>[] = [removeDeleted, ensureFinalizer, checkAvailability, keepContent];

/** The reconcile of `object`. */
export function beginCatalog(context: CatalogContext, object: KubeObject): CatalogRun {
  const { kube, clock, catalogs: cache, events } = context;
  return { context, object, status: new StatusWriter(object, { kube, clock, cache, events, eventsOf, fieldManager }) };
}
