import {
  type MachineConfigPool,
  machineConfigPoolResource,
  nodeUpdateAnnotations,
  type RolloutCheck,
  type RolloutCheckJob,
} from '../../api/index.ts';
import { cutText, isJsonObject, type JsonObject, objectAt, objectsAt, sha256Digest, textAt } from '../../base/index.ts';
import { isAlreadyExists, isNotFound, type KubeClient, type KubeObject, KubeRejection } from '../../kube/index.ts';
import type { CheckProblem } from './problem.ts';

const jobKind = { apiVersion: 'batch/v1', kind: 'Job' } as const;
const cronJobKind = { apiVersion: 'batch/v1', kind: 'CronJob' } as const;
const fieldManager = 'longshore-pools';
const maxMessageCharacters = 300;
/** Finished Jobs are deleted then: one that failed is run again. */
const keepSeconds = 3_600;
/** The controller of Jobs ends a Job at its deadline; where none runs, it has failed so long after it. */
const graceMs = 60_000;

/** A Job that is run for one batch, or one node. */
export interface JobRequest {
  readonly pool: MachineConfigPool;
  readonly check: RolloutCheck;
  readonly job: RolloutCheckJob;
  /** What it is run for: the same text is run once. */
  readonly subject: string;
  /** The node that its pods run on, also while that is cordoned. */
  readonly nodeName?: string | undefined;
  readonly timeoutMs: number;
}

interface JobContext {
  readonly kube: KubeClient;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

function nameOf({ pool, check, job, subject }: JobRequest): string {
  const facts = JSON.stringify([pool.metadata.uid, check.name, job.namespace, job.cronJob, subject]);
  return `${check.name}-${sha256Digest(facts).slice(7, 7 + 16)}`;
}

/** The namespace of a CronJob belongs to others than the pool: they allow it to be run. */
function isAllowed({ metadata }: KubeObject, pool: string): boolean {
  const text = metadata.annotations?.[nodeUpdateAnnotations.checkOf] ?? '';
  return text
    .split(',')
    .map((name) => name.trim())
    .includes(pool);
}

function onNode(podSpec: JsonObject, nodeName: string): JsonObject {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } };
  const toleration = { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' };
  return {
    ...podSpec,
    affinity: { ...objectAt(podSpec, 'affinity'), nodeAffinity },
    tolerations: [...objectsAt(podSpec, 'tolerations'), toleration],
  };
}

function jobSpec(cronJob: KubeObject, { nodeName, timeoutMs }: JobRequest): JsonObject {
  const spec = objectAt(cronJob as unknown as JsonObject, 'spec', 'jobTemplate', 'spec') ?? {};
  const own = spec['activeDeadlineSeconds'];
  const deadline = Math.max(1, Math.ceil(timeoutMs / 1000));
  const template = objectAt(spec, 'template') ?? {};
  const podSpec = objectAt(template, 'spec') ?? {};
  return {
    ...spec,
    activeDeadlineSeconds: typeof own === 'number' && own < deadline ? own : deadline,
    ttlSecondsAfterFinished: keepSeconds,
    template: nodeName === undefined ? template : { ...template, spec: onNode(podSpec, nodeName) },
  };
}

function jobOf(cronJob: KubeObject, request: JobRequest): KubeObject {
  const { apiVersion, kind } = machineConfigPoolResource;
  const { name, uid = '' } = request.pool.metadata;
  const template = objectAt(cronJob as unknown as JsonObject, 'spec', 'jobTemplate', 'metadata');
  const texts = (key: string): Record<string, string> => ({ ...(objectAt(template, key) as Record<string, string>) });
  return {
    ...jobKind,
    metadata: {
      namespace: request.job.namespace,
      name: nameOf(request),
      labels: texts('labels'),
      annotations: { ...texts('annotations'), [nodeUpdateAnnotations.checkedPool]: name },
      // No controller: Jobs belong to the controller of Jobs alone.
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
    spec: jobSpec(cronJob, request),
  };
}

async function start(request: JobRequest, { kube, signal }: JobContext): Promise<CheckProblem> {
  const { namespace, cronJob: name } = request.job;
  const pool = request.pool.metadata.name;
  try {
    const cronJob = await kube.get({ ...cronJobKind, namespace, name }, { signal });
    if (!isAllowed(cronJob, pool)) {
      const how = `kubectl annotate cronjob -n ${namespace} ${name} ${nodeUpdateAnnotations.checkOf}=${pool}`;
      return { message: `CronJob ${namespace}/${name} does not allow this pool to run it: ${how}` };
    }
    await kube.create(jobOf(cronJob, request), { fieldManager, signal });
  } catch (thrown) {
    if (isNotFound(thrown)) return { message: `CronJob ${namespace}/${name} does not exist` };
    if (!isAlreadyExists(thrown) && thrown instanceof KubeRejection) {
      return {
        message: `the Job of CronJob ${namespace}/${name} is refused: ${cutText(thrown.message, maxMessageCharacters)}`,
      };
    }
    if (!isAlreadyExists(thrown)) throw thrown;
  }
  return { message: `Job ${namespace}/${nameOf(request)} runs` };
}

function isOwn({ metadata }: KubeObject, { pool }: JobRequest): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === pool.metadata.uid) === true;
}

function resultOf(job: KubeObject, request: JobRequest, nowMs: number): CheckProblem | undefined {
  const { namespace = '', name = '', creationTimestamp, deletionTimestamp } = job.metadata;
  const shown = `Job ${namespace}/${name}`;
  const again = 'delete the Job to run it again';
  if (!isOwn(job, request)) return { message: `${shown} exists and was not created for this pool; delete it` };
  if (deletionTimestamp !== undefined) return { message: `${shown} is being deleted` };
  const conditions = objectsAt(isJsonObject(job['status']) ? job['status'] : undefined, 'conditions');
  const found = (type: string) =>
    conditions.find((one) => textAt(one, 'type') === type && textAt(one, 'status') === 'True');
  if (found('Complete') !== undefined) return undefined;
  const failed = found('Failed');
  if (failed !== undefined) {
    const why = cutText(
      [textAt(failed, 'reason'), textAt(failed, 'message')].filter(Boolean).join(': '),
      maxMessageCharacters,
    );
    return { message: `${shown} has failed: ${why}; ${again}`, isFinal: true };
  }
  if (nowMs - Date.parse(creationTimestamp ?? '') <= request.timeoutMs + graceMs) return { message: `${shown} runs` };
  return { message: `${shown} has not finished in ${Math.round(request.timeoutMs / 1000)} s; ${again}`, isFinal: true };
}

/** Runs a CronJob's template once for the subject. What it came to: undefined if it has succeeded.
 *  The Job runs in the namespace of the CronJob, with what its author may do there; it is deleted an hour after its end, or with the pool. */
export async function jobProblem(request: JobRequest, context: JobContext): Promise<CheckProblem | undefined> {
  const { kube, nowMs, signal } = context;
  const ref = { ...jobKind, namespace: request.job.namespace, name: nameOf(request) };
  try {
    return resultOf(await kube.get(ref, { signal }), request, nowMs);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return await start(request, context);
  }
}
