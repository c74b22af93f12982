import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { objectsIn, specOf, statusOf } from '../controllers/index.ts';
import type { KubeObject } from '../core/index.ts';
import { countOf, isPodActive, templateOf } from './simulated.ts';

/** On the pods of an Indexed Job, as annotation and label. */
const indexKey = 'batch.kubernetes.io/job-completion-index';
const failuresKey = 'batch.kubernetes.io/job-index-failure-count';
const indexVariable = 'JOB_COMPLETION_INDEX';

/** What became of the indexes of an Indexed Job. */
export interface IndexProgress {
  readonly succeeded: ReadonlySet<number>;
  /** Those that failed more often than `backoffLimitPerIndex`. */
  readonly failed: ReadonlySet<number>;
  /** Those with a pod that is active. */
  readonly active: ReadonlySet<number>;
  /** Failed pods of each index. */
  readonly failures: ReadonlyMap<number, number>;
}

export function isIndexed(job: KubeObject): boolean {
  return specOf(job).completionMode === 'Indexed';
}

function indexOf({ metadata }: KubeObject): number | undefined {
  const text = metadata.annotations?.[indexKey] ?? '';
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Looks at the pods of an Indexed Job. Indexes beyond `completions` do not count. */
export function indexProgress(job: KubeObject, pods: readonly KubeObject[]): IndexProgress {
  const completions = countOf(specOf(job).completions, 0);
  const { backoffLimitPerIndex } = specOf(job);
  const limit = countOf(backoffLimitPerIndex, Number.POSITIVE_INFINITY);
  const [succeeded, active] = [new Set<number>(), new Set<number>()];
  const failures = new Map<number, number>();
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || index >= completions) continue;
    const { phase } = statusOf(pod);
    if (phase === 'Succeeded') succeeded.add(index);
    if (phase === 'Failed') failures.set(index, (failures.get(index) ?? 0) + 1);
    if (isPodActive(pod)) active.add(index);
  }
  const spent = [...failures].filter(([index, count]) => count > limit && !succeeded.has(index));
  return { succeeded, failed: new Set(spent.map(([index]) => index)), active, failures };
}

/** The lowest indexes that still need a pod. */
export function pendingIndexes(job: KubeObject, progress: IndexProgress, most: number): number[] {
  const completions = countOf(specOf(job).completions, 0);
  const indexes: number[] = [];
  for (let index = 0; index < completions && indexes.length < most; index++) {
    const isOpen = [progress.succeeded, progress.failed, progress.active].every((set) => !set.has(index));
    if (isOpen) indexes.push(index);
  }
  return indexes;
}

/** Indexes as the API writes them: `1,3-5`. */
export function indexText(indexes: ReadonlySet<number>): string {
  const parts: string[] = [];
  const sorted = [...indexes].sort((a, b) => a - b);
  for (let at = 0; at < sorted.length; at++) {
    const first = sorted[at] ?? 0;
    while (sorted[at + 1] === (sorted[at] ?? 0) + 1) at += 1;
    const last = sorted[at] ?? first;
    parts.push(first === last ? String(first) : `${first}${last === first + 1 ? ',' : '-'}${last}`);
  }
  return parts.join(',');
}

function withVariable(containers: unknown): JsonObject[] {
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } };
  return objectsIn(containers).map((container): JsonObject => {
    const env = objectsIn(container.env);
    const isSet = env.some(({ name }) => name === indexVariable);
    return isSet ? container : { ...container, env: [...env, { name: indexVariable, valueFrom }] };
  });
}

/** How the pod of an index differs from the template. */
export function podOfIndex(
  job: KubeObject,
  index: number,
  progress: IndexProgress,
): {
  readonly generateName: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly spec: JsonObject;
} {
  const { name = '' } = job.metadata;
  const { spec } = templateOf(job);
  const { containers, initContainers } = isJsonObject(spec) ? spec : {};
  const text = String(index);
  const isCounted = specOf(job).backoffLimitPerIndex !== undefined;
  return {
    generateName: `${name}-${text}-`,
    labels: { [indexKey]: text },
    annotations: {
      [indexKey]: text,
      ...(isCounted ? { [failuresKey]: String(progress.failures.get(index) ?? 0) } : {}),
    },
    spec: {
      hostname: `${name}-${text}`,
      containers: withVariable(containers),
      ...(initContainers === undefined ? {} : { initContainers: withVariable(initContainers) }),
    },
  };
}
