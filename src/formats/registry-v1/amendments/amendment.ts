import { type JsonObject, type JsonValue, objectAt } from '../../../base/index.ts';
import { groupOf, isStandardKind, supportedKinds } from '../kinds.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import type { Rendering } from '../rendering.ts';

/** A change to the reference renderer's output for a bundle, where that is known to be wrong. Pure: what it is given stays as
 *  it is. */
export interface Amendment {
  /** By which it is switched off. */
  readonly name: string;
  /** What would go wrong without it, in a sentence. */
  readonly reason: string;
  /** @throws TerminalError InvalidBundle for what no cluster would take */
  readonly amend: (objects: readonly RenderedObject[], rendering: Rendering) => readonly RenderedObject[];
}

/** Whether an object is of Kubernetes' own kind of that name; a namesake in the API of an operator is not. */
export function isOfKind(object: RenderedObject, kind: string): boolean {
  return object.kind === kind && (!supportedKinds.has(kind) || isStandardKind(object));
}

/** `change` for each object of one kind (see `isOfKind`); the others stay. */
export function eachOfKind(
  objects: readonly RenderedObject[],
  kinds: string | readonly string[],
  change: (object: RenderedObject) => RenderedObject,
): readonly RenderedObject[] {
  const all = [kinds].flat();
  return objects.map((object) => (all.some((kind) => isOfKind(object, kind)) ? change(object) : object));
}

/** `object` without the member called `key`. */
export function without<T extends JsonObject>(object: T, key: string): T {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)) as T;
}

/** Changes the Pod specification of a Deployment. */
export function withPodSpec(deployment: RenderedObject, change: (podSpec: JsonObject) => JsonObject): RenderedObject {
  const spec = objectAt(deployment, 'spec');
  const template = objectAt(spec, 'template');
  return {
    ...deployment,
    spec: { ...spec, template: { ...template, spec: change(objectAt(template, 'spec') ?? {}) } },
  };
}

/** Text that identifies one object among others: two versions of an API are the same object. */
export function identityOf(object: RenderedObject): string {
  const { apiVersion, kind, metadata } = object;
  return `${groupOf(apiVersion)}/${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** A list of JSON values from one of objects. */
export function jsonList(values: readonly JsonObject[]): JsonValue[] {
  return [...values];
}
