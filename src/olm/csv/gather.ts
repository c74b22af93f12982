import { type OperatorCondition, operatorConditionResource, parseOperatorCondition } from '../../api/index.ts';
import { remainingMs } from '../../base/index.ts';
import { findObject, isKubeError, NoKindMatch } from '../../kube/index.ts';
import { type ApiKey, formatApi, podAnnotations } from '../../operators/index.ts';
import { adoptDeployments } from './adopt-deployments.ts';
import { hasForeignDefinition, isReplacementInstalled, predecessorsOf, replacedBy, replacementsOf } from './chain.ts';
import { checkDeployments } from './check-deployments.ts';
import type { FailedFacts, InstallCheck, PendingFacts, ReplacingFacts, SucceededFacts } from './facts.ts';
import { upgradeGate } from './gate.ts';
import { deploymentsOf, ownedDeployments } from './install.ts';
import { readable } from './readable.ts';
import { checkRequirements, type Requirements } from './requirements.ts';
import type { CsvRun, MemberRun } from './run.ts';
import {
  areCertificatesDue,
  checkServing,
  foreignApiService,
  readServing,
  servingProblem,
  webhookFault,
} from './serving/index.ts';
import { readVersion, versionKeys } from './version-index.ts';

async function isServed({ context }: CsvRun, api: ApiKey, signal: AbortSignal): Promise<boolean> {
  const apiVersion = api.group === '' ? api.version : `${api.group}/${api.version}`;
  try {
    await context.kube.resolve(apiVersion, api.kind, { signal });
    return true;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return false;
    throw thrown;
  }
}

/** The kinds that the API server must serve; one request a group and version that is not known yet. */
async function servedApis(run: CsvRun, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { nativeAPIs = [], apiservicedefinitions } = run.csv.spec;
  const served = new Set<string>();
  for (const api of [...nativeAPIs, ...(apiservicedefinitions?.required ?? [])]) {
    if (await isServed(run, api, signal)) served.add(formatApi(api));
  }
  return served;
}

/** Checks the requirements against the caches. */
export async function requirementsOf(run: CsvRun, signal: AbortSignal): Promise<Requirements> {
  const { context, csv, namespace, versions } = run;
  const { caches, permissions, serverVersion } = context;
  const { name, uid = '' } = csv.metadata;
  const served = await servedApis(run, signal);
  const isVersionRequired = (csv.spec.minKubeVersion ?? '') !== '';
  return checkRequirements(csv, {
    definition: (definition) => caches.summaries.get(definition),
    apiService: (service) => caches.apiServices.get(service),
    account: (account) => caches.accounts.get(account, namespace),
    rulesOf: (account, scope) =>
      permissions.rulesOf({ namespace, name: account }, scope === 'cluster' ? undefined : namespace, {
        namespace,
        name,
        uid,
      }),
    isServed: (api) => served.has(formatApi(api)),
    serverVersion: isVersionRequired ? await serverVersion.read(signal) : undefined,
    predecessors: new Set(predecessorsOf(csv, versions).map(({ metadata }) => metadata.name)),
  });
}

const readCondition = readable(parseOperatorCondition);

function conditionOf({ context, namespace }: CsvRun, name: string): OperatorCondition | undefined {
  const object = context.caches.conditions.get(name, namespace);
  return object === undefined ? undefined : readCondition(object);
}

function ownershipOf({
  context,
  csv,
  namespace,
  versions,
}: CsvRun): Pick<PendingFacts, 'webhookFault' | 'hasForeignDefinition' | 'foreignApiService'> {
  const owned = csv.spec.customresourcedefinitions?.owned ?? [];
  const owners = owned.flatMap(({ name }) => context.versions.get(versionKeys.owning(namespace, name)));
  return {
    webhookFault: webhookFault(csv),
    hasForeignDefinition: hasForeignDefinition(
      csv,
      owners.flatMap((owner) => readVersion(owner) ?? []),
      versions,
    ),
    foreignApiService: foreignApiService(context.serving, csv),
  };
}

const givesWay = ['Replacing', 'Deleting'];
const graceMs = 2_000;

/** What is created together with the operator may come after it: at first that is no failure. */
function remainingGraceMs({ context, csv }: CsvRun): number {
  const { reason, lastTransitionTime = '' } = csv.status ?? {};
  if (reason !== 'RequirementsUnknown') return 0;
  return remainingMs(Date.parse(lastTransitionTime), graceMs, context.clock.now());
}

