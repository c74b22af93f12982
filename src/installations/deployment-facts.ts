import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from '../base/index.ts';
import { type Condition, conditionsOf, type KubeObject } from '../kube/index.ts';

/** What `longshore list` shows of a BundleDeployment. */
export interface DeploymentFacts {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly bundle: string;
  /** Number of the installed revision; 0 before the first. */
  readonly revision: number;
  /** `Installed`, `Unhealthy`, `Deleting`, or the reason of what keeps it from being installed. */
  readonly state: string;
  readonly message: string;
  readonly createdAt: string;
}

/** A revision of a BundleDeployment, as its status records it. */
export interface Revision {
  readonly revision: number;
  readonly bundle: string;
  readonly version: string;
  readonly source: string;
  readonly installedAt: string;
  readonly resolvedSource: JsonObject | undefined;
  /** Undefined when it was too large to be recorded. */
  readonly spec: JsonObject | undefined;
}

function statusOf(object: KubeObject): JsonObject {
  return isJsonObject(object['status']) ? object['status'] : {};
}

/** The recorded revisions, oldest first. */
export function revisionsOf(object: KubeObject): readonly Revision[] {
  return listAt(statusOf(object), 'history')
    .filter(isJsonObject)
    .map((entry) => ({
      revision: Number(entry['revision']),
      bundle: textAt(entry, 'bundle'),
      version: textAt(entry, 'version'),
      source: textAt(entry, 'source'),
      installedAt: textAt(entry, 'installedAt'),
      resolvedSource: objectAt(entry, 'resolvedSource'),
      spec: objectAt(entry, 'spec'),
    }));
}

const watched = ['HasValidBundle', 'Installed', 'Healthy'] as const;

function isGood(condition: Condition | undefined): boolean {
  return condition?.status === 'True' && condition.reason !== 'UnpackPending';
}

/** It is not reconciled, whatever its other conditions. */
function isStopped({ type, status, reason }: Condition): boolean {
  return (type === 'Paused' && status === 'True') || reason === 'NoProvisioner';
}

function standing(object: KubeObject): Pick<DeploymentFacts, 'state' | 'message'> {
  const conditions = conditionsOf(object);
  const find = (type: string): Condition | undefined => conditions.find((condition) => condition.type === type);
  if (object.metadata.deletionTimestamp !== undefined) {
    return { state: 'Deleting', message: find('Removing')?.message ?? '' };
  }
  const stopped = conditions.find(isStopped);
  if (stopped !== undefined) return { state: stopped.reason, message: stopped.message };
  const missing = watched.find((type) => !isGood(find(type)));
  if (missing === undefined) return { state: 'Installed', message: '' };
  const { reason = 'Pending', message = 'no provisioner has reconciled it yet' } = find(missing) ?? {};
  return { state: reason, message };
}

/** Reads the facts from spec and status of the object. */
export function deploymentFacts(object: KubeObject): DeploymentFacts {
  const status = statusOf(object);
  return {
    name: object.metadata.name ?? '',
    version: textAt(status, 'activeVersion'),
    source: textAt(status, 'activeSource'),
    bundle: textAt(status, 'activeBundle'),
    revision: revisionsOf(object).at(-1)?.revision ?? 0,
    ...standing(object),
    createdAt: object.metadata.creationTimestamp ?? '',
  };
}
