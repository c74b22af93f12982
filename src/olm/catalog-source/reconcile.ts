import { type CatalogSource, parseCatalogSource } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';
import { requeueAfter, type Step, type WorkFailure } from '../../controller/index.ts';
import { formatNamespacedName, type NamespacedName, namespacedName } from '../../kube/index.ts';
import type { CatalogSourceContext, Progress, SeenConfigMap } from './context.ts';
import { readContent } from './obtain.ts';
import { type Origin, originOf, specInvalid } from './origin.ts';
import { type Plan, planOf } from './plan.ts';
import { pollIntervalOf } from './poll-interval.ts';
import { RegistryConnection } from './registry-connection.ts';
import type { SourceRun } from './run.ts';
import { ensureService, serviceOf } from './service.ts';
import { connectionStateOf, type Findings, invalidFields, isCurrent, problemOf, statusFields } from './status.ts';
import { fillImageTemplate } from './template-step.ts';
import { traitsOf } from './traits.ts';

/** Longer waits are had in pieces. */
const longestWaitMs = 24 * 60 * 60_000;

/** Ends the work for an object and removes what is stored of it. */
async function discard(context: CatalogSourceContext, key: string, uid: string): Promise<void> {
  await context.work.cancel(key);
  context.connections.get(uid)?.[Symbol.dispose]();
  context.connections.delete(uid);
  context.progress.delete(uid);
  context.serviceProblems.delete(uid);
  await context.store.remove(uid);
}

/** The object does not exist any more. */
export async function forgetSource(context: CatalogSourceContext, request: NamespacedName): Promise<void> {
  const key = formatNamespacedName(request);
  const uid = context.uids.get(key);
  if (uid !== undefined) await discard(context, key, uid);
  context.uids.delete(key);
  context.directory.forget(request, uid);
}

/** Content belongs to the object with the uid: one of the same name is another catalog. */
const replaceFormer: Step<SourceRun> = async ({ context, object }) => {
  const key = formatNamespacedName(namespacedName(object));
  const { uid = '', deletionTimestamp } = object.metadata;
  const former = context.uids.get(key);
  if (former !== undefined && former !== uid) await forgetSource(context, namespacedName(object));
  context.uids.set(key, uid);
  return deletionTimestamp === undefined ? undefined : 'stop';
};

function report(run: SourceRun, fields: Parameters<SourceRun['status']['setFields']>[1]): void {
  if (run.context.isLeading()) run.status.setFields(run, fields);
}

/** Reads the spec; undefined for one that only another one can correct, which is reported. */
async function originIn(run: SourceRun, source: CatalogSource): Promise<Origin | undefined> {
  try {
    return originOf(source);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== specInvalid) throw thrown;
    await discard(run.context, formatNamespacedName(namespacedName(run.object)), source.metadata.uid ?? '');
    report(run, invalidFields(thrown.message));
    run.context.directory.note(run.object, { problem: thrown.message, state: '' });
    return undefined;
  }
}

/** The connection to the registry of an address, opened if there is none; that of an earlier address is closed. */
function connectionFor(run: SourceRun, uid: string, origin: Origin): RegistryConnection | undefined {
  const { connections, clock, enqueue } = run.context;
  const address = origin.kind === 'address' ? origin.address : undefined;
  const open = connections.get(uid);
  if (open !== undefined && open.address === address) return open;
  open?.[Symbol.dispose]();
  connections.delete(uid);
  if (address === undefined) return undefined;
  const place = namespacedName(run.object);
  const connection = new RegistryConnection({ address, clock, onChange: () => enqueue(place) });
  connections.set(uid, connection);
  return connection;
}

function configMapOf({ context, object }: SourceRun, origin: Origin): SeenConfigMap | undefined {
  if (origin.kind !== 'configMap') return undefined;
  const found = context.configMaps.get(origin.name, object.metadata.namespace ?? '');
  if (found === undefined) return undefined;
  const { uid = '', resourceVersion = '' } = found.metadata;
  return { uid, resourceVersion };
}

interface Work {
  readonly source: CatalogSource;
  readonly origin: Origin;
  readonly progress: Progress;
}

/** Starts the work of the plan unless it runs; returns its last failure, which stands until another outcome. */
function advance({ context, object }: SourceRun, plan: Plan, work: Work): WorkFailure | undefined {
  if (plan.kind !== 'read') return undefined;
  const place = namespacedName(object);
  const id = { name: formatNamespacedName(place), input: plan.key };
  const state = context.work.stateOf(id);
  if (state.kind === 'due') {
    context.work.start(id, (signal) => readContent({ context, ...work, signal }), { group: place.namespace });
  }
  const failure = state.kind === 'failed' ? state : context.work.failureOf(id);
  return failure && { error: failure.error, nextTryMs: state.kind === 'failed' ? failure.nextTryMs : undefined };
}

function progressOf({ progress }: CatalogSourceContext, uid: string): Progress {
  const known = progress.get(uid) ?? {};
  progress.set(uid, known);
  return known;
}

function requeueAt(run: SourceRun, untilMs: number | undefined): void {
  if (untilMs === undefined) return;
  requeueAfter(run, Math.min(longestWaitMs, untilMs - run.context.clock.now()));
}

/** Notifies others of what can be read. */
function note(run: SourceRun, findings: Findings): void {
  const { stored, source } = findings;
  const { name, namespace } = source.metadata;
  const failure = problemOf(findings)?.message;
  const unread =
    failure === undefined
      ? `no registry client established for catalogsource ${namespace}/${name}`
      : `failed to list bundles: ${failure}`;
  const traits = JSON.stringify([traitsOf(source), stored?.digest, connectionStateOf(findings), isCurrent(findings)]);
  run.context.directory.note(run.object, { problem: stored === undefined ? unread : undefined, state: traits });
}

const keepContent: Step<SourceRun> = async (run) => {
  const { context } = run;
  const source = parseCatalogSource(run.object);
  const { uid = '' } = source.metadata;
  const origin = await originIn(run, source);
  if (origin === undefined) return 'stop';
  context.store.describe(uid, traitsOf(source));
  const [progress, interval] = [progressOf(context, uid), pollIntervalOf(source)];
  const connection = connectionFor(run, uid, origin);
  const [stored, configMap, nowMs] = [context.store.find(uid), configMapOf(run, origin), context.clock.now()];
  const epoch = connection?.state === 'READY' ? connection.epoch : undefined;
  const { everyMs } = interval;
  const plan = planOf({ source, origin, stored, progress, everyMs, epoch, configMap, nowMs });
  const failure = advance(run, plan, { source, origin, progress });
  const [service, serviceProblem] = [serviceOf(source, context.grpc), context.serviceProblems.get(uid)];
  const findings = {
    source,
    origin,
    stored,
    failure,
    connection,
    configMap,
    interval,
    progress,
    service,
    serviceProblem,
    nowMs,
  };
  report(run, statusFields(findings));
  note(run, findings);
  requeueAt(run, failure?.nextTryMs);
  if (plan.kind === 'keep') requeueAt(run, plan.dueMs);
  return undefined;
};

/** Brings the content of one CatalogSource, and where this process leads its status, to where they should be. */
export const steps: readonly Step<SourceRun>[] = [replaceFormer, fillImageTemplate, ensureService, keepContent];
