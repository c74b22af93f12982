import { isJsonObject, type JsonValue } from '../../src/base/index.ts';
import type { KubeObject } from './kube-object.ts';

/** What decides whether a controller is concerned by an object: its labels, who controls it, and what it selects. */
export interface ObjectSummary {
  readonly labels: Readonly<Record<string, string>>;
  /** The uid of the controlling owner; empty without one. */
  readonly controllerUid: string;
  readonly isDeleting: boolean;
  /** `spec.selector` */
  readonly selector: JsonValue | undefined;
}

/** The summary of an object. */
export function summaryOf({ metadata, spec }: KubeObject): ObjectSummary {
  return {
    labels: metadata.labels ?? {},
    controllerUid: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? '',
    isDeleting: metadata.deletionTimestamp !== undefined,
    selector: isJsonObject(spec) ? spec['selector'] : undefined,
  };
}
