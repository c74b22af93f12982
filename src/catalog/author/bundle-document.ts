import { packageAnnotation } from '../../api/index.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  parseJson,
  scalarText,
  TerminalError,
  textAt,
  valueAt,
} from '../../base/index.ts';
import { type GroupVersionKind, type Property, readDependencies, requirementOf } from '../../constraints/index.ts';
import { apisOf } from './bundle-apis.ts';
import { bundleObject, sortProperties } from './properties.ts';
import { relatedImagesOf } from './related-images.ts';

/** What is read of a registry+v1 bundle. */
export interface BundleParts {
  /** Those of `manifests/`, in reading order. */
  readonly objects: readonly JsonObject[];
  /** Of `metadata/annotations.yaml`; undefined when there is no such file. */
  readonly annotations: JsonObject | undefined;
  /** The lists of `metadata/dependencies.yaml` and `metadata/properties.yaml`. */
  readonly dependencies: JsonValue | undefined;
  readonly properties: JsonValue | undefined;
}

/** A document of a catalog that was made of a bundle, and what its author should know. */
export interface BundleDocument {
  readonly document: JsonObject;
  readonly warnings: readonly string[];
}

const propertiesAnnotation = 'olm.properties';

function refuse(text: string): never {
  throw new TerminalError('InvalidBundle', text);
}

/** Entries of a list of `{type, value}`. @throws TerminalError InvalidBundle */
function typedEntries(what: string, list: JsonValue | undefined): readonly Property[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) return refuse(`${what}: expected a list`);
  return list.map((item, index) => {
    const at = `${what}[${index}]`;
    if (!isJsonObject(item)) return refuse(`${at}: expected an object with type and value`);
    const { type, value } = item;
    if (typeof type !== 'string' || type === '') return refuse(`${at}: type must be set`);
    return value === undefined || value === null ? refuse(`${at}: value must be set`) : { type, value };
  });
}

function annotatedProperties(csv: JsonObject): readonly Property[] {
  const text = textAt(objectAt(csv, 'metadata', 'annotations'), propertiesAnnotation);
  if (text === '') return [];
  const what = `annotation "${propertiesAnnotation}" of the ClusterServiceVersion`;
  return typedEntries(what, parseJson(what, text));
}

function releaseOf(csv: JsonObject): JsonObject {
  const release = valueAt(objectAt(csv, 'spec'), 'release');
  if (typeof release === 'number' || typeof release === 'bigint') return { release: `${release}` };
  return typeof release === 'string' && release !== '' ? { release } : {};
}

function apiProperty(type: string, { group, kind, version }: GroupVersionKind): Property {
  return { type, value: { group, kind, version } };
}

function packageNameOf(annotations: JsonObject | undefined): string {
  if (annotations === undefined) return refuse('Could not find annotations file');
  const name = scalarText(annotations[packageAnnotation] ?? null) ?? '';
  if (name !== '') return name;
  return refuse(`package name is empty: metadata/annotations.yaml has no text "${packageAnnotation}"`);
}

function csvIn(objects: readonly JsonObject[]): JsonObject {
  if (objects.length === 0) return refuse('no bundle objects found: manifests/ has no Kubernetes objects');
  return objects.find(({ kind }) => kind === 'ClusterServiceVersion') ?? refuse('no csv in bundle');
}

function derivedProperties(csv: JsonObject, packageName: string, { objects }: BundleParts): readonly Property[] {
  const { provided, required } = apisOf(csv, objects);
  const version = textAt(objectAt(csv, 'spec'), 'version');
  return [
    { type: 'olm.package', value: { packageName, version, ...releaseOf(csv) } },
    ...provided.map((api) => apiProperty('olm.gvk', api)),
    ...required.map((api) => apiProperty('olm.gvk.required', api)),
  ];
}

/** The `olm.bundle` of a registry+v1 bundle, with all its manifests; `image` is where others find the bundle.
 *  @throws TerminalError InvalidBundle, InvalidJson
 *  @see docs/spec/catalogs.md#from-bundle-to-olm-bundle */
export function bundleDocument(parts: BundleParts, image?: string): BundleDocument {
  const csv = csvIn(parts.objects);
  const packageName = packageNameOf(parts.annotations);
  const properties = [
    ...derivedProperties(csv, packageName, parts),
    ...typedEntries('metadata/dependencies.yaml: dependencies', parts.dependencies).map(({ type, value }) =>
      requirementOf(type, value),
    ),
    ...typedEntries('metadata/properties.yaml: properties', parts.properties),
    ...annotatedProperties(csv),
    ...parts.objects.map(bundleObject),
  ];
  const { problems } = readDependencies('metadata/dependencies.yaml: dependencies', parts.dependencies ?? null);
  const document = {
    schema: 'olm.bundle',
    name: textAt(objectAt(csv, 'metadata'), 'name'),
    package: packageName,
    ...(image === undefined ? {} : { image }),
    properties: sortProperties(properties).map(({ type, value }) => ({ type, value })),
    relatedImages: [...relatedImagesOf(csv, image)],
  };
  return { document, warnings: problems };
}
