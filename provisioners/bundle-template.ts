import {
  apiVersion,
  type BundleDeployment,
  bundleDeploymentResource,
  bundlePropertiesAnnotation,
  bundleResource,
  cachedBundleFinalizer,
  ownerKindLabel,
  ownerNameLabel,
  storedContentAnnotation,
  templateHashLabel,
} from '../src/api/index.ts';
import type { JsonObject } from '../src/base/index.ts';
import type { KubeObject } from '../src/kube/index.ts';
import { bundleName, templateHash } from './hash.ts';

/** The Bundle that the deployment's template asks for. */
export function bundleOfTemplate(deployment: BundleDeployment): KubeObject {
  const { metadata, spec } = deployment;
  const hash = templateHash(spec.template);
  const {
    [bundlePropertiesAnnotation]: _noted,
    [storedContentAnnotation]: _stored,
    ...annotations
  } = spec.template.metadata?.annotations ?? {};
  return {
    apiVersion,
    kind: bundleResource.kind,
    metadata: {
      name: bundleName(metadata.name, hash),
      finalizers: [cachedBundleFinalizer],
      labels: {
        ...spec.template.metadata?.labels,
        [ownerKindLabel]: bundleDeploymentResource.kind,
        [ownerNameLabel]: metadata.name,
        [templateHashLabel]: hash,
      },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [
        {
          apiVersion,
          kind: bundleDeploymentResource.kind,
          name: metadata.name,
          uid: metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: spec.template.spec as unknown as JsonObject,
  };
}

const maxBundles = 4;

function byAge(a: KubeObject, b: KubeObject): number {
  const order = (object: KubeObject): string =>
    `${object.metadata.creationTimestamp ?? ''} ${object.metadata.name ?? ''}`;
  return order(a) < order(b) ? -1 : 1;
}

/** Bundles that were never active and whose template is obsolete, oldest first, as many as are over the limit. */
export function obsoleteBundles(
  bundles: readonly KubeObject[],
  keep: { readonly desired: string; readonly active: string | undefined },
): readonly KubeObject[] {
  const others = bundles.filter(({ metadata }) => metadata.name !== keep.desired && metadata.name !== keep.active);
  const excess = Math.max(0, bundles.length - maxBundles);
  return others.toSorted(byAge).slice(0, excess);
}
