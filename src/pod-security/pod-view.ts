import { type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../base/index.ts';

/** A pod, or the template of one, as the checks see it. */
export interface PodView {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

/** The view of a pod, or of a template. */
export function podViewOf(pod: JsonObject): PodView {
  const annotations = Object.entries(objectAt(pod, 'metadata', 'annotations') ?? {});
  return {
    annotations: Object.fromEntries(
      annotations.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
    spec: objectAt(pod, 'spec') ?? {},
  };
}

/** What a check found; undefined when nothing. */
export type Finding = { readonly reason: string; readonly detail: string } | undefined;

/** Containers of all sorts. */
export function containersOf({ spec }: PodView): JsonObject[] {
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((field) => objectsAt(spec, field));
}

/** `securityContext` of a pod's spec or of a container. */
export function securityOf(part: JsonObject): JsonObject | undefined {
  return objectAt(part, 'securityContext');
}

/** Whether a member is present; null counts as absent. */
export function isSet(parent: JsonObject | undefined, key: string): boolean {
  return (valueAt(parent, key) ?? null) !== null;
}

export function isWindows({ spec }: PodView): boolean {
  return textAt(objectAt(spec, 'os'), 'name') === 'windows';
}

/** `"a", "b"` */
export function quoted(items: readonly string[]): string {
  return `"${items.join('", "')}"`;
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/** `container "a"`, `containers "a", "b"` */
export function containerWords(names: readonly string[]): string {
  return `${plural('container', names.length)} ${quoted(names)}`;
}

/** Names of the containers for which something holds. */
export function containersWhere(pod: PodView, holds: (container: JsonObject) => boolean): string[] {
  return containersOf(pod)
    .filter(holds)
    .map((container) => textAt(container, 'name'));
}

/** Names what sets a forbidden value: the pod, or some of its containers. */
export function setters(isPod: boolean, containers: readonly string[]): string[] {
  return [...(isPod ? ['pod'] : []), ...(containers.length === 0 ? [] : [containerWords(containers)])];
}

/** Each text once, sorted. */
export function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted();
}
