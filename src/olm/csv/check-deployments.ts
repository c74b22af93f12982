import { olmLabels } from '../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { StrategyHealth } from './facts.ts';

/** The Deployments that are desired, and those of the cluster. */
export interface DeploymentFacts {
  readonly uid: string;
  readonly desired: readonly KubeObject[];
  live(name: string): KubeObject | undefined;
  /** Names of those that the ClusterServiceVersion owns. */
  readonly owned: readonly string[];
  /** What the Pods must have. */
  readonly podAnnotations: Readonly<Record<string, string>>;
}

function annotationProblem(deployment: KubeObject, expected: Readonly<Record<string, string>>): string | undefined {
  const found = objectAt(deployment as JsonObject, 'spec', 'template', 'metadata', 'annotations') ?? {};
  const keys = Object.keys(expected).toSorted();
  if (keys.length > 0 && Object.keys(found).length === 0) return 'no annotations found on deployment';
  const missing = keys.find((key) => !Object.hasOwn(found, key));
  if (missing !== undefined) return `annotations on deployment does not contain expected key: ${missing}`;
  const other = keys.find((key) => found[key] !== expected[key]);
  if (other === undefined) return undefined;
  const [required, seen] = [expected[other], textAt(found, other)].map((value) => `${other}:${value}`);
  return `unexpected annotation on deployment. Expected ${required}, found ${seen}`;
}

function hashProblem(name: string, desired: KubeObject, live: KubeObject): string | undefined {
  const [expected, found] = [desired, live].map(({ metadata }) => metadata.labels?.[olmLabels.deploymentSpecHash]);
  if (found === undefined) return `deployment ${name} doesn't have a spec hash, update it`;
  return found === expected ? undefined : `deployment changed old hash=${found}, new hash=${expected}`;
}

/** Who owns Deployments, and what their Pods must have. */
export type DeploymentOwner = Pick<DeploymentFacts, 'uid' | 'podAnnotations'>;

/** Why the Deployment is to be applied again; undefined if it is as it should be. */
export function driftOf(desired: KubeObject, live: KubeObject, owner: DeploymentOwner): string | undefined {
  const { name = '' } = desired.metadata;
  const isOwned = (live.metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.uid);
  return (
    annotationProblem(live, owner.podAnnotations) ??
    hashProblem(name, desired, live) ??
    (isOwned ? undefined : `deployment ${name} is not owned by the ClusterServiceVersion`)
  );
}

function drift(desired: KubeObject, facts: DeploymentFacts): StrategyHealth | undefined {
  const { name = '' } = desired.metadata;
  const live = facts.live(name);
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) {
    return { state: 'Waiting', message: `missing deployment with name=${name}` };
  }
  const message = driftOf(desired, live, facts);
  return message === undefined ? undefined : { state: 'Outdated', message };
}

function numberAt(parent: JsonObject | undefined, key: string): number {
  const value = valueAt(parent, key);
  return typeof value === 'number' ? value : 0;
}

function conditionOf(status: JsonObject | undefined, type: string): JsonObject | undefined {
  return objectsAt(status, 'conditions').find((condition) => textAt(condition, 'type') === type);
}

/** Whether the Deployment has rolled out; undefined if it has. */
function rollout(live: KubeObject): StrategyHealth | undefined {
  const { name = '', generation = 0 } = live.metadata;
  const status = objectAt(live as JsonObject, 'status');
  if (numberAt(status, 'observedGeneration') < generation) {
    const message = `waiting for spec update of deployment "${name}" to be observed...`;
    return { state: 'Waiting', message, isUnobserved: true };
  }
  if (textAt(conditionOf(status, 'Progressing'), 'reason') === 'ProgressDeadlineExceeded') {
    const message = `deployment ${name} not ready before timeout: deployment "${name}" exceeded its progress deadline`;
    return { state: 'Unrecoverable', message };
  }
  const waiting = (what: string): StrategyHealth => {
    return {
      state: 'Waiting',
      message: `waiting for deployment ${name} to become ready: deployment "${name}" ${what}`,
    };
  };
  const outdated = numberAt(status, 'replicas') - numberAt(status, 'updatedReplicas');
  if (outdated > 0) return waiting(`waiting for ${outdated} outdated replica(s) to be terminated`);
  const available = conditionOf(status, 'Available');
  return textAt(available, 'status') === 'True' ? undefined : waiting(`not available: ${textAt(available, 'message')}`);
}

/** Compares the Deployments of the cluster with those that are desired. What is to be applied again comes before what is waited for: a new version
 *  of a Deployment that never becomes ready must be applied all the same.
 *  @see docs/spec/olm-v0.md#install-strategy-deployment */
export function checkDeployments(facts: DeploymentFacts): StrategyHealth {
  const { desired, owned } = facts;
  for (const deployment of desired) {
    const found = drift(deployment, facts);
    if (found !== undefined) return found;
  }
  const names = new Set(desired.map(({ metadata }) => metadata.name));
  const unlisted = owned.find((name) => !names.has(name));
  if (unlisted !== undefined) {
    return { state: 'Outdated', message: `deployment ${unlisted} is no longer part of the install strategy` };
  }
  for (const { metadata } of desired) {
    const deployment = facts.live(metadata.name ?? '');
    const found = deployment === undefined ? undefined : rollout(deployment);
    if (found !== undefined) return found;
  }
  return { state: 'Healthy' };
}
