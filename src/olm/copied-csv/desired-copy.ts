import { olmAnnotations, olmLabelPrefixes, olmLabels } from '../../api/index.ts';
import { isJsonEqual, type JsonObject, type JsonValue, sha256Digest } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';

/** What copies of one ClusterServiceVersion have in common. */
export interface DesiredCopy {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonValue;
  readonly status: JsonObject;
  /** Stands for labels, annotations and spec. */
  readonly mainHash: string;
  readonly statusHash: string;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function without(
  map: Readonly<Record<string, string>> = {},
  isOmitted: (key: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !isOmitted(key)));
}

/** @see docs/spec/olm-v0.md#copied-csvs */
export function desiredCopy({ metadata, ...original }: KubeObject): DesiredCopy {
  const { namespace = '' } = metadata;
  const labels = {
    ...without(metadata.labels, (key) => key.startsWith(olmLabelPrefixes.component)),
    [olmLabels.copiedFrom]: namespace,
  };
  const annotations = without(
    metadata.annotations,
    (key) => key === olmAnnotations.targetNamespaces || key === lastApplied,
  );
  const spec = (original['spec'] ?? {}) as JsonValue;
  const message = `The operator is running in ${namespace} but is managing this namespace`;
  const status = { ...(original['status'] as JsonObject | undefined), reason: 'Copied', message };
  const hash = (...values: readonly JsonValue[]): string => sha256Digest(JSON.stringify(values));
  return { labels, annotations, spec, status, mainHash: hash(labels, annotations, spec), statusHash: hash(status) };
}

function has(map: Readonly<Record<string, string>> = {}, desired: Readonly<Record<string, string>>): boolean {
  return Object.entries(desired).every(([key, value]) => map[key] === value);
}

/** Whether a copy has the labels and annotations, and none that only originals have. Further ones are allowed. */
export function hasMetadata({ metadata }: KubeObject, desired: DesiredCopy): boolean {
  const { labels, annotations } = metadata;
  if (annotations?.[olmAnnotations.targetNamespaces] !== undefined) return false;
  return has(labels, desired.labels) && has(annotations, desired.annotations);
}

/** What a copy that was read has the same as desired, as hashes; empty where it differs. */
export function hashesOf(copy: KubeObject, desired: DesiredCopy): { readonly main: string; readonly status: string } {
  const isMain = hasMetadata(copy, desired) && isJsonEqual(copy['spec'] as JsonValue, desired.spec);
  const isStatus = isJsonEqual((copy['status'] ?? {}) as JsonValue, desired.status);
  return { main: isMain ? desired.mainHash : '', status: isStatus ? desired.statusHash : '' };
}

/** A copy with the labels, annotations and spec that are desired; others of `live` stay. */
export function copyObject(live: KubeObject, desired: DesiredCopy): KubeObject {
  const { [olmAnnotations.targetNamespaces]: _targets, ...annotations } = live.metadata.annotations ?? {};
  const metadata = {
    ...live.metadata,
    labels: { ...live.metadata.labels, ...desired.labels },
    annotations: { ...annotations, ...desired.annotations },
  };
  return { apiVersion: live.apiVersion, kind: live.kind, metadata, spec: desired.spec };
}
