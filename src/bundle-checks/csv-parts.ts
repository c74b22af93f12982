import { type FieldPath, type JsonObject, objectAt, objectsAt, textAt } from '../base/index.ts';
import type { BundleUnderCheck, ManifestObject } from './bundle.ts';
import type { Hit, Place } from './check.ts';

/** A part of a ClusterServiceVersion, and where it is. */
export interface Part {
  readonly value: JsonObject;
  readonly path: FieldPath;
}

/** A place in an object's manifest. */
export function placeIn({ file, document, path }: ManifestObject, below: FieldPath): Place {
  return { file, document, path: [...path, ...below] };
}

/** A place in the ClusterServiceVersion; undefined when there is none. */
export function csvPlace({ csv }: BundleUnderCheck, path: FieldPath): Place | undefined {
  return csv === undefined ? undefined : placeIn(csv, path);
}

/** A hit at a place of the ClusterServiceVersion. */
export function csvHit(bundle: BundleUnderCheck, path: FieldPath, message: string): Hit {
  return { message, place: csvPlace(bundle, path) };
}

/** The spec; empty when there is none. */
export function csvSpec({ csv }: BundleUnderCheck): JsonObject {
  return objectAt(csv?.object, 'spec') ?? {};
}

/** The items of the list at a path below the ClusterServiceVersion. */
export function csvParts({ csv }: BundleUnderCheck, ...path: readonly [string, ...string[]]): readonly Part[] {
  const parent = objectAt(csv?.object, ...path.slice(0, -1));
  return objectsAt(parent, path.at(-1) ?? '').map((value, index) => ({ value, path: [...path, index] }));
}

/** Deployments of the install strategy; each is `{name, label, spec}`. */
export function deploymentParts(bundle: BundleUnderCheck): readonly Part[] {
  return csvParts(bundle, 'spec', 'install', 'spec', 'deployments');
}

/** The Pod template's spec of such a deployment. */
export function podSpecOf({ value, path }: Part): Part {
  return {
    value: objectAt(value, 'spec', 'template', 'spec') ?? {},
    path: [...path, 'spec', 'template', 'spec'],
  };
}

/** All containers of the operator, init containers among them. */
export function containerParts(bundle: BundleUnderCheck): readonly Part[] {
  return deploymentParts(bundle)
    .map(podSpecOf)
    .flatMap((pod) =>
      ['initContainers', 'containers'].flatMap((key) =>
        objectsAt(pod.value, key).map((value, index) => ({ value, path: [...pod.path, key, index] })),
      ),
    );
}

/** A kind of an API as messages print it: `group/version, Kind=Kind`. */
export function apiText({ group, version, kind }: { group: string; version: string; kind: string }): string {
  return `${group === '' ? '' : `${group}/`}${version}, Kind=${kind}`;
}

/** An API that the ClusterServiceVersion names. */
export interface ApiPart extends Part {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** As `apiText`. */
  readonly key: string;
}

/** CRDs that are owned or required; the group is the name after its first dot. */
export function crdParts(bundle: BundleUnderCheck, which: 'owned' | 'required'): readonly ApiPart[] {
  return csvParts(bundle, 'spec', 'customresourcedefinitions', which).map((part) => {
    const name = textAt(part.value, 'name');
    const group = name.includes('.') ? name.slice(name.indexOf('.') + 1) : '';
    const api = { group, version: textAt(part.value, 'version'), kind: textAt(part.value, 'kind') };
    return { ...part, ...api, name, key: apiText(api) };
  });
}

/** APIServices that are owned or required. */
export function apiServiceParts(bundle: BundleUnderCheck, which: 'owned' | 'required'): readonly ApiPart[] {
  return csvParts(bundle, 'spec', 'apiservicedefinitions', which).map((part) => {
    const [group, version, kind] = [
      textAt(part.value, 'group'),
      textAt(part.value, 'version'),
      textAt(part.value, 'kind'),
    ];
    return { ...part, group, version, kind, name: textAt(part.value, 'name'), key: apiText({ group, version, kind }) };
  });
}
