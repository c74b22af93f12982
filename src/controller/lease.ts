import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';

/** The Lease that candidates compete for. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** The lease of another holder. */
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

/** A Lease without holder that no server has stored. */
export function namedLease({ namespace, name }: LeaseName): KubeObject {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace } };
}

/** Empty when it has no holder. */
export function holderOf(lease: KubeObject): string {
  const { holderIdentity } = specOf(lease);
  return typeof holderIdentity === 'string' ? holderIdentity : '';
}

/** Differs after every renewal. */
export function recordOf(lease: KubeObject): LeaseRecord {
  const { renewTime = null, leaseTransitions = null, leaseDurationSeconds } = specOf(lease);
  const { uid = '', resourceVersion = '' } = lease.metadata;
  const text = JSON.stringify([uid, resourceVersion, holderOf(lease), renewTime, leaseTransitions]);
  return { text, durationMs: typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds * 1000 : 0 };
}

/** An annotation that the holder sets on its lease. */
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

/** Whether the lease has the annotation with another value. */
export function hasOtherNote({ metadata }: KubeObject, { annotation, value }: LeaseNote): boolean {
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
  const isRenewal = holderOf(lease) === identity;
  const transitions = typeof spec['leaseTransitions'] === 'number' ? spec['leaseTransitions'] : 0;
  const isFirst = lease.metadata.resourceVersion === undefined;
  const next = {
    ...spec,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    renewTime: now,
    ...(isRenewal ? {} : { acquireTime: now, leaseTransitions: isFirst ? 0 : transitions + 1 }),
  };
  return { ...noted(lease, note), spec: next };
}

/** The duration of a released lease, as client-go sets it. */
const releasedSeconds = 1;

/** Whether the holder released the lease itself. */
export function isReleased(lease: KubeObject): boolean {
  return holderOf(lease) === '' && recordOf(lease).durationMs <= releasedSeconds * 1000;
}

/** The lease as its holder releases it. */
export function releasedLease(lease: KubeObject, nowMs: number): KubeObject {
  const { holderIdentity: _given, ...spec } = specOf(lease);
  return { ...lease, spec: { ...spec, leaseDurationSeconds: releasedSeconds, renewTime: microTime(nowMs) } };
}
