import { supportedKinds } from '../kinds.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import { type Amendment, without } from './amendment.ts';

const generatedKinds = new Set([
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

/** VerticalPodAutoscalers count as cluster-scoped for the reference, and are not. */
function isClusterScoped({ kind }: RenderedObject): boolean {
  if (generatedKinds.has(kind)) return true;
  return supportedKinds.get(kind)?.isNamespaced === false && kind !== 'VerticalPodAutoscaler';
}

/** What belongs to the cluster as a whole has no namespace, whatever the manifest or the reference says. */
export const clusterScope: Amendment = {
  name: 'cluster-scope',
  reason: 'A namespace on a cluster-scoped object makes appliers and pruning look for it in the wrong place.',
  amend: (objects) =>
    objects.map((object) =>
      isClusterScoped(object) && object.metadata.namespace !== undefined
        ? { ...object, metadata: without(object.metadata, 'namespace') }
        : object,
    ),
};
