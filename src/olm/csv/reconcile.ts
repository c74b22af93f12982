import { formatTimestamp, type JsonObject, TransientError } from '../../base/index.ts';
import { requeueAfter, type Step } from '../../controller/index.ts';
import { HeldRules } from '../../rbac/index.ts';
import { cleanUp, deleteVersion } from './clean-up.ts';
import { type Decision, firstOf } from './decision.ts';
import type { InstallResult } from './facts.ts';
import {
  currentGate,
  failedFacts,
  installCheck,
  pendingFacts,
  replacingFacts,
  requirementsOf,
  succeededFacts,
} from './gather.ts';
import { install } from './install.ts';
import { excessOf } from './limits.ts';
import { ensureMember } from './membership.ts';
import type { Requirements } from './requirements.ts';
import { failedRows, installingRows, replacingRows, succeededRows } from './rows-after-install.ts';
import { firstDecision, installReadyRows, pendingRows } from './rows-before-install.ts';
import { applyDecision, type CsvRun, type MemberRun } from './run.ts';

const installTimeoutMs = 5 * 60_000;
/** How often what no watch reports is read again: the version of the server, and built-in kinds. */
const pollMs = 5 * 60_000;
/** Timers have a limit, and certificates last longer. */
const longestWaitMs = 24 * 60 * 60_000;
const retryMs = 60_000;

/** Ends with a decision, and the requirements where they were checked. */
type Advance = (
  run: MemberRun,
  signal: AbortSignal,
) => Promise<{ readonly decision: Decision; readonly requirements?: Requirements }>;

function pollUnmet(run: CsvRun, { result }: Requirements): void {
  const { minKubeVersion, nativeAPIs = [] } = run.csv.spec;
  if (result.state === 'Unmet' && (minKubeVersion !== undefined || nativeAPIs.length > 0)) requeueAfter(run, pollMs);
}

const pending: Advance = async (run, signal) => {
  const requirements = await requirementsOf(run, signal);
  pollUnmet(run, requirements);
  const facts = pendingFacts(run, requirements);
  const first = firstOf(pendingRows, facts).decision;
  const isReady = first.kind === 'Move' && first.phase === 'InstallReady';
  const decision = isReady ? firstOf(pendingRows, { ...facts, gate: await currentGate(run, signal) }).decision : first;
  // What waits for another operator reports nothing about itself.
  const isReported = decision.kind === 'Move' && decision.reason !== 'OperatorConditionNotUpgradeable';
  return isReported ? { decision, requirements } : { decision };
};

/** Puts the dates of certificates into the status. */
function noteCertificates(run: CsvRun, result: InstallResult): void {
  if (result.state !== 'Done' || result.certificates === undefined) return;
  const { updatedAt, rotateAt } = result.certificates;
  run.status.setFields(run, { certsLastUpdated: updatedAt, certsRotateAt: rotateAt } satisfies JsonObject);
}

/** Permissions may count for the API server later than a watch shows them. */
function awaitPermissions({ context, csv, group, ...run }: MemberRun, result: InstallResult): number | undefined {
  const { uid = '', namespace = '', name } = csv.metadata;
  if (result.state !== 'Forbidden') return void context.forbidden.delete(uid);
  const version = context.permissions.version();
  const isChanged = context.forbidden.get(uid) !== version;
  context.forbidden.set(uid, version);
  if (isChanged) return 1_000;
  const account = { namespace: run.namespace, name: group.spec?.serviceAccountName ?? '' };
  const granted = context.permissions.rulesOf(account, namespace, { namespace, name, uid });
  const needed = { apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'update'] };
  return new HeldRules(granted).missing([needed]).length === 0 ? retryMs : undefined;
}

async function attempt(run: MemberRun, signal: AbortSignal): Promise<InstallResult> {
  const result = await install(run, signal);
  noteCertificates(run, result);
  const afterMs = result.state === 'Failed' && result.mayPass === true ? retryMs : awaitPermissions(run, result);
  if (afterMs !== undefined) requeueAfter(run, afterMs);
  return result;
}

const installReady: Advance = async (run, signal) => {
  return { decision: firstOf(installReadyRows, await attempt(run, signal)).decision };
};

const installing: Advance = async (run, signal) => {
  const { context, csv } = run;
  const sinceMs = Date.parse(csv.status?.lastTransitionTime ?? formatTimestamp(context.clock.now()));
  const remainingMs = Math.max(0, sinceMs + installTimeoutMs - context.clock.now());
  const check = await installCheck(run, signal);
  return { decision: firstOf(installingRows, { check, remainingMs }).decision };
};

function awaitRotation(run: CsvRun): void {
  const rotateAt = Date.parse(run.csv.status?.certsRotateAt ?? '');
  if (Number.isNaN(rotateAt)) return;
  requeueAfter(run, Math.min(longestWaitMs, Math.max(0, rotateAt - run.context.clock.now())));
}

const succeeded: Advance = async (run, signal) => {
  const requirements = await requirementsOf(run, signal);
  const facts = await succeededFacts(run, requirements, signal);
  awaitRotation(run);
  return { requirements, decision: firstOf(succeededRows, facts).decision };
};

const retried = ['InstallComponentFailed', 'InstallComponentFailedNoRetry'];

const failed: Advance = async (run, signal) => {
  const requirements = await requirementsOf(run, signal);
  const isRetried = requirements.result.state === 'Met' && retried.includes(run.csv.status?.reason ?? '');
  const retry = isRetried ? await attempt(run, signal) : undefined;
  const facts = await failedFacts(run, requirements, { signal, retry });
  return { requirements, decision: firstOf(failedRows, facts).decision };
};

const replacing: Advance = async (run) => {
  return await Promise.resolve({ decision: firstOf(replacingRows, replacingFacts(run)).decision });
};

const phases: Readonly<Record<string, Advance>> = {
  Pending: pending,
  InstallReady: installReady,
  Installing: installing,
  Succeeded: succeeded,
  Failed: failed,
  Replacing: replacing,
};

/** Step 10: the row of the state machine that holds. */
async function advance(run: MemberRun, signal: AbortSignal): Promise<void> {
  const phase = phases[run.csv.status?.phase ?? ''];
  const { decision, requirements } =
    phase === undefined ? { decision: firstDecision, requirements: undefined } : await phase(run, signal);
  applyDecision(run, decision, requirements?.entries);
  if (decision.kind === 'Stay' && decision.problem !== undefined) {
    await run.status.flush(run, signal);
    throw new TransientError('NotReady', decision.problem);
  }
}

const remove: Step<CsvRun> = async (run, { signal }) => {
  if (run.csv.metadata.deletionTimestamp !== undefined) {
    await cleanUp(run, signal);
    return 'stop';
  }
  if (run.csv.status?.phase !== 'Deleting') return undefined;
  await deleteVersion(run, signal);
  return 'stop';
};

/** Before anything is written for it. */
const refuseExcess: Step<CsvRun> = async (run) => {
  await Promise.resolve();
  const excess = excessOf(run.csv);
  if (excess === undefined) return undefined;
  applyDecision(run, excess);
  return 'stop';
};

const progress: Step<CsvRun> = async (run, { signal }) => {
  const member = await ensureMember(run, signal);
  if (member !== undefined) await advance(member, signal);
  return undefined;
};

/** The steps of a reconcile.
 *  @see docs/spec/olm-v0.md#one-csv-reconcile */
export const steps: readonly Step<CsvRun>[] = [remove, refuseExcess, progress];
