import { objectAt, textAt } from '../../../base/index.ts';
import { groupOf, isStandardKind, supportedKinds } from '../kinds.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import type { Rendering } from '../rendering.ts';
import { type Amendment, without } from './amendment.ts';

const generatedKinds = new Set([
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

/** Whether a CustomResourceDefinition of the bundle makes the kind cluster-scoped. */
function isClusterResource({ apiVersion, kind }: RenderedObject, { bundle }: Rendering): boolean {
  return bundle.crds.some((crd) => {
    const spec = objectAt(crd, 'spec');
    const isKind = textAt(spec, 'group') === groupOf(apiVersion) && textAt(objectAt(spec, 'names'), 'kind') === kind;
    return isKind && textAt(spec, 'scope') === 'Cluster';
  });
}

/** VerticalPodAutoscalers count as cluster-scoped for the reference, and are not. */
function isClusterScoped(object: RenderedObject, rendering: Rendering): boolean {
  const { kind } = object;
  if (generatedKinds.has(kind)) return true;
  if (!isStandardKind(object)) return isClusterResource(object, rendering);
  return supportedKinds.get(kind)?.isNamespaced === false && kind !== 'VerticalPodAutoscaler';
}

/** Cluster-scoped objects have no namespace, regardless of the manifest and the reference. */
export const clusterScope: Amendment = {
  name: 'cluster-scope',
  reason: 'A namespace on a cluster-scoped object makes appliers and pruning look for it in the wrong place.',
  amend: (objects, rendering) =>
    objects.map((object) =>
      isClusterScoped(object, rendering) && object.metadata.namespace !== undefined
        ? { ...object, metadata: without(object.metadata, 'namespace') }
        : object,
    ),
};
