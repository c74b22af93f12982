import { installFieldManager } from '../../src/api/index.ts';
import { isRetained } from '../../src/apply/index.ts';
import {
  cutText,
  type JsonObject,
  objectAt,
  objectsAt,
  printable,
  TransientError,
  textAt,
} from '../../src/base/index.ts';
import type { RenderedHook } from '../../src/formats/index.ts';
import {
  describeRef,
  findObject,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
  refOf,
} from '../../src/kube/index.ts';

/** On objects of hooks: the BundleDeployment that has created them. */
const hookOfLabel = 'core.rukpak.io/hook-of';
/** On objects of hooks: the uid of that BundleDeployment, and what the hook was run for. */
const runAnnotation = 'core.rukpak.io/hook-run';
const logLines = 15;
const maxLogCharacters = 2000;

/** Whose hooks are run, and for what. */
export interface HookRun {
  /** As the one whom the deployment has its objects written by. */
  readonly kube: KubeClient;
  readonly name: string;
  readonly uid: string;
  /** Of objects that name none. */
  readonly namespace: string;
  /** Names what the hooks are run for: the same for all tries of it. */
  readonly run: string;
  /** Objects that exist may be replaced, whatever has created them, unless they are a part of Longshore or Kubernetes. */
  readonly mayAdopt: boolean;
  readonly systemNamespace: string;
  readonly signal: AbortSignal;
}

/** How far a hook is. */
export type HookState =
  | { readonly kind: 'Running' }
  | { readonly kind: 'Succeeded' }
  | { readonly kind: 'Failed'; readonly why: string };

function markOf({ uid, run }: HookRun): string {
  return `${uid}/${run}`;
}

