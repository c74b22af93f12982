import { isJsonEqual, isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { specOf, statusOf } from '../controllers/index.ts';
import type { KubeObject, ObjectMeta } from '../core/index.ts';
import { desiredReplicas, rolloutRoom } from './rollout.ts';
import { controllerReference, countOf, templateOf } from './simulated.ts';
import { desiredAnnotation, maxAnnotation } from './size-annotations.ts';

/** Counts the templates that a Deployment went through; on it and on its ReplicaSets. */
export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
const hashLabel = 'pod-template-hash';
/** The history of one set is cut at this length, oldest first. */
const longestHistory = 2000;

/** Annotations of a Deployment that its ReplicaSets do not take over. */
const ownAnnotations = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
]);

/** The revision of a ReplicaSet or Deployment; 0 when it has none. */
export function revisionOf({ metadata }: KubeObject): number {
  const revision = Number(metadata.annotations?.[revisionAnnotation] ?? 0);
  return Number.isSafeInteger(revision) ? revision : 0;
}

/** The highest revision of sets; 0 when there are none. */
export function latestRevision(sets: readonly KubeObject[]): number {
  return sets.reduce((latest, set) => Math.max(latest, revisionOf(set)), 0);
}

function passedOn({ metadata }: KubeObject): Record<string, string> {
  const entries = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(entries.filter(([name]) => !ownAnnotations.has(name)));
}

/** What a ReplicaSet is to know of the size of its Deployment. */
export function sizeAnnotations(deployment: KubeObject): Record<string, string> {
  const replicas = countOf(specOf(deployment).replicas, 1);
  return {
    [desiredAnnotation]: String(replicas),
    [maxAnnotation]: String(replicas + rolloutRoom(deployment).surge),
  };
}

/** Whether a set with pods was last sized for another number of replicas than the Deployment has now. */
export function isOutsized(deployment: KubeObject, set: KubeObject): boolean {
  const desired = set.metadata.annotations?.[desiredAnnotation];
  const isKnown = desired !== undefined && /^\d+$/.test(desired);
  return isKnown && desiredReplicas(set) > 0 && Number(desired) !== countOf(specOf(deployment).replicas, 1);
}

/** Whether the set has the pod template of the Deployment, apart from the hash among its labels. */
export function hasTemplateOf(deployment: KubeObject, set: KubeObject): boolean {
  return isJsonEqual(withoutHash(templateOf(deployment)), withoutHash(templateOf(set)));
}

function withoutHash(template: JsonObject): JsonObject {
  const { labels, ...metadata } = (isJsonObject(template.metadata) ? template.metadata : {}) as ObjectMeta;
  const { [hashLabel]: _hash, ...rest } = labels ?? {};
  return { ...template, metadata: { ...metadata, labels: rest } } as unknown as JsonObject;
}

/** The ReplicaSet for the template of a Deployment, without pods yet. The end of its name stands for the template. */
export function newReplicaSet(deployment: KubeObject, name: string, revision: number): KubeObject {
  const template = templateOf(deployment);
  const { labels, ...metadata } = (isJsonObject(template.metadata) ? template.metadata : {}) as ObjectMeta;
  const hash = name.slice(name.lastIndexOf('-') + 1);
  const hashed = { ...labels, [hashLabel]: hash };
  const { selector, minReadySeconds } = specOf(deployment);
  const matchLabels = isJsonObject(selector) && isJsonObject(selector.matchLabels) ? selector.matchLabels : {};
  const annotations = {
    ...passedOn(deployment),
    [revisionAnnotation]: String(revision),
    ...sizeAnnotations(deployment),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      namespace: deployment.metadata.namespace ?? '',
      labels: hashed,
      annotations,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...(isJsonObject(selector) ? selector : {}), matchLabels: { ...matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...metadata, labels: hashed } },
    },
  } as KubeObject;
}

function historyOf({ metadata }: KubeObject): string {
  const { [revisionAnnotation]: revision, [historyAnnotation]: history } = metadata.annotations ?? {};
  const all = [history ?? '', revision ?? ''].filter((part, index) => index > 0 || part !== '').join(',');
  if (all.length <= longestHistory) return all;
  // The oldest revisions go, whole ones.
  const end = all.slice(-longestHistory - 1);
  const comma = end.indexOf(',');
  return comma < 0 ? (revision ?? '') : end.slice(comma + 1);
}

/** What is to change of the set that has the Deployment's template: annotations and `minReadySeconds` follow the Deployment, and a set that
 *  older ones have overtaken becomes the latest again, with its earlier revisions noted. `undefined` when nothing is to change. */
export function catchUp(deployment: KubeObject, set: KubeObject, revision: number): JsonObject | undefined {
  const known = set.metadata.annotations ?? {};
  const isBack = revisionOf(set) < revision;
  const renewed = isBack ? { [revisionAnnotation]: String(revision) } : {};
  const history = isBack && known[revisionAnnotation] !== undefined ? { [historyAnnotation]: historyOf(set) } : {};
  const annotations = { ...passedOn(deployment), ...renewed, ...history };
  const minReadySeconds = countOf(specOf(deployment).minReadySeconds, 0);
  const isSameWait = minReadySeconds === countOf(specOf(set).minReadySeconds, 0);
  if (isSameWait && isJsonEqual({ ...known, ...annotations }, known)) return undefined;
  return { metadata: { annotations }, ...(isSameWait ? {} : { spec: { minReadySeconds } }) };
}

function isIdle(set: KubeObject): boolean {
  const { replicas, observedGeneration } = statusOf(set);
  const isSeen = countOf(observedGeneration, 0) >= (set.metadata.generation ?? 0);
  return (
    desiredReplicas(set) === 0 && countOf(replicas, 0) === 0 && isSeen && set.metadata.deletionTimestamp === undefined
  );
}

/** The old sets without pods that are beyond `revisionHistoryLimit`: the lowest revisions. */
export function forgotten(deployment: KubeObject, old: readonly KubeObject[]): KubeObject[] {
  const limit = specOf(deployment).revisionHistoryLimit;
  if (typeof limit !== 'number') return [];
  const excess = Math.max(0, old.length - limit);
  return old
    .toSorted((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, excess)
    .filter(isIdle);
}
