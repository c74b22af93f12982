import { TerminalError } from '../../../base/index.ts';
import { generateCrds } from '../generate-manifests.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import type { Rendering } from '../rendering.ts';
import { type Amendment, eachOfKind } from './amendment.ts';

const apiVersion = 'apiextensions.k8s.io/v1';

/** The definition that is rendered from the one that was converted when the bundle was read. */
function convert(crd: RenderedObject, rendering: Rendering): RenderedObject {
  const name = crd.metadata.name ?? '';
  const current = rendering.bundle.convertedCrds.get(name);
  const bundle = { ...rendering.bundle, crds: current === undefined ? [] : [current] };
  const [converted] = generateCrds({ ...rendering, bundle });
  if (converted !== undefined) return converted;
  throw new TerminalError(
    'InvalidBundle',
    `custom resource definition '${name}' has apiVersion ${crd.apiVersion}, expected ${apiVersion}`,
  );
}

/** CustomResourceDefinitions of v1beta1 become those of v1. */
export const crdVersions: Amendment = {
  name: 'crd-versions',
  reason:
    'No cluster since Kubernetes 1.22 accepts apiextensions.k8s.io/v1beta1, and reading it as v1 loses its schema: it is converted, with nothing lost.',
  amend: (objects, rendering) =>
    eachOfKind(objects, 'CustomResourceDefinition', (crd) =>
      crd.apiVersion === apiVersion ? crd : convert(crd, rendering),
    ),
};
