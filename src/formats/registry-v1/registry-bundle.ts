import type { JsonObject } from '../../base/index.ts';
import type { ClusterServiceVersion } from './csv.ts';

/** A manifest of a bundle that is passed on. */
export type Manifest = JsonObject & {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name?: string; readonly namespace?: string };
};

/** What a registry+v1 bundle holds, read and with checked types. */
export interface RegistryBundle {
  /** Empty where the annotations name none. */
  readonly packageName: string;
  readonly csv: ClusterServiceVersion;
  /** In reading order; one of v1beta1 has the form in which the reference reads it, as v1. */
  readonly crds: readonly Manifest[];
  /** By name, the CRDs of v1beta1 as v1, with nothing lost. */
  readonly convertedCrds: ReadonlyMap<string, Manifest>;
  /** Everything else, in reading order. */
  readonly others: readonly Manifest[];
}

/** The CRDs as they are installed: in the version that clusters accept. */
export function currentCrds({ crds, convertedCrds }: RegistryBundle): readonly Manifest[] {
  return crds.map((crd) => convertedCrds.get(crd.metadata.name ?? '') ?? crd);
}

/** An object that is rendered. */
export type RenderedObject = Manifest & { readonly apiVersion: string };

/** Gives an object's annotations another entry; the object itself stays as it is. */
export function withAnnotation<T extends Manifest>(object: T, key: string, value: string): T {
  const { annotations } = object.metadata as { annotations?: JsonObject };
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [key]: value } } };
}