function isJob({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return apiVersion === 'batch/v1' && kind === 'Job';
}

function specOf(object: KubeObject | JsonObject): JsonObject {
  return objectAt(object as unknown as JsonObject, 'spec') ?? {};
}

/** A Job that the cluster deletes when it has ended shows no result: that waits until the result was seen. */
function withoutTtl(hook: KubeObject): KubeObject {
  if (!isJob(hook)) return hook;
  const { ttlSecondsAfterFinished: _ttl, ...spec } = specOf(hook);
  return { ...hook, spec };
}

/** Gives a Job that has succeeded the time to live that the chart gives it. */
export async function restoreTtl(live: KubeObject, { object }: RenderedHook, hookRun: HookRun): Promise<void> {
  const { ttlSecondsAfterFinished: ttl } = specOf(object);
  if (!isJob(live) || ttl === undefined || specOf(live)['ttlSecondsAfterFinished'] === ttl) return;
  const patch = { metadata: { uid: live.metadata.uid ?? '' }, spec: { ttlSecondsAfterFinished: ttl } };
  await hookRun.kube.patch(refOf(live), patch, { fieldManager: installFieldManager, signal: hookRun.signal });
}

/** The hook as it is created. */
export async function placedHook({ object }: RenderedHook, hookRun: HookRun): Promise<KubeObject> {
  const { kube, name, namespace, signal } = hookRun;
  const hook = object as unknown as KubeObject;
  const { isNamespaced } = await kube.resolve(hook.apiVersion, hook.kind, { signal });
  const { namespace: given, ...rest } = hook.metadata;
  const metadata = {
    ...rest,
    ...(isNamespaced ? { namespace: given ?? namespace } : {}),
    labels: { ...rest.labels, [hookOfLabel]: name },
    annotations: { ...rest.annotations, [runAnnotation]: markOf(hookRun) },
  };
  return withoutTtl({ ...hook, metadata });
}

/** The object at a place; undefined where there is none. */
export async function liveHook(
  ref: ObjectRef,
  { kube, signal }: Pick<HookRun, 'kube' | 'signal'>,
): Promise<KubeObject | undefined> {
  return await findObject(kube, ref, { signal });
}

/** Whether the object was created for this very run. */
export function isOfRun({ metadata }: KubeObject, hookRun: HookRun): boolean {
  return metadata.annotations?.[runAnnotation] === markOf(hookRun);
}

/** Whether the object was created for a hook of the deployment. */
export function isOfDeployment({ metadata }: KubeObject, { uid }: Pick<HookRun, 'uid'>): boolean {
  return metadata.annotations?.[runAnnotation]?.startsWith(`${uid}/`) === true;
}

export async function createHook(object: KubeObject, { kube, signal }: HookRun): Promise<KubeObject> {
  return await kube.create(object, { fieldManager: installFieldManager, signal });
}

/** Whether deleting an object of that kind deletes what others have put into it; CustomResourceDefinitions go with all of their objects. */
export function isDefinition({ kind }: Pick<ObjectRef, 'kind'>): boolean {
  return kind === 'CustomResourceDefinition';
}

const kindsWithData: ReadonlySet<string> = new Set([
  'CustomResourceDefinition',
  'Namespace',
  'PersistentVolume',
  'PersistentVolumeClaim',
]);

/** Whether an object that a hook has left outlives the deployment: it holds data, or asks for that. */
export function outlives(live: KubeObject): boolean {
  return kindsWithData.has(live.kind) || isRetained(live.metadata);
}

/** Deletes this very object, with what it has created. */
export async function deleteHook(live: KubeObject, { kube, signal }: Pick<HookRun, 'kube' | 'signal'>): Promise<void> {
  const { uid } = live.metadata;
  try {
    await kube.delete(refOf(live), { propagationPolicy: 'Background', signal, ...(uid === undefined ? {} : { uid }) });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

function stateOfJob(job: JsonObject): HookState {
  for (const condition of objectsAt(objectAt(job, 'status'), 'conditions')) {
    if (condition['status'] !== 'True') continue;
    if (condition['type'] === 'Complete') return { kind: 'Succeeded' };
    const why = [textAt(condition, 'reason'), textAt(condition, 'message')].filter((text) => text !== '').join(': ');
    if (condition['type'] === 'Failed') return { kind: 'Failed', why };
  }
  return { kind: 'Running' };
}

function stateOfPod(pod: JsonObject): HookState {
  const status = objectAt(pod, 'status');
  const phase = textAt(status, 'phase');
  if (phase === 'Succeeded') return { kind: 'Succeeded' };
  if (phase !== 'Failed') return { kind: 'Running' };
  const why = [textAt(status, 'reason'), textAt(status, 'message')].filter((text) => text !== '').join(': ');
  return { kind: 'Failed', why };
}

/** Jobs and Pods are waited for; all else is done once it is there. */
export function stateOfHook(live: KubeObject): HookState {
  const object = live as unknown as JsonObject;
  if (isJob(live)) return stateOfJob(object);
  return live.apiVersion === 'v1' && live.kind === 'Pod' ? stateOfPod(object) : { kind: 'Succeeded' };
}

/** The Pod of a hook that has failed; of a Job the newest. */
async function podOf(live: KubeObject, { kube, signal }: HookRun): Promise<KubeObject | undefined> {
  if (live.kind === 'Pod') return live;
  const { namespace, name = '' } = live.metadata;
  const labelSelector = `job-name=${name}`;
  const { items } = await kube.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector }, { signal });
  const timeOf = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';
  return items.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1)).at(0);
}

/** The end of what a failed hook has written; empty where that cannot be had. */
async function logOf(live: KubeObject, hookRun: HookRun): Promise<string> {
  try {
    const pod = await podOf(live, hookRun);
    if (pod === undefined) return '';
    const { namespace = '', name = '' } = pod.metadata;
    const log = await hookRun.kube.podLog({ namespace, name }, logLines, { signal: hookRun.signal });
    return log.trim() === '' ? '' : `; its log ends with:\n${cutText(printable(log.trim()), maxLogCharacters)}`;
  } catch {
    hookRun.signal.throwIfAborted();
    return '';
  }
}

/** The error of a hook that did not succeed. */
export async function hookFailure(
  live: KubeObject,
  { event, why }: { readonly event: string; readonly why: string },
  hookRun: HookRun,
): Promise<TransientError> {
  const what = `${event} hook ${describeRef(refOf(live))} failed${why === '' ? '' : `: ${why}`}`;
  const log = await logOf(live, hookRun);
  const advice = event === 'test' ? '' : '\nTo run it again, delete it';
  return new TransientError('HookFailed', `${what}${log}${advice}`);
}
