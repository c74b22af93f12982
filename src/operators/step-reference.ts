import { isJsonObject, type JsonObject, type JsonValue, objectsAt, parseJson, textAt, valueAt } from '../base/index.ts';

/** Distinguishes a reference from an object: no object has this kind and no `apiVersion`. */
const referenceKind = 'BundleContent';

/** In place of a manifest in a step: the content of a bundle, by its digest. An object that others may change is never referred to. */
export interface StepReference {
  /** Of the bundle. */
  readonly name: string;
  readonly digest: string;
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

/** What the manifest of a step is.
 *  @throws TerminalError for text that is no JSON */
export function readStepManifest(
  text: string,
): { readonly object: JsonObject } | { readonly reference: StepReference } | undefined {
  const value = parseJson('the manifest', text);
  if (!isJsonObject(value)) return undefined;
  if (value['kind'] !== referenceKind || Object.hasOwn(value, 'apiVersion')) return { object: value };
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
