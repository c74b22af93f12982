import { setTimeout as pause } from 'node:timers/promises';
import { type JsonObject, objectAt, objectsAt, TerminalError, textAt } from '../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, NoKindMatch, refOf } from '../../src/kube/index.ts';
import type { Progress } from '../output/index.ts';
import { isOurs } from './installed.ts';
import { shownName } from './manifests.ts';

const pollMs = 300;
const shownNames = 20;

export interface DeletionOptions {
  readonly kube: KubeClient;
  /** Nothing is deleted, and nothing waited for. */
  readonly isDryRun: boolean;
  /** Of each thing that is waited for. */
  readonly timeoutMs: number;
  readonly progress: Progress;
  /** In a dry run as well. */
  readonly onRemoved: (object: KubeObject) => void;
}

/** None where the kind is not served. */
export async function listIfServed(
  kube: KubeClient,
  target: { readonly apiVersion: string; readonly kind: string; readonly namespace?: string },
): Promise<readonly KubeObject[]> {
  try {
    return (await kube.list(target)).items;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch || isNotFound(thrown)) return [];
    throw thrown;
  }
}

/** The names of the first ones, and how many more there are. */
export function namesOf(objects: readonly KubeObject[]): string {
  const names = objects.slice(0, shownNames).map(({ metadata }) => metadata.name ?? '');
  const rest = objects.length - names.length;
  return rest > 0 ? `${names.join(', ')} and ${rest} more` : names.join(', ');
}

function stillThere(left: readonly KubeObject[], timeoutMs: number): TerminalError {
  const finalizers = left[0]?.metadata.finalizers?.join(', ') ?? 'none';
  const conditions = objectsAt(objectAt(left[0] as unknown as JsonObject, 'status'), 'conditions');
  const removing = conditions.find(({ type, status }) => type === 'Removing' && status === 'True');
  const reported = removing === undefined ? '' : `; status: ${textAt(removing, 'message')}`;
  const text = `${left[0]?.kind}s are still there after ${timeoutMs / 1000} s: ${namesOf(left)} (finalizers of the first: ${finalizers}${reported}). The controllers remove them: check that the Deployment core runs, and the conditions of the object with "kubectl describe", then run the command again`;
  return new TerminalError('StillThere', text);
}

/** Deletes all objects of a kind and waits until none is left.
 *  @throws TerminalError StillThere, naming what holds them */
export async function deleteAll(
  target: { readonly apiVersion: string; readonly kind: string },
  { kube, isDryRun, timeoutMs, progress, onRemoved }: DeletionOptions,
): Promise<void> {
  const untilMs = performance.now() + timeoutMs;
  const all = await listIfServed(kube, target);
  let left = isDryRun ? [] : all;
  while (left.length > 0) {
    for (const object of left.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
      await kube.delete(refOf(object)).catch(ignoreMissing);
    }
    progress.show(`waiting for the deletion of ${target.kind}s: ${namesOf(left)}`);
    await pause(pollMs);
    left = await listIfServed(kube, target);
    if (left.length > 0 && performance.now() > untilMs) throw stillThere(left, timeoutMs);
  }
  for (const object of all) onRemoved(object);
}

function ignoreMissing(thrown: unknown): undefined {
  if (isNotFound(thrown) || thrown instanceof NoKindMatch) return undefined;
  throw thrown;
}

/** Deletes an object, and reports it where it existed. With `isOursOnly` another owner's object of that name is retained. */
export async function deleteOne(
  object: KubeObject,
  { kube, isDryRun, onRemoved }: DeletionOptions,
  { isOursOnly }: { readonly isOursOnly: boolean },
): Promise<void> {
  const live = await kube.get(refOf(object)).catch(ignoreMissing);
  if (live === undefined || (isOursOnly && !isOurs(live))) return;
  if (!isDryRun) await kube.delete(refOf(object)).catch(ignoreMissing);
  onRemoved(object);
}

/** Waits until none of the objects exists.
 *  @throws TerminalError StillThere, naming those that do and what holds the first */
export async function untilDeleted(objects: readonly KubeObject[], options: DeletionOptions): Promise<void> {
  const { kube, timeoutMs, progress } = options;
  const untilMs = performance.now() + timeoutMs;
  let left = objects;
  for (;;) {
    const found = await Promise.all(left.map((object) => kube.get(refOf(object)).catch(ignoreMissing)));
    const live = found.filter((object) => object !== undefined);
    if (live.length === 0) return;
    if (performance.now() > untilMs) throw notDeleted(live, timeoutMs);
    progress.show(`waiting for the deletion of ${live.map(shownName).slice(0, shownNames).join(', ')}`);
    await pause(pollMs);
    left = live;
  }
}

function notDeleted(live: readonly KubeObject[], timeoutMs: number): TerminalError {
  const names = live.map(shownName).slice(0, shownNames).join(', ');
  const finalizers = live[0]?.metadata.finalizers?.join(', ') ?? 'none';
  const conditions = objectsAt(objectAt(live[0] as unknown as JsonObject, 'status'), 'conditions');
  const messages = conditions
    .filter((one) => /Remaining$|Failure$/.test(textAt(one, 'type')) && one['status'] === 'True')
    .map((condition) => textAt(condition, 'message'));
  const reported = messages.length === 0 ? '' : `; status: ${messages.join('; ')}`;
  const text = `still being deleted after ${timeoutMs / 1000} s: ${names} (finalizers of the first: ${finalizers}${reported}). The cluster continues to delete them; run the command again to wait`;
  return new TerminalError('StillThere', text);
}
