import { isJsonObject, type JsonObject, type JsonValue, objectsAt, parseJson, textAt, valueAt } from '../base/index.ts';

/** Distinguishes a reference from an object: no object has this kind and no `apiVersion`. */
const referenceKind = 'BundleContent';

/** In place of a manifest in a step: the content of a bundle, by its digest. An object that others may change is never referred to. */
export interface StepReference {
  /** Of the bundle. */
  readonly name: string;
  /** Undefined in a plan that the real OLM has made: it refers to its own copy of the content, and the plan names the image. */
  readonly digest?: string | undefined;
  /** Pinned by its digest; undefined where the catalog has the manifests. */
  readonly image?: string | undefined;
  readonly catalog: { readonly name: string; readonly namespace: string };
  /** Of the step of the ClusterServiceVersion. */
  readonly replaces?: string | undefined;
  readonly properties?: readonly { readonly type: string; readonly value: JsonValue }[] | undefined;
}

/** The text of `resource.manifest`. */
export function formatReference({ name, digest, image, catalog, replaces, properties }: StepReference): string {
  return JSON.stringify({
    kind: referenceKind,
    name,
    digest,
    image,
    catalogSourceName: catalog.name,
    catalogSourceNamespace: catalog.namespace,
    replaces,
    properties,
  });
}

/** What the manifest of a step is. */
export type StepManifest = { readonly object: JsonObject } | { readonly reference: StepReference };

/** In plans of the real OLM: a ConfigMap into which a Job has unpacked the bundle. It is not read: who may write ConfigMaps could change what was approved. */
function isUnpackedReference(value: JsonObject): boolean {
  const members = ['name', 'namespace', 'catalogSourceName', 'catalogSourceNamespace'];
  return value['kind'] === 'ConfigMap' && members.every((key) => textAt(value, key) !== '');
}

function parsedProperties(text: string): Pick<StepReference, 'properties'> {
  if (text === '') return {};
  const value = parseJson('the properties of the bundle', text);
  return isJsonObject(value) ? { properties: propertiesOf(value) } : {};
}

function unpackedReference(value: JsonObject, bundle: BundleOfStep): StepReference {
  return {
    name: bundle.name,
    ...(bundle.image === undefined ? {} : { image: bundle.image }),
    catalog: { name: textAt(value, 'catalogSourceName'), namespace: textAt(value, 'catalogSourceNamespace') },
    replaces: textAt(value, 'replaces'),
    ...parsedProperties(textAt(value, 'properties')),
  };
}

/** The bundle that a step belongs to. */
export interface BundleOfStep {
  readonly name: string;
  /** As the plan has looked it up. */
  readonly image: string | undefined;
}

/** Reads the manifest of a step of the bundle.
 *  @throws TerminalError for text that is no JSON */
export function readStepManifest(text: string, bundle: BundleOfStep): StepManifest | undefined {
  const value = parseJson('the manifest', text);
  if (!isJsonObject(value)) return undefined;
  if (Object.hasOwn(value, 'apiVersion')) return { object: value };
  if (isUnpackedReference(value)) return { reference: unpackedReference(value, bundle) };
  if (value['kind'] !== referenceKind) return { object: value };
  return {
    reference: {
      name: textAt(value, 'name'),
      digest: textAt(value, 'digest'),
      ...(textAt(value, 'image') === '' ? {} : { image: textAt(value, 'image') }),
      catalog: { name: textAt(value, 'catalogSourceName'), namespace: textAt(value, 'catalogSourceNamespace') },
      replaces: textAt(value, 'replaces'),
      ...(Object.hasOwn(value, 'properties') ? { properties: propertiesOf(value) } : {}),
    },
  };
}

function propertiesOf(value: JsonObject): NonNullable<StepReference['properties']> {
  return objectsAt(value, 'properties').map((property) => ({
    type: textAt(property, 'type'),
    value: valueAt(property, 'value') ?? null,
  }));
}