/** Facts of Pending. */
export function pendingFacts(run: CsvRun, { result }: Requirements): PendingFacts {
  const before = replacedBy(run.csv, run.versions);
  return {
    gate: before === undefined ? undefined : upgradeGate(conditionOf(run, before.metadata.name)),
    requirements: result,
    ...ownershipOf(run),
    graceMs: remainingGraceMs(run),
    isAwaitingReplaced: before !== undefined && !givesWay.includes(before.status?.phase ?? ''),
  };
}

/** The gate as the API server has it. What the operator reported before its successor was created may not be cached yet, and an upgrade is never rolled back. */
export async function currentGate(run: CsvRun, signal: AbortSignal): Promise<string | undefined> {
  const before = replacedBy(run.csv, run.versions);
  if (before === undefined) return undefined;
  const { apiVersion, kind } = operatorConditionResource;
  const ref = { apiVersion, kind, namespace: run.namespace, name: before.metadata.name };
  const found = await findObject(run.context.kube, ref, { signal });
  return found && upgradeGate(readCondition(found));
}

/** Compares what is installed with what is desired; undefined where the Deployments cannot be computed. */
export async function installCheck(run: CsvRun, signal: AbortSignal): Promise<InstallCheck | undefined> {
  const { context, csv, namespace } = run;
  const serving = readServing(context.serving, csv);
  if (serving === undefined) return undefined;
  const desired = deploymentsOf(context, csv, serving);
  await adoptDeployments(run, desired, signal);
  const strategy = checkDeployments({
    uid: csv.metadata.uid ?? '',
    desired,
    live: (name) => context.caches.deployments.get(name, namespace),
    owned: ownedDeployments(context, csv).map(({ metadata }) => metadata.name ?? ''),
    podAnnotations: podAnnotations(csv),
  });
  try {
    return { strategy, ...(await checkServing(context.serving, csv, signal)) };
  } catch (thrown) {
    if (!isKubeError(thrown) || thrown.failure.status !== 503) throw thrown;
    const unknown = { state: 'NotInstalled' } as const;
    return { strategy, apiServices: unknown, webhooks: unknown, isServerUnavailable: true };
  }
}

/** Certificates that were issued, and do not exist any more, are issued again as those that are due. */
function areCertificatesLost({ context, csv }: CsvRun): boolean {
  return csv.status?.certsRotateAt !== undefined && readServing(context.serving, csv) === undefined;
}

/** Facts of Succeeded. */
export async function succeededFacts(
  run: MemberRun,
  { result }: Requirements,
  signal: AbortSignal,
): Promise<SucceededFacts> {
  const { context, csv, versions } = run;
  return {
    replacement: replacementsOf(csv, versions)[0]?.metadata.name,
    servingProblem: await servingProblem(context.serving, csv),
    areCertificatesDue: areCertificatesDue(context.serving, csv) || areCertificatesLost(run),
    requirements: result,
    check: await installCheck(run, signal),
  };
}

/** Whether failed members of the group may be replaced. */
function isFailForward({ group }: MemberRun): boolean {
  return group.spec?.upgradeStrategy === 'TechPreviewUnsafeFailForward';
}

/** Facts of Failed. `retry` is another attempt to install. */
export async function failedFacts(
  run: MemberRun,
  requirements: Requirements,
  { signal, retry }: { readonly signal: AbortSignal; readonly retry: FailedFacts['retry'] },
): Promise<FailedFacts> {
  const { context, csv } = run;
  return {
    ...(await succeededFacts(run, requirements, signal)),
    ...ownershipOf(run),
    servingProblem: await servingProblem(context.serving, csv),
    reason: csv.status?.reason ?? '',
    isFailForward: isFailForward(run),
    retry,
  };
}

/** Facts of Replacing. */
export function replacingFacts(run: MemberRun): ReplacingFacts {
  const { csv, versions } = run;
  return {
    isReplacedPresent: replacedBy(csv, versions) !== undefined,
    hasReplacement: replacementsOf(csv, versions).length > 0,
    isReplacementInstalled: isReplacementInstalled(csv, versions, isFailForward(run)),
  };
}
