import type { CatalogConnectionState, CatalogSource, CatalogSourceReason } from '../../api/index.ts';
import { formatTimestamp, type JsonObject } from '../../base/index.ts';
import type { CatalogRecord } from '../catalog-content/catalog-store.ts';
import { pullFailureText } from '../catalog-content/pull-failure.ts';
import type { CatalogService, Progress, SeenConfigMap } from './context.ts';
import { configMapError, missingConfigMap } from './obtain.ts';
import { type Origin, originText } from './origin.ts';
import type { PollInterval } from './poll-interval.ts';

/** What is found for a CatalogSource. */
export interface Findings {
  readonly source: CatalogSource;
  readonly origin: Origin;
  readonly stored: CatalogRecord | undefined;
  /** Of the last work on it. */
  readonly failure: { readonly error: Error } | undefined;
  readonly connection: { readonly state: CatalogConnectionState; readonly problem: string | undefined } | undefined;
  readonly configMap: SeenConfigMap | undefined;
  readonly interval: PollInterval;
  readonly progress: Progress;
  /** Where others reach the catalog. */
  readonly service: CatalogService | undefined;
  /** Why there is none though one was requested. */
  readonly serviceProblem: string | undefined;
  readonly nowMs: number;
}

interface Problem {
  readonly reason: CatalogSourceReason;
  readonly message: string;
}

/** Whether the content of the spec as it is can be used. */
export function isCurrent({ stored, origin }: Findings): boolean {
  return stored?.askedRef === originText(origin);
}

function failureOf({ failure, connection, origin, configMap }: Findings): Problem | undefined {
  if (origin.kind === 'configMap' && configMap === undefined) {
    return { reason: configMapError, message: missingConfigMap(origin.name) };
  }
  if (connection?.problem !== undefined) {
    return { reason: 'RegistryServerError', message: `couldn't connect to registry - ${connection.problem}` };
  }
  if (failure === undefined) return undefined;
  const message = pullFailureText(failure.error);
  if (origin.kind === 'configMap') return { reason: configMapError, message };
  return { reason: 'RegistryServerError', message: `couldn't ensure registry server - ${message}` };
}

/** Why the content cannot be read, or is not the newest.
 *  @see docs/spec/olm-v0.md#catalogsource-reconcile */
export function problemOf(findings: Findings): Problem | undefined {
  const { stored, interval, origin } = findings;
  const failure = failureOf(findings);
  if (failure !== undefined) {
    const rest = stored === undefined ? '' : `; the content of ${stored.unpackedAt} is still used`;
    return { ...failure, message: `${failure.message}${rest}` };
  }
  if (findings.serviceProblem !== undefined) {
    return { reason: 'RegistryServerError', message: `couldn't ensure registry server - ${findings.serviceProblem}` };
  }
  // For a registry by address the original does not report it.
  if (interval.fault === undefined || origin.kind === 'address') return undefined;
  return { reason: 'InvalidIntervalError', message: interval.fault };
}

/** What clients wait for: READY as soon as the content can be used.
 *  @see docs/spec/olm-v0.md#catalogsource */
export function connectionStateOf(findings: Findings): CatalogConnectionState {
  const { connection, origin } = findings;
  if (origin.kind === 'address') {
    const known = connection?.state ?? 'CONNECTING';
    if (known !== 'READY') return known;
  }
  if (isCurrent(findings)) return 'READY';
  return failureOf(findings) === undefined ? 'CONNECTING' : 'TRANSIENT_FAILURE';
}

function connectionFields(findings: Findings): JsonObject {
  const { source, origin, serviceProblem, nowMs } = findings;
  const service = serviceProblem === undefined ? findings.service : undefined;
  const { namespace } = source.metadata;
  const address =
    origin.kind === 'address' ? origin.address : service && `${service.name}.${namespace}.svc:${service.port}`;
  const lastObservedState = connectionStateOf(findings);
  const before = source.status?.connectionState;
  const isSame = before?.lastObservedState === lastObservedState && before.address === address;
  const lastConnect = (isSame ? before.lastConnect : undefined) ?? formatTimestamp(nowMs);
  return { lastObservedState, lastConnect, ...(address === undefined ? {} : { address }) };
}

function serviceFields({ source, service, serviceProblem, nowMs }: Findings): JsonObject {
  const createdAt = source.status?.registryService?.createdAt ?? formatTimestamp(nowMs);
  if (service === undefined || serviceProblem !== undefined) return { createdAt, protocol: 'grpc' };
  const { namespace = '' } = source.metadata;
  const place = { serviceName: service.name, serviceNamespace: namespace, port: String(service.port) };
  return { createdAt, protocol: 'grpc', ...place };
}

function configMapFields({ source, origin, progress, nowMs }: Findings): JsonObject | null {
  const { configMap } = progress;
  const before = source.status?.configMapReference;
  if (origin.kind !== 'configMap') return null;
  if (configMap === undefined) return before === undefined ? null : { ...before };
  const isSame = before?.uid === configMap.uid && before.resourceVersion === configMap.resourceVersion;
  if (isSame) return { ...before };
  const { namespace = '' } = source.metadata;
  return { name: origin.name, namespace, ...configMap, lastUpdateTime: formatTimestamp(nowMs) };
}

function pollFields({ interval, progress, source, origin }: Findings): string | null {
  if (interval.everyMs === undefined || origin.kind !== 'image') return null;
  const { polledMs } = progress;
  return polledMs === undefined ? (source.status?.latestImageRegistryPoll ?? null) : formatTimestamp(polledMs);
}

/** Members of the status; null where there is to be none. */
export function statusFields(findings: Findings): JsonObject {
  const problem = problemOf(findings);
  return {
    message: problem?.message ?? null,
    reason: problem?.reason ?? null,
    connectionState: connectionFields(findings),
    registryService: serviceFields(findings),
    configMapReference: configMapFields(findings),
    latestImageRegistryPoll: pollFields(findings),
  };
}

/** Members of the status of a spec that only another one can correct. */
export function invalidFields(message: string): JsonObject {
  const nothing = { connectionState: null, registryService: null, configMapReference: null };
  return { message, reason: 'SpecInvalidError', latestImageRegistryPoll: null, ...nothing };
}
