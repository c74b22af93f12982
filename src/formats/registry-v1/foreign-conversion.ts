import { type JsonObject, objectAt, textAt } from '../../base/index.ts';
import { without } from './amendments/amendment.ts';
import type { RegistryBundle, RenderedObject } from './registry-bundle.ts';

const caAnnotation = 'cert-manager.io/inject-ca-from';

function convertedNames({ csv }: RegistryBundle): ReadonlySet<string> {
  const conversions = (csv.spec.webhookdefinitions ?? []).filter(({ type }) => type === 'ConversionWebhook');
  return new Set(conversions.flatMap(({ conversionCRDs = [] }) => conversionCRDs));
}

function withoutConversion(crd: RenderedObject): RenderedObject {
  const annotations = objectAt(crd.metadata, 'annotations');
  const metadata: JsonObject =
    annotations === undefined ? crd.metadata : { ...crd.metadata, annotations: without(annotations, caAnnotation) };
  return { ...crd, metadata, spec: without(objectAt(crd, 'spec') ?? {}, 'conversion') };
}

/** Takes away the conversion webhooks that CRDs ship and no webhook of the ClusterServiceVersion serves, with the request to cert-manager
 *  that belongs to them: they point to a Service of another owner, and every conversion by them fails.
 *  @see docs/spec/registry-v1-rendering.md#crds */
export function dropForeignConversions(
  objects: readonly RenderedObject[],
  bundle: RegistryBundle,
): readonly RenderedObject[] {
  const own = convertedNames(bundle);
  return objects.map((object) => {
    const isConverted = textAt(objectAt(object, 'spec', 'conversion'), 'strategy') === 'Webhook';
    const isForeign = object.kind === 'CustomResourceDefinition' && isConverted && !own.has(object.metadata.name ?? '');
    return isForeign ? withoutConversion(object) : object;
  });
}
