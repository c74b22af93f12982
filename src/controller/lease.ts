import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';

/** Which Lease is stood for. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** What somebody else's lease says. */
interface LeaseRecord {
  /** Another text after every renewal. */
  readonly text: string;
  readonly durationMs: number;
}

function specOf(lease: KubeObject): JsonObject {
  return isJsonObject(lease['spec']) ? lease['spec'] : {};
}

function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}

/** A Lease that nobody holds and no server has. */
export function namedLease({ namespace, name }: LeaseName): KubeObject {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace } };
}

/** Empty when nobody holds it. */
export function holderOf(lease: KubeObject): string {
  const { holderIdentity } = specOf(lease);
  return typeof holderIdentity === 'string' ? holderIdentity : '';
}

/** What tells one renewal from another. */
export function recordOf(lease: KubeObject): LeaseRecord {
  const { renewTime = null, leaseTransitions = null, leaseDurationSeconds } = specOf(lease);
  const { uid = '', resourceVersion = '' } = lease.metadata;
  const text = JSON.stringify([uid, resourceVersion, holderOf(lease), renewTime, leaseTransitions]);
  return { text, durationMs: typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds * 1000 : 0 };
}

/** What the holder of a lease says on it. */
export interface LeaseNote {
  readonly annotation: string;
  /** Undefined: nothing. */
  readonly value: string | undefined;
}

function noted(lease: KubeObject, note: LeaseNote | undefined): KubeObject {
  if (note === undefined) return lease;
  const { [note.annotation]: _before, ...others } = lease.metadata.annotations ?? {};
  const annotations = note.value === undefined ? others : { ...others, [note.annotation]: note.value };
  return { ...lease, metadata: { ...lease.metadata, annotations } };
}

/** Whether somebody has said something else on the lease. */
export function isNotedOtherwise({ metadata }: KubeObject, { annotation, value }: LeaseNote): boolean {
  const before = metadata.annotations?.[annotation];
  return before !== undefined && before !== value;
}

/** The lease as `identity` holds it from now on. */
export function leaseFor(
  lease: KubeObject,
  {
    identity,
    durationMs,
    nowMs,
    note,
  }: {
    readonly identity: string;
    readonly durationMs: number;
    readonly nowMs: number;
    readonly note?: LeaseNote | undefined;
  },
): KubeObject {
  const spec = specOf(lease);
  const now = microTime(nowMs);
  const isKept = holderOf(lease) === identity;
  const transitions = typeof spec['leaseTransitions'] === 'number' ? spec['leaseTransitions'] : 0;
  const isFirst = lease.metadata.resourceVersion === undefined;
  const next = {
    ...spec,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    renewTime: now,
    ...(isKept ? {} : { acquireTime: now, leaseTransitions: isFirst ? 0 : transitions + 1 }),
  };
  return { ...noted(lease, note), spec: next };
}

/** So short is a lease that its holder has given up, by convention of all who use Leases. */
const givenBackSeconds = 1;

/** Whether nobody holds the lease, and nobody can be in doubt about that. */
export function isGivenBack(lease: KubeObject): boolean {
  return holderOf(lease) === '' && recordOf(lease).durationMs <= givenBackSeconds * 1000;
}

/** The lease as its holder leaves it to the next one. */
export function freeLease(lease: KubeObject, nowMs: number): KubeObject {
  const { holderIdentity: _given, ...spec } = specOf(lease);
  return { ...lease, spec: { ...spec, leaseDurationSeconds: givenBackSeconds, renewTime: microTime(nowMs) } };
}
