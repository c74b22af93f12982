import { type JsonObject, type JsonValue, objectAt } from '../../../base/index.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import type { Rendering } from '../rendering.ts';

/** A change to what the reference renderer makes of a bundle, where that is known to be wrong. Pure: what it is given stays as
 *  it is. */
export interface Amendment {
  /** By which it is switched off. */
  readonly name: string;
  /** What would go wrong without it, in a sentence. */
  readonly reason: string;
  /** @throws TerminalError InvalidBundle for what no cluster would take */
  readonly amend: (objects: readonly RenderedObject[], rendering: Rendering) => readonly RenderedObject[];
}

/** `change` for each object of one kind, whatever its group; the others stay. */
export function eachOfKind(
  objects: readonly RenderedObject[],
  kinds: string | readonly string[],
  change: (object: RenderedObject) => RenderedObject,
): readonly RenderedObject[] {
  const wanted = [kinds].flat();
  return objects.map((object) => (wanted.includes(object.kind) ? change(object) : object));
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

/** Text that names one object among others: group and version aside. */
export function identityOf(object: RenderedObject): string {
  return `${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

/** A list of JSON values from one of objects. */
export function jsonList(values: readonly JsonObject[]): JsonValue[] {
  return [...values];
}
