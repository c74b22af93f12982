import { type FieldPath, type JsonObject, listOfTexts, objectAt, objectsAt } from '../../base/index.ts';
import type { BundleUnderCheck, ManifestObject } from '../bundle.ts';
import type { Hit, Place } from '../check.ts';

/** A place in an object; `path` counts from the object. */
export function placeIn({ file, document, path: start }: ManifestObject, ...path: FieldPath): Place {
  return { file, document, path: [...start, ...path] };
}

/** The bundle's CSV with its `spec`; `spec` is empty where there is none. */
export interface CsvView {
  readonly csv: ManifestObject;
  readonly spec: JsonObject;
}

/** Runs `find` where the bundle has a CSV: without one, the loading checks report it. */
export function ofCsv(find: (view: CsvView) => Iterable<Hit>): (bundle: BundleUnderCheck) => Iterable<Hit> {
  return ({ csv }) => (csv === undefined ? [] : find({ csv, spec: objectAt(csv.object, 'spec') ?? {} }));
}

/** An object inside another one, and where. */
export interface Nested {
  readonly value: JsonObject;
  readonly path: FieldPath;
}

/** The items of a list below `path`, each with its place. */
export function itemsAt(root: JsonObject, ...path: readonly string[]): readonly Nested[] {
  const parent = objectAt(root, ...path.slice(0, -1));
  return objectsAt(parent, path.at(-1) ?? '').map((value, index) => ({ value, path: [...path, index] }));
}

/** Items below each item of a list. */
export function itemsBelow(parents: readonly Nested[], ...path: readonly string[]): readonly Nested[] {
  return parents.flatMap((parent) =>
    itemsAt(parent.value, ...path).map((item) => ({ value: item.value, path: [...parent.path, ...item.path] })),
  );
}

/** A rule of RBAC. Lists that are none are empty. */
export interface Rule extends Nested {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
}

function ruleOf({ value, path }: Nested): Rule {
  const texts = (key: string): string[] => listOfTexts(value, key);
  return {
    value,
    path,
    apiGroups: texts('apiGroups'),
    resources: texts('resources'),
    resourceNames: texts('resourceNames'),
    verbs: texts('verbs'),
  };
}

/** The rules of a Role or ClusterRole. */
export function rulesOf({ object }: ManifestObject): readonly Rule[] {
  return itemsAt(object, 'rules').map(ruleOf);
}

/** The rules that the CSV asks for; paths count from the CSV. */
export function csvRules({ object }: ManifestObject): readonly Rule[] {
  return ['clusterPermissions', 'permissions'].flatMap((list) =>
    itemsBelow(itemsAt(object, 'spec', 'install', 'spec', list), 'rules').map(ruleOf),
  );
}

/** The Deployments of the CSV; paths count from the CSV. */
export function csvDeployments({ object }: ManifestObject): readonly Nested[] {
  return itemsAt(object, 'spec', 'install', 'spec', 'deployments');
}

/** Whether the list has any of `items`. */
export function hasAny(list: readonly string[], ...items: readonly string[]): boolean {
  return list.some((item) => items.includes(item));
}

/** `["a" "b"]` */
export function goList(items: readonly string[]): string {
  return `[${items.map((item) => JSON.stringify(item)).join(' ')}]`;
}
